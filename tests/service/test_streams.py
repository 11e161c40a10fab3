"""Cold games are folded one at a time, and whoever else has work in the process gets to it between two of them."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import count, pairwise

from domain.catalogue import AnyRuleset
from domain.game import OpenGame
from service.streams import Stream, Streams
from tests.rulesets.toy import TOY, Event, State
from tests.service.house import House

GAMES = 5


async def test_many_cold_games_do_not_keep_everybody_else_waiting(
    own_house: House, offer: Callable[[AnyRuleset], None]
) -> None:
    others, folded_at = count(), list[int]()

    def noting(state: State | None, event: Event) -> State:
        if state is None:
            folded_at.append(next(others))
        return TOY.evolve(state, event)

    async def busy() -> None:
        while True:
            next(others)
            await asyncio.sleep(0)

    offer(replace(TOY, evolve=noting))
    host = await own_house.player()
    games = [await own_house.open(host, OpenGame("toy", 2, bots=1)) for _ in range(GAMES)]
    folded_at.clear()
    other = asyncio.create_task(busy())
    async with own_house.pool.connection() as connection:
        loaded = await Streams().load(connection, dict.fromkeys(games, 1))
    other.cancel()
    with suppress(asyncio.CancelledError):
        await other
    assert [type(stream) for stream in loaded.values()] == [Stream] * GAMES
    assert len(folded_at) == GAMES
    assert all(later - earlier > 1 for earlier, later in pairwise(folded_at))
