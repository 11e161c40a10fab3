"""The statement that writes what was decided in memory: a game for which a guard does not hold is not touched."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, LiteralString
from uuid import UUID

import pytest
from psycopg import sql

from domain.game import AddEntropy, LeaveSeat, OpenGame, TakeSeat
from domain.rulesets.gravwell.commands import DraftStack
from service import store
from service.deciding import Change, Pending, settle
from service.seen import Player
from service.streams import Stream, game_rows
from service.writer import Incoming, _Flush, _quick_params
from tests.service.database import Database
from tests.service.house import APPLIED, House, incoming

TICK: Final = timedelta(microseconds=1)
SECOND: Final = timedelta(seconds=1)
HALF: Final = timedelta(seconds=0.5)
NOTHING: Final = timedelta(0)

KEY: Final = "the key of the second seat"


@pytest.fixture(scope="module")
def now(database: Database) -> datetime:
    """The time at which the clock of this module's database stands still."""
    now = database.now()
    with database.owner() as connection:
        stopped = sql.SQL("create or replace function slowlight_now() returns timestamptz language sql as {}")
        connection.execute(stopped.format(sql.Literal(f"select timestamptz '{now.isoformat()}'")))
    return now


Decided = tuple[Player, UUID, Change]


async def before_the_start(house: House, proposed: datetime) -> Decided:
    """Who gives to the chance of which open game, and what that changes."""
    host, other = await house.players(2)
    game_id = await house.open(host, OpenGame("gravwell", 3, turn_seconds=3600))
    assert (await house.send(other, game_id, TakeSeat())).status is APPLIED
    return other, game_id, await decided(house, incoming(other, game_id, AddEntropy("ab" * 16), KEY), proposed)


async def at_turn(house: House, proposed: datetime) -> Decided:
    """Who is to move in which running game with a deadline, and what their move changes: all that `quick` writes."""
    players = await house.players(2)
    game_id = await house.table(*players, turn_seconds=3600)
    first = await house.awaited(game_id)
    return first, game_id, await decided(house, incoming(first, game_id, DraftStack(0), KEY), proposed)


async def decided(house: House, submission: Incoming, proposed: datetime) -> Change:
    """What a submission received at this time would change, decided on the present head."""
    async with house.pool.connection() as connection:
        (row,) = await game_rows(connection, [submission.game_id])
        loaded = await house.service._streams.load(connection, {row.game_id: row.version})
    stream = loaded[submission.game_id]
    assert isinstance(stream, Stream)
    change = Change(stream, stream)
    game_id, sender_id, key = submission.scope
    settle(change, Pending(game_id, sender_id, key, submission.submission_id, submission.content, proposed), proposed)
    return change


async def write(house: House, *changes: Change) -> list[UUID]:
    """Run the statement as the writer does; gives the games that took part."""
    params = _quick_params(_Flush(changes={change.after.game_id: change for change in changes}))
    async with await store.connect(house.database.url) as connection:
        return [game_id for _, game_id in await store.rows(connection, "quick", params) if game_id is not None]


def outcomes(house: House, game_id: UUID, sender: Player) -> Sequence[Any]:
    return house.database.ask(
        "select status, version from submissions where game_id = %s and sender_id = %s and key = %s",
        *(game_id, sender.id, KEY),
    )


async def refuses(house: House, change: Change) -> None:
    """The game does not take part, and nothing of it is written."""
    before = house.database.dumped()
    assert await write(house, change) == []
    assert house.database.dumped() == before


async def test_a_game_takes_part_when_everything_holds(house: House, now: datetime) -> None:
    first, game_id, change = await at_turn(house, now + HALF)
    assert await write(house, change) == [game_id]
    version = change.after.head.version
    assert len(house.database.events(game_id)) == version > change.before.head.version
    assert outcomes(house, game_id, first) == [("APPLIED", version)]
    assert change.after.game.deadline == now + HALF + timedelta(hours=1)
    assert house.database.ask("select status, deadline from games where game_id = %s", game_id) == [
        ("RUNNING", change.after.game.deadline)
    ]
    assert house.database.ask("select kind, due from timers where game_id = %s", game_id) == [
        ("lapse", change.after.game.deadline)
    ]


async def test_what_changes_who_sits_where_or_ends_a_timer_is_left_to_the_ordinary_way(
    house: House, now: datetime
) -> None:
    host, other, third = await house.players(3)
    game_id = await house.open(host, OpenGame("gravwell", 3))
    seated = await decided(house, incoming(other, game_id, TakeSeat()), now)
    assert [one.status for one in seated.settled] == ["APPLIED"]
    assert not seated.is_quick
    assert (await house.send(other, game_id, TakeSeat())).status is APPLIED
    assert not (await decided(house, incoming(other, game_id, LeaveSeat()), now)).is_quick
    started = await decided(house, incoming(third, game_id, TakeSeat()), now)
    ended = replace(started, before=replace(started.before, players=started.after.players))
    assert not ended.is_quick, "the game is open no longer, so it does not expire"
    assert (await decided(house, incoming(other, game_id, AddEntropy("ab" * 16)), now)).is_quick


SPOILS: Final[dict[str, LiteralString]] = {
    "it is set aside": "update games set quarantined_at = now(), quarantine_cause = 'a test' where game_id = %s",
    "something is pending": (
        "insert into submissions (game_id, sender_id, key, submission_id, content, received_at, status)"
        " values (%s, gen_random_uuid(), 'another', gen_random_uuid(), '{}', now(), 'PENDING')"
    ),
}


