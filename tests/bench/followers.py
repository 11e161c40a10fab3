"""(f) How soon an event reaches 1,000 followers, beside a bare broadcast of the same bytes; what 5,000 idle ones cost.

python -m tests.bench.followers
"""

import sys
from collections.abc import Iterator
from functools import partial
from itertools import chain
from statistics import median
from typing import Final

from tests.bench.crowd import Reached, reached
from tests.bench.figures import Figure, alone, alternated, at_most, say
from tests.bench.filled import FEW, filled_with
from tests.bench.ground import Ground, running

FOLLOWERS: Final = 1_000
ROUNDS: Final = 7
EVENTS: Final = 8
IDLE: Final = 5_000

BROADCAST_TIMES: Final = 3.0
MEMORY_MB_MAX: Final = 1_000.0


def figures(ground: Ground) -> Iterator[Figure]:
    """The figures of (f)."""
    few = filled_with(ground, FEW)
    with (
        ground.serving(few.database_url) as ours,
        running([sys.executable, "-m", "tests.bench.peers.broadcast"]) as bare,
    ):
        payload = reached(ours, 1, 1).payload
        found: dict[str, list[Reached]] = alternated(
            ROUNDS,
            {
                "followers": partial(reached, ours, FOLLOWERS, EVENTS),
                "broadcast": partial(reached, bare, FOLLOWERS, EVENTS, payload=payload),
            },
        )
    medians = {name: median(chain.from_iterable(one.seconds for one in taken)) for name, taken in found.items()}
    yield at_most(
        BROADCAST_TIMES,
        f"(f) a turn, until all of {FOLLOWERS:,} followers have its event",
        f"{medians['followers'] * 1e3:.1f} ms",
        f"{len(payload)} bytes broadcast by bare WebSockets: {medians['broadcast'] * 1e3:.1f} ms",
        medians["followers"] / medians["broadcast"],
    )
    say(f"{IDLE:,} idle followers")
    with ground.serving(few.database_url) as ours:
        before = ours.memory_mb
        memory = reached(ours, IDLE, games=few.game_ids).memory_mb
    yield Figure(
        f"(f) memory with {IDLE:,} idle followers of {FEW} games",
        f"{memory:,.0f} MB",
        f"the process before: {before:,.0f} MB",
        memory / before,
        f"<= {MEMORY_MB_MAX:,.0f} MB",
        memory <= MEMORY_MB_MAX,
    )


if __name__ == "__main__":
    alone(figures)
