"""Deadlines: a turn received in time always wins, a late one never, and what the clock does it does once."""

import asyncio
import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from domain.game import LeaveSeat, OpenGame, Resign, TakeSeat
from domain.rulesets.gravwell.commands import DraftStack
from domain.stream import time_text
from service.seen import Player
from tests.service.database import Database
from tests.service.house import APPLIED, PENDING, Another, House, until

HOUR = 3600
HALF = timedelta(seconds=0.5)
GRACE = timedelta(seconds=1)


def names(database: Database, game_id: UUID) -> list[str]:
    return [json.loads(public)["name"] for _, public, _ in database.events(game_id)]


def first_of(database: Database, game_id: UUID, name: str) -> dict[str, Any]:
    """The public form of the first event of this name."""
    found: dict[str, Any] = next(
        public for public in (json.loads(text) for _, text, _ in database.events(game_id)) if public["name"] == name
    )
    return found


async def due(house: House, game_id: UUID) -> datetime:
    deadline = (await house.seen(None, game_id)).game.deadline
    assert deadline is not None
    return deadline


def come_to(database: Database, when: datetime) -> None:
    """Put the clock so that it is this time now."""
    database.put_ahead(when - database.now())


async def at_turn(house: House) -> tuple[UUID, Player, datetime]:
    """A game for two with a deadline of an hour: its id, who is awaited, and until when."""
    game_id = await house.table(*await house.players(2), turn_seconds=HOUR)
    return game_id, await house.awaited(game_id), await due(house, game_id)


async def test_a_deadline_is_a_fact_and_a_timer(house: House) -> None:
    game_id, _, deadline = await at_turn(house)
    started = first_of(house.database, game_id, "game.deadline_set")
    assert started["data"]["deadline"] == time_text(deadline)
    assert house.database.ask("select kind, seat, due from timers where game_id = %s", game_id) == [
        ("lapse", -1, deadline)
    ]
    assert house.database.ask("select deadline from games where game_id = %s", game_id) == [(deadline,)]


async def test_nobody_is_lapsed_before_the_deadline_and_the_grace(house: House) -> None:
    game_id, _, deadline = await at_turn(house)
    for early in (deadline - HALF, deadline + GRACE - HALF):
        come_to(house.database, early)
        await house.sweep()
    assert "game.lapsed" not in names(house.database, game_id)


async def test_whoever_is_awaited_is_lapsed_once_the_deadline_and_the_grace_are_over(house: House) -> None:
    game_id, player, deadline = await at_turn(house)
    seat = (await house.seen(player, game_id)).my_seat
    come_to(house.database, deadline + GRACE + HALF)
    await house.sweep()
    lapsed = first_of(house.database, game_id, "game.lapsed")
    assert lapsed["data"] == {"seat": seat}
    assert lapsed["actor"] == "clock"
    assert lapsed["cause"] == {"deadline": time_text(deadline)}
    assert (await due(house, game_id)) > deadline + timedelta(seconds=HOUR)


async def test_a_deadline_lapses_once_however_many_sweep(house: House, neighbour: House) -> None:
    game_id, _, deadline = await at_turn(house)
    for nth in range(1, 4):
        come_to(house.database, deadline + GRACE + HALF)
        await asyncio.gather(*(one.sweep() for one in (house, neighbour, house, neighbour)))
        await asyncio.gather(*(one.sweep() for one in (house, neighbour)))
        assert names(house.database, game_id).count("game.lapsed") == nth
        deadline = await due(house, game_id)


@pytest.mark.parametrize("stall", [0, 0.4, 0.6, 1, 2, 5, 10])
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
async def test_a_turn_received_in_time_wins_however_late_it_is_committed(
    house: House, neighbour: House, stall: float, elsewhere: bool
) -> None:
    game_id, player, deadline = await at_turn(house)
    sweeping = neighbour if elsewhere else house
    come_to(house.database, deadline - HALF)
    async with house.stalling(player, game_id, DraftStack(0)) as (submission_id, received_at):
        assert received_at <= deadline
        for _ in range(2):
            house.database.put_ahead(timedelta(seconds=stall / 2))
            await sweeping.sweep()
            assert "game.lapsed" not in names(house.database, game_id)
    come_to(house.database, max(house.database.now(), deadline + 3 * GRACE))
    await sweeping.sweep()
    receipt = await house.service.receipt(player, game_id, submission_id)
    assert receipt is not None
    assert receipt.status is APPLIED
    assert "game.lapsed" not in names(house.database, game_id)


