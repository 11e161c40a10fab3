"""(d) What 10,000 idle games cost the process that serves them.

python -m tests.bench.idle
"""

from collections.abc import Iterator
from time import sleep
from typing import Final

import uvloop

from tests.bench.figures import Figure, alone
from tests.bench.filled import MANY, filled_with
from tests.bench.ground import Ground
from tests.bench.load import Line

GAMES: Final = (
    "query ($after: String) { games(first: 100, after: $after)"
    " { edges { node { id version awaiting } } pageInfo { endCursor hasNextPage } } }"
)
REST_SECONDS: Final = 3.0
SECONDS: Final = 10.0

MEMORY_MB_MAX: Final = 250.0
CPU_SHARE_MAX: Final = 0.01
"""What counts as no CPU: a process that is asked nothing looks at its clock now and then."""


def figures(ground: Ground) -> Iterator[Figure]:
    """The figures of (d)."""
    filled = filled_with(ground, MANY)
    with ground.serving(filled.database_url) as serving:
        fresh = serving.memory_mb
        seen = uvloop.run(_looked_at(serving.port))
        assert seen >= MANY
        sleep(REST_SECONDS)
        before = serving.cpu_seconds
        sleep(SECONDS)
        share, memory = (serving.cpu_seconds - before) / SECONDS, serving.memory_mb
    yield Figure(
        f"(d) CPU of {MANY:,} idle games",
        f"{share:.2%} of a core over {SECONDS:.0f} s",
        budget=f"<= {CPU_SHARE_MAX:.0%}",
        held=share <= CPU_SHARE_MAX,
    )
    yield Figure(
        f"(d) memory with {MANY:,} idle games, each looked at",
        f"{memory:,.0f} MB",
        f"the process before: {fresh:,.0f} MB",
        memory / fresh,
        f"<= {MEMORY_MB_MAX:.0f} MB",
        memory <= MEMORY_MB_MAX,
    )


async def _looked_at(port: int) -> int:
    """Look at every game there is; gives their number."""
    line, after, seen = await Line.to(port), None, 0
    while True:
        page = await line.ask(None, GAMES, after=after)
        seen += len(page["edges"])
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            return seen


if __name__ == "__main__":
    alone(figures)
