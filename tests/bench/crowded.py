"""(g) The time of a turn in a store of a million events, beside that in a store of few.

python -m tests.bench.crowded
"""

from collections.abc import Iterator
from functools import partial
from statistics import median
from typing import Final

import uvloop

from tests.bench.figures import Figure, alone, alternated, at_most
from tests.bench.filled import FEW, MANY, Filled, filled_with
from tests.bench.ground import Ground
from tests.bench.load import Line, taken

TABLES: Final = 12
TURNS: Final = 30
CLIENTS: Final = 32
ROUNDS: Final = 3
SECONDS: Final = 4.0

CROWDED_TIMES: Final = 1.2


def figures(ground: Ground) -> Iterator[Figure]:
    """The figures of (g)."""
    few, many = filled_with(ground, FEW), filled_with(ground, MANY)
    with ground.serving(few.database_url) as in_few, ground.serving(many.database_url) as in_many:
        one_in_few, one_in_many = uvloop.run(_taken([(in_few.port, few), (in_many.port, many)]))
        measures = {"few": partial(taken, in_few, CLIENTS, SECONDS), "many": partial(taken, in_many, CLIENTS, SECONDS)}
        found = alternated(ROUNDS, measures)
    store = f"a turn among {many.events:,} events of {MANY:,} games"
    yield at_most(
        CROWDED_TIMES,
        f"(g) {store}, one client",
        f"p50 {one_in_many * 1e3:.2f} ms",
        f"among {few.events:,} events: p50 {one_in_few * 1e3:.2f} ms",
        one_in_many / one_in_few,
    )
    rates = {name: median(one.rate for one in rounds) for name, rounds in found.items()}
    yield at_most(
        CROWDED_TIMES,
        f"(g) {store}, {CLIENTS} clients",
        f"{1e6 / rates['many']:,.0f} us ({rates['many']:,.0f} turns/s)",
        f"among {few.events:,} events: {1e6 / rates['few']:,.0f} us",
        rates["few"] / rates["many"],
    )


async def _taken(stores: list[tuple[int, Filled]]) -> list[float]:
    """The median of turns in games of each store that stood there before, a turn here and a turn there."""
    lines = [await Line.to(port) for port, _ in stores]
    took: list[list[float]] = [[] for _ in stores]
    for nth in range(TABLES):
        steps = [filled.table(line, nth).turns(changing=2) for line, (_, filled) in zip(lines, stores, strict=True)]
        for _ in range(TURNS):
            for times, step in zip(took, steps, strict=True):
                times.append(await anext(step))
    return [median(times) for times in took]


if __name__ == "__main__":
    alone(figures)