@pytest.mark.parametrize("stall", [0, 0.6, 1, 2, 5, 10])
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
async def test_a_turn_received_late_loses_however_soon_it_is_committed(
    house: House, neighbour: House, stall: float, elsewhere: bool
) -> None:
    game_id, player, deadline = await at_turn(house)
    seat = (await house.seen(player, game_id)).my_seat
    sweeping = neighbour if elsewhere else house
    come_to(house.database, deadline + timedelta(seconds=0.05))
    async with house.stalling(player, game_id, DraftStack(0)) as (submission_id, received_at):
        assert deadline < received_at
        house.database.put_ahead(timedelta(seconds=stall))
        await sweeping.sweep()
    come_to(house.database, max(house.database.now(), deadline + 3 * GRACE))
    await sweeping.sweep()
    await sweeping.sweep()
    lapsed = first_of(house.database, game_id, "game.lapsed")
    assert lapsed["data"] == {"seat": seat}
    receipt = await house.service.receipt(player, game_id, submission_id)
    assert receipt is not None
    assert receipt.status is not PENDING
    assert receipt.first_version is None or receipt.first_version > lapsed["version"]


async def test_a_turn_received_while_somebody_takes_long_to_look_at_the_clock_is_in_time(own_house: House) -> None:
    own_house.database.do(
        """
        create or replace function slowlight_now() returns timestamptz language plpgsql as '
        begin
            if current_query() like ''%%update timers%%'' then
                perform pg_sleep(0.6);
            end if;
            return clock_timestamp() + ahead from clock;
        end'
        """
    )
    game_id, player, deadline = await at_turn(own_house)
    come_to(own_house.database, deadline - timedelta(seconds=0.3))
    looking = asyncio.create_task(own_house.sweep())
    await asyncio.sleep(0.1)
    async with own_house.stalling(player, game_id, DraftStack(0)) as (submission_id, received_at):
        assert received_at < deadline
        await looking
        own_house.database.put_ahead(3 * GRACE)
        await own_house.sweep()
        assert "game.lapsed" not in names(own_house.database, game_id)
    await own_house.sweep()
    receipt = await own_house.service.receipt(player, game_id, submission_id)
    assert receipt is not None
    assert receipt.status is APPLIED


async def test_a_late_turn_waits_for_the_lapse_and_is_decided_after_it(house: House) -> None:
    game_id, player, deadline = await at_turn(house)
    come_to(house.database, deadline + timedelta(seconds=0.05))
    late = await house.send(player, game_id, DraftStack(0), wait=0)
    assert (await house.receipt(player, late)).status is PENDING
    come_to(house.database, deadline + 2 * GRACE)
    await house.sweep()
    assert (await house.receipt(player, late)).status is not PENDING
    assert "game.lapsed" in names(house.database, game_id)


async def test_a_turn_in_time_makes_room_for_the_late_one_that_waited(house: House) -> None:
    game_id, player, deadline = await at_turn(house)
    (rival,) = {one for one in (await house.seen(None, game_id)).players if one is not None} - {player}
    come_to(house.database, deadline - HALF)
    async with house.stalling(player, game_id, DraftStack(0)) as (submission_id, _):
        come_to(house.database, deadline + 2 * GRACE)
        late = await house.send(rival, game_id, DraftStack(1), wait=0)
        assert late.status is PENDING
        await house.sweep()
        assert (await house.receipt(rival, late)).status is PENDING
    house.database.put_ahead(2 * GRACE)
    await house.sweep()
    on_time = await house.service.receipt(player, game_id, submission_id)
    assert on_time is not None
    assert on_time.status is APPLIED
    after = await house.receipt(rival, late)
    assert after.status is APPLIED
    assert on_time.version is not None
    assert after.first_version == on_time.version + 1


