"""House bots: they move by themselves through the same door as people, and one that fails costs its seat a lapse."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from anyio import to_process
from psycopg.rows import class_row
from structlog.testing import LogCapture

from domain.catalogue import AnyRuleset
from domain.chance import Draws
from domain.game import OpenGame, Status, TakeSeat
from service import store
from service.bots import LEASE, LEASED_MAX, PACE_SECONDS, THINK_SECONDS_MAX, Bots, _awake, rest_of_pace
from service.deciding import Timer
from service.process import Role
from service.seen import Refusal
from service.streams import bot_id
from service.writer import Answer, Incoming, known_under
from tests.rulesets.toy import TOY, Guess, View
from tests.service.house import APPLIED, Another, House, incoming, until

Offer = Callable[[AnyRuleset], None]


def sleepy(view: View, legal: tuple[Guess, ...], draws: Draws) -> Guess:
    time.sleep(60)
    return legal[0]


def unruly(view: View, legal: tuple[Guess, ...], draws: Draws) -> Guess:
    """Chooses what is refused, and never the same."""
    return Guess(100 + draws("advice").below(2**32))


def broken(view: View, legal: tuple[Guess, ...], draws: Draws) -> Guess:
    raise ValueError("the number is a secret")


def dying(view: View, legal: tuple[Guess, ...], draws: Draws) -> Guess:
    os._exit(1)


def unheard(view: View, legal: tuple[Guess, ...], draws: Draws) -> Any:
    return "three"


def publics(house: House, game_id: UUID) -> list[dict[str, Any]]:
    return [json.loads(public) for _, public, _ in house.database.events(game_id)]


async def against_a_bot(house: House) -> UUID:
    """A game of the toy title, whose seat 1 is a house bot's."""
    return await house.open(await house.player(), OpenGame("toy", 2, bots=1))


def lapses_of(house: House, game_id: UUID, seat: int) -> list[dict[str, Any]]:
    return [
        event for event in publics(house, game_id) if event["name"] == "game.lapsed" and event["data"]["seat"] == seat
    ]


def due(house: House, game_id: UUID) -> list[Any]:
    return house.database.ask("select seat, version from timers where game_id = %s and kind = 'bot'", game_id)


def bots_of(house: House) -> Bots:
    """A worker that moves bots only when it is told to."""
    return Bots(house.pool, house.service._streams, house.writer)


async def test_bots_play_a_whole_game_by_themselves(another: Another) -> None:
    async with another() as house:
        host = await house.player()
        game_id = await house.open(host, OpenGame("gravwell", 2, sit=False, bots=2))

        async def over() -> bool:
            return (await house.seen(None, game_id)).status is Status.ENDED

        await until(over, seconds_max=60)
        events = publics(house, game_id)
        assert events[-1]["name"] == "game.secret_opened"
        assert not [event for event in events if event["name"] == "game.lapsed"]
        assert {event["actor"] for event in events} == {"host", "seat:0", "seat:1"}
    assert house.database.ask("select from timers where game_id = %s", game_id) == []


async def test_a_bot_hands_in_its_move_under_the_version_that_opened_its_choice(own_house: House, offer: Offer) -> None:
    offer(TOY)
    game_id = await against_a_bot(own_house)
    ((seat, version),) = due(own_house, game_id)
    assert await bots_of(own_house).move() == 1
    rows = own_house.database.ask("select sender_id, key, status from submissions where key like 'bot/%%'")
    assert rows == [(bot_id(game_id, seat), f"bot/{version}", "APPLIED")]
    assert due(own_house, game_id) == []
    assert await bots_of(own_house).move() == 0


async def test_when_a_bot_moves_does_not_say_how_long_it_thought(own_house: House, offer: Offer) -> None:
    offer(TOY)  # whose bot thinks for no time at all
    await against_a_bot(own_house)
    clock = asyncio.get_running_loop().time
    found = clock()
    await bots_of(own_house).move()
    assert clock() - found >= PACE_SECONDS


