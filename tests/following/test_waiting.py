"""Whoever waits for an outcome, or for news of their own games, hears of it whichever process brings it about."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from random import Random
from uuid import UUID, uuid4

import pytest

from domain.game import LeaveSeat, OpenGame, Resign, StartGame, TakeSeat
from service import slowlight, writer
from service.seen import ChangeReason, MyGamesUpdate, Receipt, Refusal
from tests.following.hall import PATIENCE_SECONDS, SELDOM, Hall, Person, hall_on
from tests.following.relay import HintRelay
from tests.following.streams import refused
from tests.service.database import Database
from tests.service.house import APPLIED, PENDING, REFUSED, until


@pytest.fixture(scope="module")
async def neighbour(database: Database) -> AsyncIterator[Hall]:
    """Another process of the service."""
    async with hall_on(database) as neighbour:
        yield neighbour


@pytest.fixture
async def deaf(database: Database) -> AsyncIterator[Hall]:
    """One that no hint reaches."""
    async with (
        HintRelay(database.redis_url, "dropped", Random(3)).open() as relay,
        hall_on(replace(database, redis_url=relay.url), poll_seconds=0.1) as deaf,
    ):
        yield deaf


@pytest.fixture(autouse=True)
def _left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process could not decide at once it leaves to whoever is nudged, and it looks for no outcome by itself."""
    monkeypatch.setattr(writer, "AGAIN_SECONDS", SELDOM)
    monkeypatch.setattr(slowlight, "POLL_SECONDS", SELDOM)


class Desk:
    """What somebody is told of their games."""

    def __init__(self, hall: Hall, person: Person) -> None:
        self._stream = hall.service.follow_my_games(person.player)

    async def next(self) -> MyGamesUpdate:
        async with asyncio.timeout(PATIENCE_SECONDS):
            item = await anext(self._stream)
        assert isinstance(item, MyGamesUpdate)
        return item


async def at_desk(hall: Hall, person: Person) -> tuple[Desk, asyncio.Task[MyGamesUpdate]]:
    """Somebody who has been told what there is so far, and waits for more."""
    desk, channels = Desk(hall, person), hall.service._hub._channels._channels
    waiting = asyncio.create_task(desk.next())
    name = f"player:{{{person.player.id}}}"
    await until(lambda: name in channels and channels[name].confirmed.is_set())
    await asyncio.sleep(0.1)
    return desk, waiting


