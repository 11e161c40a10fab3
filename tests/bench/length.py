"""(b) The time of a turn late in a long game, beside that of a turn early in one.

python -m tests.bench.length
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Final

import uvloop

from tests.bench.figures import Figure, alone, at_most, say
from tests.bench.ground import Ground
from tests.bench.load import Line, Table

SEATS: Final = 4
CHANGING: Final = 3
"""With three of four seats changing their minds, a game of Gravwell comes to more than 2,100 events."""

GAMES: Final = 3
EARLY: Final = 20
LATE: Final = 2_000
TURNS: Final = 60

LATER_TIMES: Final = 1.2


@dataclass(frozen=True, slots=True)
class LongGames:
    """Games that have come to LATE events, and the database they are in."""

    database_url: str
    game_ids: list[str]
    late: float
    early: float


def long_games(ground: Ground) -> LongGames:
    """Games played to LATE events and beyond, with the seconds of a turn there and of one at EARLY events."""

    def played() -> LongGames:
        say(f"{GAMES} games of {LATE} events")
        url = ground.database("long_games")
        with ground.serving(url) as serving:
            return LongGames(url, *uvloop.run(_played(serving.port)))

    games: LongGames = ground.once("long games", played)
    return games


def figures(ground: Ground) -> Iterator[Figure]:
    """The figure of (b)."""
    games = long_games(ground)
    yield at_most(
        LATER_TIMES,
        f"(b) a turn at event {LATE:,}",
        f"p50 {games.late * 1e3:.2f} ms",
        f"at event {EARLY}: p50 {games.early * 1e3:.2f} ms",
        games.late / games.early,
    )


async def _played(port: int) -> tuple[list[str], float, float]:
    """Play games to LATE events, and then a turn in each and a turn in a new one by turns."""
    olds = await asyncio.gather(*(_old(port) for _ in range(GAMES)))
    late, early = list[float](), list[float]()
    for _, old_turns in olds:
        young = await Table.opened(await Line.to(port), SEATS)
        young_turns = young.turns(CHANGING)
        while young.version < EARLY:
            await anext(young_turns)
        for _ in range(TURNS):
            early.append(await anext(young_turns))
            late.append(await anext(old_turns))
    return [table.game_id for table, _ in olds], median(late), median(early)


async def _old(port: int) -> tuple[Table, AsyncIterator[float]]:
    """A game that has come to LATE events, and its turns from there; some end before."""
    line = await Line.to(port)
    while True:
        table = await Table.opened(line, SEATS)
        turns = table.turns(CHANGING)
        async for _ in turns:
            if table.version >= LATE:
                return table, turns


if __name__ == "__main__":
    alone(figures)