@pytest.mark.parametrize(("thought", "rest"), [(0.0, 0.0), (0.001, 0.099), (0.099, 0.001), (0.1, 0.0), (0.25, 0.05)])
def test_a_bot_hands_in_at_whole_multiples_of_its_pace(thought: float, rest: float) -> None:
    assert rest_of_pace(thought) == pytest.approx(rest)


async def test_a_ctrl_c_at_the_terminal_is_not_for_those_who_think() -> None:
    await to_process.run_sync(_awake)
    assert await to_process.run_sync(signal.getsignal, signal.SIGINT) == signal.SIG_IGN


async def test_a_bot_that_meets_an_odd_bug_takes_no_other_with_it(
    own_house: House, offer: Offer, monkeypatch: pytest.MonkeyPatch, logged: LogCapture
) -> None:
    offer(TOY)
    games = [await against_a_bot(own_house) for _ in range(3)]
    submit = own_house.writer.submit

    async def submitting(incoming: Incoming) -> Answer:
        if incoming.game_id == games[1]:
            raise LookupError
        return await submit(incoming)

    monkeypatch.setattr(own_house.writer, "submit", submitting)
    assert await bots_of(own_house).move() == 3
    assert [bool(due(own_house, game)) for game in games] == [False, True, False]
    (failed,) = [entry for entry in logged.entries if entry["event"] == "bot_failed"]
    assert (failed["game"], failed["error"]) == (str(games[1]), "LookupError")


async def test_a_bots_order_is_sealed_for_its_seat(own_house: House, offer: Offer) -> None:
    offer(TOY)
    game_id = await against_a_bot(own_house)
    await bots_of(own_house).move()
    (guessed,) = [event for event in publics(own_house, game_id) if event["name"] == "toy.guessed"]
    assert guessed["actor"] == "seat:1"
    assert guessed["sealed"]["number"]["to"] == [1]
    assert guessed["cause"]["seat"] == 1