@pytest.mark.parametrize("spoil", SPOILS.values(), ids=SPOILS.keys())
async def test_a_game_takes_no_part_when(house: House, now: datetime, spoil: LiteralString) -> None:
    _, game_id, change = await before_the_start(house, now)
    assert house.database.do(spoil, game_id) == 1
    await refuses(house, change)


async def test_a_game_whose_head_has_moved_takes_no_part(house: House, now: datetime) -> None:
    _, game_id, change = await before_the_start(house, now)
    third = await house.player()
    assert (await house.send(third, game_id, TakeSeat())).status is APPLIED
    await refuses(house, change)


async def test_a_refusal_that_was_decided_at_a_head_that_has_moved_is_not_written(house: House, now: datetime) -> None:
    host, other, third = await house.players(3)
    game_id = await house.open(host, OpenGame("gravwell", 3))
    change = await decided(house, incoming(third, game_id, AddEntropy("ab" * 16), KEY), now)
    assert [one.status for one in change.settled] == ["REFUSED"]
    assert (await house.send(other, game_id, TakeSeat())).status is APPLIED
    await refuses(house, change)


async def test_a_game_that_somebody_holds_takes_no_part(house: House, now: datetime) -> None:
    _, game_id, change = await before_the_start(house, now)
    with house.database.holding(game_id):
        await refuses(house, change)


async def test_a_game_that_knows_a_key_takes_no_part(house: House, now: datetime) -> None:
    other, game_id, change = await before_the_start(house, now)
    house.database.do(
        "insert into submissions (game_id, sender_id, key, submission_id, content, received_at, status, refusal)"
        " values (%s, %s, %s, gen_random_uuid(), '{}', now(), 'REFUSED', '{}')",
        game_id,
        other.id,
        KEY,
    )
    await refuses(house, change)


async def test_a_key_that_another_sender_or_another_game_knows_is_no_hindrance(house: House, now: datetime) -> None:
    other, game_id, change = await before_the_start(house, now)
    house.database.do(
        "insert into submissions (game_id, sender_id, key, submission_id, content, received_at, status, refusal)"
        " values (%s, gen_random_uuid(), %s, gen_random_uuid(), '{}', now(), 'REFUSED', '{}'),"
        " (gen_random_uuid(), %s, %s, gen_random_uuid(), '{}', now(), 'REFUSED', '{}')",
        *(game_id, KEY, other.id, KEY),
    )
    assert await write(house, change) == [game_id]


@pytest.mark.parametrize("off", [SECOND, -SECOND])
async def test_a_time_proposed_within_a_second_is_right(house: House, now: datetime, off: timedelta) -> None:
    _, game_id, change = await before_the_start(house, now + off)
    assert await write(house, change) == [game_id]


@pytest.mark.parametrize("off", [SECOND + TICK, -SECOND - TICK])
async def test_a_time_proposed_more_than_a_second_off_is_not(house: House, now: datetime, off: timedelta) -> None:
    _, _, change = await before_the_start(house, now + off)
    await refuses(house, change)


TIMED: Final[dict[str, Callable[[House, datetime], Any]]] = {"expire": before_the_start, "lapse": at_turn}
"""A game that has a timer of this kind."""


@pytest.mark.parametrize("kind", TIMED)
@pytest.mark.parametrize(
    ("due", "proposed"),
    [(NOTHING, -HALF), (-TICK, -HALF), (HALF, HALF), (HALF - TICK, HALF), (-HALF, NOTHING)],
    ids=["due now", "due before now", "due when proposed", "due before proposed", "due before both"],
)
async def test_a_game_that_the_clock_is_to_act_on_first_takes_no_part(
    house: House, now: datetime, kind: str, due: timedelta, proposed: timedelta
) -> None:
    _, game_id, change = await TIMED[kind](house, now + proposed)
    assert house.database.do("update timers set due = %s where game_id = %s and kind = %s", now + due, game_id, kind)
    await refuses(house, change)


@pytest.mark.parametrize("kind", TIMED)
@pytest.mark.parametrize("proposed", [-HALF, HALF])
async def test_a_game_whose_time_is_not_up_takes_part(
    house: House, now: datetime, kind: str, proposed: timedelta
) -> None:
    _, game_id, change = await TIMED[kind](house, now + proposed)
    due = now + max(proposed, NOTHING) + TICK
    assert house.database.do("update timers set due = %s where game_id = %s and kind = %s", due, game_id, kind)
    assert await write(house, change) == [game_id]


async def test_a_bot_that_is_to_move_keeps_no_submission_waiting(house: House, now: datetime) -> None:
    _, game_id, change = await at_turn(house, now)
    house.database.do("insert into timers values (%s, 'bot', 0, %s, 1)", game_id, now - HALF)
    assert await write(house, change) == [game_id]


async def test_a_game_that_takes_no_part_keeps_no_other_from_it(house: House, now: datetime) -> None:
    _, spoiled, not_written = await before_the_start(house, now)
    other, sound, written = await before_the_start(house, now)
    house.database.do(SPOILS["it is set aside"], spoiled)
    assert await write(house, not_written, written) == [sound]
    assert len(house.database.events(spoiled)) == not_written.before.head.version
    assert outcomes(house, sound, other) == [("APPLIED", written.after.head.version)]
