"""A PostgreSQL and a Valkey that are there to be killed, and databases on them."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

import psutil
import psycopg
from psycopg import sql

from service.migrating import migrate
from service.servers import Servers, joined
from tests.simulation.database import Database, beside

TEMPLATE: Final = "template_of_simulations"
GONE_SECONDS_MAX: Final = 20

_number = count(1)


@dataclass(frozen=True, slots=True)
class Mortal:
    """One pair of servers. What a crash takes down is started again, as by any process that joins."""

    data: Path
    servers: Servers
    _one_at_a_time: Lock = field(default_factory=Lock)

    @property
    def postgres_socket(self) -> Path:
        """Where PostgreSQL answers."""
        (folder,) = parse_qs(urlsplit(self.servers.database_url).query)["host"]
        return Path(folder) / ".s.PGSQL.5432"

    @property
    def valkey_socket(self) -> Path:
        """Where Valkey answers."""
        return Path(unquote(self.servers.redis_url.removeprefix("unix://")))

    async def crash_postgres(self) -> None:
        """Shut PostgreSQL down at once, as a power cut would, and start it again."""
        await self._crash(self.data / "postgres" / "postmaster.pid", signal.SIGQUIT)

    async def crash_valkey(self) -> None:
        """Kill Valkey, and start an empty one."""
        await self._crash(self.data / "valkey" / "server.pid", signal.SIGKILL)

    def new_database(self) -> Database:
        """A migrated database."""
        name = f"simulation_{next(_number)}"
        with psycopg.connect(self.servers.database_url, autocommit=True) as connection:
            made = sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(TEMPLATE))
            connection.execute(made)
        return Database(beside(self.servers.database_url, name))

    async def _crash(self, pid_file: Path, with_signal: signal.Signals) -> None:
        def crash() -> None:
            with self._one_at_a_time:
                _end(pid_file, with_signal)
                with joined(self.data):
                    pass  # whoever joins starts what is not there, and we have joined already

        await asyncio.to_thread(crash)


@contextmanager
def mortal(data: Path) -> Iterator[Mortal]:
    """A pair of servers in the folder `data`, until the context is left."""
    with joined(data) as servers:
        with psycopg.connect(servers.database_url, autocommit=True) as connection:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(TEMPLATE)))
        migrate(beside(servers.database_url, TEMPLATE))
        yield Mortal(data, servers)


def _end(pid_file: Path, with_signal: signal.Signals) -> None:
    pid = int(pid_file.read_text().split("\n")[0])
    patience = monotonic() + GONE_SECONDS_MAX
    with suppress(ProcessLookupError, psutil.NoSuchProcess):
        os.kill(pid, with_signal)
        while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
            assert monotonic() < patience, f"process {pid} does not end"
            sleep(0.01)