@pytest.mark.parametrize("advise", [sleepy, unruly, broken, dying, unheard], ids=lambda advise: advise.__name__)
async def test_a_bot_that_fails_is_lapsed_and_the_game_goes_on(
    own_house: House, offer: Offer, advise: Callable[..., Any], logged: LogCapture
) -> None:
    offer(replace(TOY, advise=advise))
    game_id = await against_a_bot(own_house)
    ((due_at,),) = own_house.database.ask("select due from timers where game_id = %s and kind = 'bot'", game_id)
    assert await bots_of(own_house).move() == 1
    await own_house.quiet()
    (lapsed,) = lapses_of(own_house, game_id, 1)
    assert lapsed["cause"] == {"deadline": due_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
    assert lapsed["actor"] == "clock"
    assert (await own_house.seen(None, game_id)).status is Status.RUNNING
    assert "secret" not in str(logged.entries)


async def test_a_refused_move_that_another_worker_handed_in_before_it_died_lapses_the_bot(
    own_house: House, offer: Offer
) -> None:
    offer(replace(TOY, advise=unruly))
    game_id = await against_a_bot(own_house)
    ((seat, version),) = due(own_house, game_id)
    sender = bot_id(game_id, seat)
    dead = replace(incoming(await own_house.player(), game_id, '{"command":{"guess":{"number":99}}}'), sender_id=sender)
    answer = await own_house.writer.submit(replace(dead, key=f"bot/{version}"))
    assert not isinstance(answer, Refusal)
    await bots_of(own_house).move()
    await own_house.quiet()
    assert len(lapses_of(own_house, game_id, 1)) == 1


async def test_a_worker_that_dies_leaves_its_bots_to_the_next_once_the_lease_is_over(
    own_house: House, offer: Offer
) -> None:
    offer(TOY)
    game_id = await against_a_bot(own_house)
    own_house.database.do("update timers set leased_until = slowlight_now() + interval '20 s'")  # and then it died
    assert await bots_of(own_house).move() == 0
    own_house.database.put_ahead(timedelta(seconds=21))
    assert await bots_of(own_house).move() == 1
    assert due(own_house, game_id) == []


async def test_a_worker_that_is_told_to_stop_leaves_its_bots_to_the_next_at_once(
    own_house: House, offer: Offer
) -> None:
    offer(replace(TOY, advise=sleepy))
    await against_a_bot(own_house)
    leased = "select count(*) from timers where leased_until is not null"
    bots = bots_of(own_house)
    stopping = asyncio.create_task(bots.move())
    await until(bots._thinking.locked)
    assert own_house.database.ask(leased) == [(1,)]
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping
    assert own_house.database.ask(leased) == [(0,)]


async def test_two_workers_move_a_bot_once(own_house: House, offer: Offer) -> None:
    offer(TOY)
    games = [await against_a_bot(own_house) for _ in range(3)]
    first, second = bots_of(own_house), bots_of(own_house)
    assert await first.move() == 3
    own_house.database.do("update timers set leased_until = null")
    assert await second.move() == 0
    assert [len(due(own_house, game_id)) for game_id in games] == [0, 0, 0]


async def test_a_bot_that_is_thought_about_twice_moves_once(own_house: House, offer: Offer) -> None:
    offer(TOY)
    game_id = await against_a_bot(own_house)
    ((seat, version),) = due(own_house, game_id)
    params = {"most": 16, "lease": timedelta(0)}
    async with own_house.pool.connection() as connection:
        (timer,) = await store.rows(connection, "lease_bots", params, class_row(Timer))
    await bots_of(own_house)._move_one(timer)
    before = publics(own_house, game_id)
    await bots_of(own_house)._move_one(timer)
    await own_house.quiet()
    assert publics(own_house, game_id) == before
    async with own_house.pool.connection() as connection:
        assert await known_under(connection, game_id, bot_id(game_id, seat), f"bot/{version}") is not None


async def test_more_bots_than_can_think_at_once_are_none_of_them_too_slow(
    another: Another, offer: Offer, logged: LogCapture
) -> None:
    offer(replace(TOY, advise=pondering))
    async with another(Role.API) as house:
        games = [await house.open(await house.player(), OpenGame("toy", 4, bots=3)) for _ in range(2)]
        while await bots_of(house).move():
            await house.quiet()
        assert [lapses_of(house, game_id, seat) for game_id in games for seat in (1, 2, 3)] == [[]] * 6
    assert not [entry for entry in logged.entries if entry["event"] == "bot_too_slow"]


def test_a_lease_outlasts_all_the_thinking_that_is_leased_at_once() -> None:
    assert timedelta(seconds=LEASED_MAX * THINK_SECONDS_MAX) < LEASE


def pondering(view: View, legal: tuple[Guess, ...], draws: Draws) -> Guess:
    time.sleep(0.4)
    return legal[0]


async def test_a_bot_of_a_game_that_is_set_aside_rests(own_house: House, offer: Offer) -> None:
    offer(TOY)
    game_id = await against_a_bot(own_house)
    own_house.database.do("update games set quarantined_at = slowlight_now(), quarantine_cause = 'a test'")
    assert await bots_of(own_house).move() == 0
    own_house.database.do("update games set quarantined_at = null, quarantine_cause = null")
    assert await bots_of(own_house).move() == 1
    assert due(own_house, game_id) == []


async def test_one_game_whose_bots_cannot_even_look_keeps_no_other_from_moving(
    own_house: House, offer: Offer, logged: LogCapture
) -> None:
    def blind(state: Any, viewer: int | None) -> View:
        if state.options.generous:
            raise KeyError("the number is a secret")
        return TOY.view(state, viewer)

    offer(replace(TOY, view=blind))
    host = await own_house.player()
    blinded = await own_house.open(host, OpenGame("toy", 3, {"generous": True}, bots=1))
    assert (await own_house.send(await own_house.player(), blinded, TakeSeat())).status is APPLIED
    sound = await against_a_bot(own_house)
    await bots_of(own_house).move()
    await own_house.quiet()
    assert lapses_of(own_house, sound, 1) == []
    assert due(own_house, sound) == []
    assert len(lapses_of(own_house, blinded, 2)) == 1
    assert "secret" not in str(logged.entries)