async def outcome(hall: Hall, person: Person, receipt: Receipt) -> Receipt | Refusal:
    """What `receiptChanged` says of a receipt."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        (item,) = [item async for item in hall.service.follow_receipt(person.player, receipt.game_id, receipt.id)]
    return item


async def test_a_sender_hears_of_an_outcome_that_another_process_brings_about(hall: Hall, neighbour: Hall) -> None:
    ann, bob = await hall.pair()
    game_id = await hall.game(ann, bob)
    with hall.database.holding(game_id):
        receipt = await hall.send(ann.player, game_id, Resign(), key="resign", wait=0)
        assert receipt.status is PENDING
        waiting = [
            asyncio.create_task(hall.send(ann.player, game_id, Resign(), key="resign", wait=PATIENCE_SECONDS)),
            asyncio.create_task(outcome(hall, ann, receipt)),
        ]
        await until(lambda: f"game:{{{game_id}}}" in hall.service._hub._channels._channels)
        await asyncio.sleep(0.1)
    neighbour.writer.nudge([game_id])
    for settled in await asyncio.gather(*waiting):
        assert isinstance(settled, Receipt)
        assert (settled.id, settled.status) == (receipt.id, APPLIED)


async def test_an_outcome_that_no_hint_tells_of_is_found_by_looking(
    deaf: Hall, neighbour: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slowlight, "POLL_SECONDS", 0.1)
    ann, bob = await deaf.pair()
    game_id = await deaf.game(ann, bob)
    with deaf.database.holding(game_id):
        receipt = await deaf.send(ann.player, game_id, Resign(), wait=0)
        waiting = asyncio.create_task(outcome(deaf, ann, receipt))
        await asyncio.sleep(0.2)
    neighbour.writer.nudge([game_id])
    settled = await waiting
    assert isinstance(settled, Receipt)
    assert settled.status is APPLIED


async def test_a_settled_receipt_is_told_at_once_and_to_its_sender_alone(hall: Hall) -> None:
    ann, bob = await hall.pair()
    game_id = await hall.game(ann, bob)
    receipt = await hall.send(ann.player, game_id, TakeSeat())
    told = await outcome(hall, ann, receipt)
    assert isinstance(told, Receipt)
    assert (told.id, told.status) == (receipt.id, REFUSED)
    for player, game, submission in (
        (bob.player, game_id, receipt.id),
        (None, game_id, receipt.id),
        (ann.player, game_id, uuid4()),
        (ann.player, UUID(int=0), receipt.id),
    ):
        refusal = await refused(hall.service.follow_receipt(player, game, submission))
        assert refusal.code == "UNKNOWN_RECEIPT"


async def test_a_player_is_told_what_is_new_in_each_of_their_games(hall: Hall, neighbour: Hall) -> None:
    ann, bob = await hall.pair()
    desk, waiting = await at_desk(hall, ann)
    game_id = await neighbour.open(ann.player, OpenGame("gravwell", 3, start=False))
    first = await waiting
    assert (first.game.id, first.reason, first.game.my_seat) == (game_id, ChangeReason.SEAT_TAKEN, 0)
    for person, command, reason in (
        (bob, TakeSeat(), ChangeReason.SEAT_TAKEN),
        (bob, LeaveSeat(), ChangeReason.CHANGED),
        (bob, TakeSeat(), ChangeReason.SEAT_TAKEN),
        (await hall.person(), TakeSeat(), ChangeReason.SEAT_TAKEN),
    ):
        await neighbour.send(person.player, game_id, command)
        assert (await desk.next()).reason is reason
    await neighbour.send(ann.player, game_id, StartGame())
    started = await desk.next()
    assert started.reason is (ChangeReason.YOUR_TURN if 0 in started.game.game.awaiting else ChangeReason.STARTED)
    while 0 not in (await hall.seen(None, game_id)).game.awaiting:
        await neighbour.turns(game_id, 1)
        told = await desk.next()
        assert told.reason is (ChangeReason.YOUR_TURN if 0 in told.game.game.awaiting else ChangeReason.CHANGED)
    await neighbour.turn(ann.player, game_id)
    assert (await desk.next()).game.version == (await hall.seen(None, game_id)).version
    for person in (ann, bob):
        await neighbour.send(person.player, game_id, Resign())
    while (ended := await desk.next()).reason is not ChangeReason.ENDED:
        pass
    assert ended.game.outcome is not None


async def test_a_host_without_a_seat_and_whoever_has_just_left_hear_too(hall: Hall, neighbour: Hall) -> None:
    host, guest = await hall.pair()
    game_id = await hall.open(host.player, OpenGame("gravwell", 2, sit=False))
    desk, waiting = await at_desk(hall, host)
    await neighbour.send(guest.player, game_id, TakeSeat())
    assert (await waiting).reason is ChangeReason.SEAT_TAKEN
    assert (await waiting).game.my_seat is None
    other = await hall.open(guest.player, OpenGame("gravwell", 2))
    await neighbour.send(host.player, other, TakeSeat())
    told = await desk.next()
    assert (told.game.id, told.game.my_seat) == (other, 1)


async def test_what_no_hint_tells_of_is_found_by_the_poll(deaf: Hall, neighbour: Hall) -> None:
    ann, bob = await deaf.pair()
    game_id = await deaf.game(ann, bob)
    desk, waiting = await at_desk(deaf, ann)
    await neighbour.turns(game_id, 1)
    version = (await neighbour.seen(None, game_id)).version
    assert (await waiting).game.version == version
    await neighbour.turns(game_id, 1)
    assert (await desk.next()).game.version > version


async def test_nobody_s_games_are_followed_by_nobody(hall: Hall) -> None:
    assert (await refused(hall.service.follow_my_games(None))).code == "NOT_SIGNED_IN"
