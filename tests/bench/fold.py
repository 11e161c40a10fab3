"""(c) The cold fold of a long stream from Postgres, beside what the `eventsourcing` library makes of one as long.

python -m tests.bench.fold
"""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from statistics import median
from time import perf_counter
from typing import Any, Final

import uvloop

from schema.ids import game_of
from service import store
from service.streams import Stream, Streams
from tests.bench.beside import event_sourced
from tests.bench.figures import Figure, alone, alternated
from tests.bench.ground import Ground
from tests.bench.length import LATE, long_games

ROUNDS: Final = 3
TIMES: Final = 5

EVENTS_A_SECOND: Final = 100_000
PEER_TIMES: Final = 4.0


def figures(ground: Ground) -> Iterator[Figure]:
    """The figure of (c)."""
    games = long_games(ground)
    found: dict[str, list[Any]] = alternated(
        ROUNDS,
        {
            "cold folds": lambda: uvloop.run(_folds(games.database_url, games.game_ids[0])),
            "eventsourcing": partial(event_sourced, ground, {"fold": LATE, "times": TIMES}),
        },
    )
    ours = median(chain.from_iterable(found["cold folds"]))
    peer = LATE / median(chain.from_iterable(one["seconds"] for one in found["eventsourcing"]))
    yield Figure(
        "(c) cold fold of a long stream",
        f"{ours:,.0f} events/s",
        f"eventsourcing, {LATE:,} events: {peer:,.0f} events/s",
        ours / peer,
        f">= {PEER_TIMES:g}, or {EVENTS_A_SECOND:,} events/s",
        ours / peer >= PEER_TIMES or ours >= EVENTS_A_SECOND,
    )


async def _folds(database_url: str, game: str) -> list[float]:
    """Events a second, each time read and folded by somebody who knows nothing of the game yet."""
    game_id = game_of(game)
    assert game_id is not None
    async with await store.connect(database_url) as connection:
        rates = []
        for _ in range(TIMES):
            began = perf_counter()
            stream = (await Streams().load(connection, {game_id: LATE}))[game_id]
            seconds = perf_counter() - began
            assert isinstance(stream, Stream)
            rates.append(stream.head.version / seconds)
    return rates


if __name__ == "__main__":
    alone(figures)
