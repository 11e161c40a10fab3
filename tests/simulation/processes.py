"""The real processes of the service, each behind proxies of its own, to be stopped, killed and started again."""

import json
import os
import signal
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

from service.faults import FAULT
from tests.simulation.database import Database
from tests.simulation.nursery import RUNNING, SOUND, STOPPED, Nursery
from tests.simulation.proxy import Proxy, proxied
from tests.simulation.servers import Mortal

READY: Final = b"Slowlight is ready"


@dataclass(frozen=True, slots=True)
class Part:
    """What a process is to be: the arguments of `serve` that say what it does, and its build."""

    only: tuple[str, ...] = ()
    build: str = SOUND


ALL: Final = ()
API: Final = ("--only", "api")
WORKER: Final = ("--only", "worker")


@dataclass(slots=True)
class Process:
    """A place for one `slowlight serve`: its arguments, its lines, its log, and who lives there at the time.

    `http` is the port of its proxy, None for one that takes no requests. `exits` tells how lives have ended.
    """

    name: str
    nursery: Nursery
    build: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    log: Path
    http: int | None
    lines: dict[str, Proxy]
    exits: list[int] = field(default_factory=list)
    _pid: int | None = None
    _born: int = 0

    def start(self, fault: str | None = None) -> None:
        """Begin a life; it stops by itself (SIGSTOP) where `fault` says."""
        assert not self.alive
        self._born = self.log.stat().st_size
        self._pid = self.nursery.start(self.arguments, self.environment | {FAULT: fault or ""}, self.log, self.build)

    @property
    def state(self) -> str | None:
        """RUNNING, STOPPED where it was to stop, None when nobody lives here."""
        if self._pid is None:
            return None
        found = self.nursery.look(self._pid)
        if isinstance(found, str):
            return found
        self.exits.append(found)
        self._pid = None
        return None

    @property
    def alive(self) -> bool:
        return self.state is not None

    @property
    def stopped(self) -> bool:
        return self.state == STOPPED

    @property
    def ready(self) -> bool:
        """Whether this life has said that it is, and goes on."""
        return self.state == RUNNING and READY in self.log.read_bytes()[self._born :]

    def send(self, one: signal.Signals) -> None:
        """Signal the process, if it is still there."""
        if self.alive and self._pid is not None:
            os.kill(self._pid, one)

    def said(self) -> list[dict[str, Any] | str]:
        """All that was logged here, in every life: objects, and lines that are none."""
        return [_parsed(line) for line in self.log.read_text(errors="replace").splitlines()]


@asynccontextmanager
async def processes(
    parts: Mapping[str, Part], nursery: Nursery, database: Database, servers: Mortal, folder: Path
) -> AsyncIterator[dict[str, Process]]:
    """Places for processes by their names; nobody lives there yet.

    Whoever lives there when the context is left is killed.
    """
    async with AsyncExitStack() as stack:
        places = {
            name: await _place(stack, name, part, nursery, database, servers, folder / name)
            for name, part in parts.items()
        }
        try:
            yield places
        finally:
            for place in places.values():
                place.send(signal.SIGKILL)


async def _place(
    stack: AsyncExitStack,
    name: str,
    part: Part,
    nursery: Nursery,
    database: Database,
    servers: Mortal,
    folder: Path,
) -> Process:
    folder.mkdir(mode=0o700)  # noqa: ASYNC240 - once, before anything runs
    log = folder / "log"
    log.touch()
    lines = {
        "postgres": await stack.enter_async_context(proxied(folder / ".s.PGSQL.5432", servers.postgres_socket)),
        "valkey": await stack.enter_async_context(proxied(folder / "valkey.sock", servers.valkey_socket)),
    }
    arguments, http = ("serve", *part.only), None
    if "worker" not in part.only:
        own, http = _free_port(), _free_port()
        lines["http"] = await stack.enter_async_context(proxied(http, own))
        arguments = (*arguments, "--port", str(own))
    database_url = urlsplit(database.url)._replace(query=f"host={quote(str(folder), safe='')}&port=5432").geturl()
    environment = {
        "SLOWLIGHT_DATABASE_URL": database_url,
        "SLOWLIGHT_REDIS_URL": f"unix://{quote(str(folder / 'valkey.sock'))}",
    }
    return Process(name, nursery, part.build, arguments, environment, log, http, lines)


def _free_port() -> int:
    """A port that no outgoing connection will be given while nobody listens there."""
    for port in _ports:
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("there is no free port")


_ports = cycle(range(20000 + os.getpid() % 10000, 32000))


def _parsed(line: str) -> dict[str, Any] | str:
    try:
        said: dict[str, Any] = json.loads(line)
    except ValueError:
        return line
    return said
