"""Redis away, restarted, flushed, silent: followers hear later, and hear everything."""

import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import pytest
import redis.asyncio

from domain.game import Resign
from service import channels
from service.seen import Receipt
from tests.following.hall import Hall, Person, hall_on
from tests.following.streams import Told, versions
from tests.following.valkey import Valkey, valkey_in
from tests.service.database import Database
from tests.service.house import APPLIED, until


@pytest.fixture
async def valkey() -> AsyncIterator[Valkey]:
    """A Valkey of the test's own, running."""
    with TemporaryDirectory(prefix="slowlight-") as name, valkey_in(Path(name)) as valkey:
        await valkey.start()
        yield valkey


@pytest.fixture
async def hall(database: Database, valkey: Valkey) -> AsyncIterator[Hall]:
    """A service that hears of what happens from that Valkey, and looks for itself only while that is away."""
    async with hall_on(replace(database, redis_url=valkey.url)) as hall:
        yield hall


async def followed(hall: Hall) -> tuple[UUID, Told, Person]:
    """A game with a follower who has been told all there is, and one who plays in it."""
    ann, bob = await hall.pair()
    game_id = await hall.game(ann, bob)
    told = Told(hall.service.follow(None, game_id, 0), 0)
    await caught_up(hall, game_id, told)
    return game_id, told, ann


async def caught_up(hall: Hall, game_id: UUID, told: Told) -> None:
    last = (await hall.seen(None, game_id)).version
    await until(lambda: told.version == last)
    assert versions(told.updates) == list(range(1, last + 1))


async def test_a_redis_that_is_killed_is_done_without_and_heard_again_when_it_is_back(
    hall: Hall, valkey: Valkey
) -> None:
    game_id, told, _ = await followed(hall)
    for _ in range(2):
        valkey.kill()
        await hall.turns(game_id, 3)
        await caught_up(hall, game_id, told)
        await valkey.start()
        await until(lambda: valkey.listeners(f"game:{{{game_id}}}") == 1)
        await hall.turns(game_id, 2)
        await caught_up(hall, game_id, told)


async def test_what_happens_while_the_line_is_broken_is_told_as_soon_as_it_is_mended(
    hall: Hall, valkey: Valkey
) -> None:
    game_id, told, _ = await followed(hall)
    async with redis.asyncio.Redis.from_url(valkey.url) as line:
        for _ in range(3):
            await line.client_kill_filter(_type="pubsub")
            await line.flushall()
            await hall.turns(game_id, 2)
            await caught_up(hall, game_id, told)


async def test_a_redis_that_says_nothing_counts_as_away(
    hall: Hall, valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "QUIET_SECONDS", 0.2)
    monkeypatch.setattr(channels, "ANSWER_SECONDS_MAX", 0.2)
    game_id, told, _ = await followed(hall)
    lost = hall.service._hub._channels.lost
    async with redis.asyncio.Redis.from_url(valkey.url) as line:
        await line.client_kill_filter(_type="pubsub")  # so that it listens with the patience above
    await until(lambda: valkey.listeners(f"game:{{{game_id}}}") == 1)
    valkey.send(signal.SIGSTOP)
    await until(lost.is_set)
    await hall.turns(game_id, 2)
    await caught_up(hall, game_id, told)
    valkey.send(signal.SIGCONT)
    await until(lambda: not lost.is_set())
    await hall.turns(game_id, 2)
    await caught_up(hall, game_id, told)


async def test_a_service_that_never_saw_redis_plays_and_is_followed(database: Database) -> None:
    async with hall_on(replace(database, redis_url="redis://127.0.0.1:1")) as hall:
        game_id, told, ann = await followed(hall)
        await hall.turns(game_id, 3)
        await caught_up(hall, game_id, told)
        with database.holding(game_id):
            receipt = await hall.send(ann.player, game_id, Resign(), wait=0)
        (outcome,) = [item async for item in hall.service.follow_receipt(ann.player, game_id, receipt.id)]
        assert isinstance(outcome, Receipt)
        assert outcome.status is APPLIED
