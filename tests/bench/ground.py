"""Where a bench runs: servers of its own, databases on them, and the processes that are measured."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Self
from urllib.parse import urlsplit

import psutil
import psycopg
from psycopg import sql

from service.migrating import migrate
from service.servers import Servers, joined
from service.servers.place import place_in
from service.servers.programs import postgres_programs

PEERS: Final = Path(sys.prefix, "bench")
"""Where `make bench` installs the peers, for the bench alone."""

SLOWLIGHT: Final = (str(Path(sys.executable).with_name("slowlight")),)
"""The service as it is installed."""

STOP_SECONDS_MAX: Final = 20
NOISE_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Serving:
    """A process that is measured, and the port it listens on."""

    port: int
    process: psutil.Process

    @property
    def cpu_seconds(self) -> float:
        """The CPU time it has used."""
        times = self.process.cpu_times()
        return float(times.user + times.system)

    @property
    def memory_mb(self) -> float:
        """What it keeps in memory."""
        return float(self.process.memory_info().rss) / 1e6


@dataclass(slots=True)
class Ground:
    """One pair of servers, for a whole bench; what stands on it falls with it."""

    folder: Path
    servers: Servers
    stack: ExitStack
    kept: dict[str, Any] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def taken(cls) -> Iterator[Self]:
        """The ground, until the context is left."""
        with TemporaryDirectory(prefix="slowlight-") as name, ExitStack() as stack:
            folder = Path(name)
            folder.chmod(0o711)
            yield cls(folder, stack.enter_context(joined(folder / "data")), stack)

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What several figures are taken on, made for the first of them."""
        if name not in self.kept:
            self.kept[name] = make()
        return self.kept[name]

    def database(self, name: str) -> str:
        """The address of a new database with the service's schema."""
        url = self.empty_database(name)
        migrate(url)
        return url

    def empty_database(self, name: str) -> str:
        """The address of a new database with nothing in it."""
        with psycopg.connect(self.servers.database_url, autocommit=True) as connection:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        return urlsplit(self.servers.database_url)._replace(path=f"/{name}").geturl()

    def program(self, name: str) -> Path:
        """A program of the embedded PostgreSQL."""
        return postgres_programs(place_in(self.folder / "data")) / name

    @contextmanager
    def serving(self, database_url: str, command: Sequence[str] = SLOWLIGHT) -> Iterator[Serving]:
        """`slowlight serve`, or what stands in for it, on a database."""
        environment = {"SLOWLIGHT_DATABASE_URL": database_url, "SLOWLIGHT_REDIS_URL": self.servers.redis_url}
        with running([*command, "serve", "--port", "0"], environment) as serving:
            yield serving


@contextmanager
def running(command: Sequence[str | Path], environment: dict[str, str] | None = None) -> Iterator[Serving]:
    """A process that says on its first line of output where it listens, ended when the context is left."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | (environment or {})) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            digits = "".join(letter if letter.isdigit() else " " for letter in said).split()
            assert digits, f"{command[0]} did not say where it listens, but {said!r}"
            yield Serving(int(digits[-1]), psutil.Process(process.pid))
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                process.kill()


def told(command: Sequence[str | Path], order: Any, environment: dict[str, str] | None = None) -> Any:
    """What a process says as JSON on standard output, which was given an order as JSON."""
    done = subprocess.run(
        [*command, json.dumps(order)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | (environment or {}),
    )
    return json.loads(done.stdout)


def strangers_share() -> float:
    """The share of the machine's time that is in use while we do nothing."""
    return psutil.cpu_percent(NOISE_SECONDS) / 100
