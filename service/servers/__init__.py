"""A real PostgreSQL and a real Valkey for a process that was given none, on unix sockets under `--data`."""

from service.servers.joining import Servers, joined
from service.servers.unfit import Unfit

__all__ = ["Servers", "Unfit", "joined"]
