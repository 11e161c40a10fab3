"""(e) One turn of one client, beside the insert and commit of one row by psycopg.

python -m tests.bench.commit
"""

from collections.abc import Iterator
from statistics import median
from time import perf_counter
from typing import Any, Final

import psycopg
import uvloop

from tests.bench.beside import ROW, Commits
from tests.bench.figures import Figure, alone, at_most
from tests.bench.ground import Ground
from tests.bench.load import Line, Table

BLOCKS: Final = 12
BLOCK: Final = 40

COMMIT_TIMES: Final = 5.0


def figures(ground: Ground) -> Iterator[Figure]:
    """The figure of (e)."""
    Commits(ground)
    with (
        ground.serving(ground.database("commit")) as serving,
        psycopg.connect(ground.servers.database_url, autocommit=True, prepare_threshold=0) as connection,
    ):
        turn, commit = uvloop.run(_taken(serving.port, connection))
    yield at_most(
        COMMIT_TIMES,
        "(e) one turn, one client",
        f"p50 {turn * 1e3:.2f} ms",
        f"a row inserted and committed by psycopg: p50 {commit * 1e3:.2f} ms",
        turn / commit,
    )


async def _taken(port: int, connection: psycopg.Connection[Any]) -> tuple[float, float]:
    turns, commits = list[float](), list[float]()
    table = await Table.opened(await Line.to(port))
    steps = table.turns()
    for _ in range(BLOCKS):
        turns += [await anext(steps) for _ in range(BLOCK)]
        for _ in range(BLOCK):
            began = perf_counter()
            connection.execute(f"insert into commits values {ROW}")
            commits.append(perf_counter() - began)
    return median(turns), median(commits)


if __name__ == "__main__":
    alone(figures)