async def test_more_late_turns_than_one_flush_takes_do_not_keep_the_clock_from_acting(house: House) -> None:
    game_id, _, deadline = await at_turn(house)
    come_to(house.database, deadline + timedelta(seconds=0.05))
    strangers = await house.players(5)
    late = [
        (stranger, await house.send(stranger, game_id, Resign(), wait=0)) for stranger in strangers for _ in range(16)
    ]
    assert {receipt.status for _, receipt in late} == {PENDING}
    come_to(house.database, deadline + 2 * GRACE)
    await house.sweep()
    assert "game.lapsed" in names(house.database, game_id)
    for stranger, receipt in late:
        await house.settled(stranger, receipt)


async def test_more_turns_in_time_than_one_flush_takes_all_go_before_the_lapse(house: House) -> None:
    game_id, player, deadline = await at_turn(house)
    strangers = await house.players(4)
    with house.database.holding(game_id):
        come_to(house.database, deadline - timedelta(seconds=20))
        for stranger in strangers:
            for _ in range(16):
                await house.send(stranger, game_id, Resign(), wait=0)
        last = await house.send(player, game_id, DraftStack(0), wait=0)
        come_to(house.database, deadline + 2 * GRACE)
        await house.sweep()
    assert (await house.settled(player, last)).status is APPLIED
    await house.sweep()
    assert "game.lapsed" not in names(house.database, game_id)


async def test_a_deadline_that_moves_replaces_its_timer(house: House) -> None:
    game_id, player, deadline = await at_turn(house)
    house.database.put_ahead(timedelta(minutes=10))
    assert (await house.turn(player, game_id)).status is APPLIED
    moved = await due(house, game_id)
    assert moved > deadline + timedelta(minutes=9)
    assert house.database.ask("select kind, due, fence from timers where game_id = %s", game_id) == [
        ("lapse", moved, None)
    ]
    come_to(house.database, deadline + 2 * GRACE)
    await house.sweep()
    assert "game.lapsed" not in names(house.database, game_id)


async def test_a_game_without_a_deadline_never_lapses(house: House) -> None:
    game_id = await house.table(*await house.players(2))
    assert house.database.ask("select from timers where game_id = %s", game_id) == []
    house.database.put_ahead(timedelta(days=100))
    await house.sweep()
    assert "game.lapsed" not in names(house.database, game_id)


async def test_a_game_that_is_over_has_no_timer(house: House) -> None:
    game_id, player, _ = await at_turn(house)
    assert (await house.send(player, game_id, Resign())).status is APPLIED
    assert house.database.ask("select from timers where game_id = %s", game_id) == []


async def test_a_game_that_stays_open_for_30_days_expires(house: House) -> None:
    host, late = await house.players(2)
    game_id = await house.open(host, OpenGame("gravwell", 3))
    opened_at = (await house.seen(host, game_id)).created_at
    come_to(house.database, opened_at + timedelta(days=30) - HALF)
    await house.sweep()
    assert "game.ended" not in names(house.database, game_id)
    come_to(house.database, opened_at + timedelta(days=30) + 2 * GRACE)
    too_late = await house.send(late, game_id, TakeSeat(), wait=0)
    assert too_late.status is PENDING
    await house.sweep()
    assert names(house.database, game_id)[-2:] == ["game.ended", "game.secret_opened"]
    ended = first_of(house.database, game_id, "game.ended")
    assert ended["data"] == {"ranking": [], "reason": "expired"}
    assert ended["cause"] == {"deadline": time_text(opened_at + timedelta(days=30))}
    assert house.database.ask("select from timers where game_id = %s", game_id) == []
    refused = (await house.receipt(late, too_late)).refusal
    assert refused is not None
    assert refused.code == "GAME_OVER"


async def test_a_game_that_starts_or_is_cancelled_does_not_expire(house: House) -> None:
    started = await house.table(*await house.players(2))
    host = await house.player()
    cancelled = await house.open(host, OpenGame("gravwell", 2))
    assert (await house.send(host, cancelled, LeaveSeat())).status is APPLIED
    house.database.put_ahead(timedelta(days=31))
    await house.sweep()
    for game_id in (started, cancelled):
        assert "expired" not in str(house.database.events(game_id))


async def test_a_worker_lapses_by_itself(another: Another) -> None:
    async with another() as house:
        game_id, _, deadline = await at_turn(house)
        come_to(house.database, deadline + 2 * GRACE)
        await until(lambda: "game.lapsed" in names(house.database, game_id))
    assert names(house.database, game_id).count("game.lapsed") == 1
