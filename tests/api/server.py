"""The real service behind a real HTTP server, in a process of its own, for tests that speak to it from outside."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx
import psycopg
from psycopg import sql

from service.migrating import migrate
from service.servers import Servers


@dataclass(frozen=True)
class Serving:
    """A running service: where it answers, where its database is, and what it has logged."""

    address: str
    database_url: str
    log: Path


@contextmanager
def serving(database_url: str, redis_url: str, log: Path) -> Iterator[Serving]:
    """A service of one process on a migrated database, until the context is left."""
    with socket.create_server(("127.0.0.1", 0)) as listening, log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.api.serve", database_url, redis_url, str(listening.fileno())],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            pass_fds=[listening.fileno()],
        )
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with process:
            try:
                httpx.get(f"{address}/graphql", params={"query": "{ __typename }"}, timeout=20).raise_for_status()
                yield Serving(address, database_url, log)
            finally:
                process.communicate()
    assert process.returncode == 0, log.read_text()


def new_database(servers: Servers, name: str) -> str:
    """The address of a new database of this name, with the service's schema."""
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    made = urlunsplit(urlsplit(servers.database_url)._replace(path=f"/{name}"))
    migrate(made)
    return made
