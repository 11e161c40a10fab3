"""A bug is no outage: a game whose rules fail is set aside alone, keeps what was sent, and waits for an operator."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from time import process_time
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import AsyncConnection
from structlog.testing import LogCapture

from domain.catalogue import AnyRuleset
from domain.chance import Draws
from domain.game import OpenGame, Resign, Status
from domain.ruleset import Setup
from service import operating, store
from service.operating import NotQuarantined
from service.seen import GameUpdate, Player
from tests.rulesets.toy import TOY, Event, Guess, Guessed, State
from tests.service.database import Database
from tests.service.house import APPLIED, PENDING, REFUSED, Another, House, until

Offer = Callable[[AnyRuleset], None]

SOUND = Guess(1)
RAISES, LOOPS, FLOODS, SWALLOWS = Guess(9), Guess(8), Guess(7), Guess(6)


def moody(state: State, seat: int, command: Guess, draws: Draws) -> tuple[Event, ...]:
    """Fails in one of four ways, and takes the guess of a number below six as it should."""
    match command:
        case Guess(9):
            whispered = f"the number is {state.number.known}"
            raise ValueError(whispered)
        case Guess(8):
            while True:
                draws("again").below(9)
        case Guess(7):
            return TOY.decide(state, seat, SOUND, draws)[:1] * 501
        case Guess(6):
            try:
                while True:
                    draws("again").below(9)
            except Exception:  # noqa: BLE001 - a rule that swallows whatever it can
                return ()
    return TOY.decide(state, seat, command, draws)


def unreadable(state: State | None, event: Event) -> State:
    """Cannot fold a guess any more."""
    if isinstance(event, Guessed):
        raise ZeroDivisionError(f"while {event.number.value} was guessed")
    return TOY.evolve(state, event)


def unending(state: State | None, event: Event) -> State:
    """Never comes to the end of a guess."""
    while isinstance(event, Guessed):
        pass
    return TOY.evolve(state, event)


MOODY = replace(TOY, decide=moody)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.writer.DECISION_SECONDS_MAX", 0.5)


@pytest.fixture
async def operator(own_database: Database) -> AsyncIterator[AsyncConnection[Any]]:
    """A connection such as the command line works on."""
    async with await store.connect(own_database.url) as connection:
        yield connection


def set_aside(house: House) -> list[UUID]:
    return [game_id for (game_id,) in house.database.ask("select game_id from games where quarantined_at is not null")]


def alarms(logged: LogCapture) -> list[Any]:
    return [entry for entry in logged.entries if entry["log_level"] == "critical"]


def names(house: House, game_id: UUID) -> list[str]:
    return [json.loads(public)["name"] for _, public, _ in house.database.events(game_id)]


async def two_games(house: House) -> tuple[list[Player], UUID, UUID]:
    """Two players and two games of theirs."""
    players = await house.players(2)
    return players, await house.table(*players, ruleset="toy"), await house.table(*players, ruleset="toy")


@pytest.mark.parametrize("bug", [RAISES, LOOPS, FLOODS, SWALLOWS], ids=["raises", "loops", "floods", "swallows"])
async def test_a_game_whose_rules_fail_is_set_aside_alone(
    own_house: House, offer: Offer, logged: LogCapture, bug: Guess
) -> None:
    offer(MOODY)
    (player, rival), bad, good = await two_games(own_house)
    failed, fine = await asyncio.gather(
        own_house.send(player, bad, bug, wait=0), own_house.send(player, good, SOUND, wait=0)
    )
    assert (failed.status, fine.status) == (PENDING, APPLIED)
    assert set_aside(own_house) == [bad]
    assert [(alarm["event"], alarm["game"]) for alarm in alarms(logged)] == [("game_quarantined", str(bad))]
    assert (await own_house.turn(rival, good)).status is APPLIED
    assert "toy.guessed" not in names(own_house, bad)


async def test_a_decision_too_slow_for_the_quick_path_is_taken_on_the_ordinary_way(
    own_house: House, offer: Offer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[float] = []

    def ponderous(state: State, seat: int, command: Guess, draws: Draws) -> tuple[Event, ...]:
        tries.append(process_time())
        while process_time() < tries[-1] + 0.1:
            pass
        return TOY.decide(state, seat, command, draws)

    monkeypatch.setattr("service.writer.QUICK_SECONDS_MAX", 0.02)
    monkeypatch.setattr("service.writer.DECISION_SECONDS_MAX", 2.0)
    offer(replace(TOY, decide=ponderous))
    (player, _), game_id, _ = await two_games(own_house)
    assert (await own_house.send(player, game_id, SOUND)).status is APPLIED
    assert len(tries) == 2
    assert set_aside(own_house) == []


async def test_of_a_flush_with_a_bug_nothing_of_that_game_is_written_and_all_of_the_others(
    own_house: House, offer: Offer
) -> None:
    offer(MOODY)
    (player, rival), bad, good = await two_games(own_house)
    with own_house.database.holding(bad):
        for sender, guess in ((player, SOUND), (rival, RAISES)):
            assert (await own_house.send(sender, bad, guess, wait=0)).status is PENDING
    await own_house.sweep()
    assert (await own_house.send(player, good, SOUND)).status is APPLIED
    await until(lambda: bool(set_aside(own_house)))  # a game that was held is looked at again a moment later
    await own_house.quiet()
    assert set_aside(own_house) == [bad]
    assert "toy.guessed" not in names(own_house, bad)
    assert own_house.database.ask("select count(*) from submissions where status = 'PENDING'") == [(2,)]


async def test_what_is_sent_to_a_game_set_aside_is_kept_and_raises_no_further_alarm(
    own_house: House, another: Another, offer: Offer, logged: LogCapture
) -> None:
    offer(MOODY)
    (player, rival), bad, _ = await two_games(own_house)
    await own_house.send(player, bad, RAISES, wait=0)
    kept = [await own_house.send(rival, bad, SOUND, wait=0) for _ in range(16)]
    assert await own_house.refused(rival, bad, SOUND) == "TOO_MANY_PENDING"
    async with another() as other:
        own_house.database.put_ahead(timedelta(seconds=5))
        await asyncio.gather(own_house.sweep(), other.sweep())
        await asyncio.gather(own_house.sweep(), other.sweep())
    assert {(await own_house.receipt(rival, receipt)).status for receipt in kept} == {PENDING}
    assert len(alarms(logged)) == 1


async def test_a_game_set_aside_is_seen_as_such_by_all(own_house: House, offer: Offer) -> None:
    offer(MOODY)
    (player, rival), bad, good = await two_games(own_house)
    await own_house.send(player, bad, RAISES, wait=0)
    for viewer in (player, rival, None):
        seen = await own_house.seen(viewer, bad)
        assert seen.status is Status.QUARANTINED
        assert seen.legal_turns == ()
        assert seen.view is not None
    quarantined = await own_house.service.games(None, Status.QUARANTINED, None, 10, None)
    running = await own_house.service.games(None, Status.RUNNING, None, 10, None)
    assert [[game.id for game in page.items] for page in (quarantined, running)] == [[bad], [good]]


async def test_the_clock_of_a_game_set_aside_stands_still(own_house: House, offer: Offer) -> None:
    offer(MOODY)
    player, rival = await own_house.players(2)
    bad = await own_house.table(player, rival, ruleset="toy", turn_seconds=60)
    await own_house.send(player, bad, RAISES, wait=0)
    own_house.database.put_ahead(timedelta(days=2))
    await own_house.sweep()
    await own_house.sweep()
    assert "game.lapsed" not in names(own_house, bad)


async def test_a_lapse_that_fails_sets_the_game_aside(own_house: House, offer: Offer, logged: LogCapture) -> None:
    def lapse(state: State, seat: int, draws: Draws) -> tuple[Event, ...]:
        raise LookupError(seat)

    offer(replace(TOY, lapse=lapse))
    bad = await own_house.table(*await own_house.players(2), ruleset="toy", turn_seconds=60)
    own_house.database.put_ahead(timedelta(seconds=62))
    await own_house.sweep()
    await own_house.sweep()
    assert set_aside(own_house) == [bad]
    assert [alarm["cause"] for alarm in alarms(logged)] == ["LookupError"]


async def test_a_game_that_does_not_fold_is_set_aside_when_there_is_something_to_decide(
    own_house: House, another: Another, offer: Offer, logged: LogCapture
) -> None:
    offer(TOY)
    (player, rival), bad, good = await two_games(own_house)
    await own_house.send(player, bad, SOUND)
    offer(replace(TOY, evolve=unreadable))
    async with another() as cold:
        failed, read = await asyncio.gather(
            cold.send(rival, bad, SOUND, wait=0), cold.refused(await cold.player(), good, SOUND)
        )
        assert (failed.status, read) == (PENDING, "NOT_SEATED")
        assert set_aside(own_house) == [bad]
        assert [alarm["cause"] for alarm in alarms(logged)] == ["ZeroDivisionError"]
        seen = await cold.seen(rival, bad)
        assert (seen.status, seen.view, seen.version) == (Status.QUARANTINED, None, len(names(own_house, bad)))
        assert [player.id if player else None for player in seen.players] == [player.id, rival.id]


@pytest.mark.parametrize("evolve", [unreadable, unending])
async def test_a_game_that_does_not_fold_is_seen_by_what_its_life_tells(
    own_house: House,
    another: Another,
    offer: Offer,
    monkeypatch: pytest.MonkeyPatch,
    evolve: Callable[[State | None, Event], State],
) -> None:
    monkeypatch.setattr("service.streams.FOLD_SECONDS_MAX", 0.1)
    offer(TOY)
    (player, rival), bad, _ = await two_games(own_house)
    await own_house.send(player, bad, SOUND)
    offer(replace(TOY, evolve=evolve))
    async with another() as cold:
        seen = await cold.seen(rival, bad)
        assert (seen.status, seen.my_seat, seen.view, seen.legal_turns) == (Status.RUNNING, 1, None, ())
        assert seen.my_turn_since is None
        assert bad in [game.id for game in (await cold.service.my_games(rival, None, 10, None)).items]
        then = await cold.seen(rival, bad, at=seen.version)
        assert (then.version, then.status, then.my_seat, then.view) == (seen.version, Status.RUNNING, 1, None)
        told = cold.service.follow(rival, bad, 0)
        update = await anext(told)
        assert isinstance(update, GameUpdate)
        assert update.version == seen.version
        await told.aclose()


async def test_rules_that_never_begin_a_game_hold_nobody_up(
    own_house: House, offer: Offer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(setup: Setup, draws: Draws) -> tuple[Event, ...]:
        while setup.options.generous:
            draws("again").below(9)
        return TOY.start(setup, draws)

    monkeypatch.setattr("service.slowlight.DECISION_SECONDS_MAX", 0.1)
    offer(replace(TOY, start=start))
    host = await own_house.player()
    with pytest.raises(RuntimeError):
        await own_house.open(host, OpenGame("toy", 3, {"generous": True}))
    assert own_house.database.ask("select from games") == []
    await own_house.open(host, OpenGame("toy", 3))


async def test_the_alarm_and_everything_else_that_is_logged_tells_no_secret(
    own_house: House, another: Another, offer: Offer, logged: LogCapture
) -> None:
    offer(MOODY)
    (player, rival), first, second = await two_games(own_house)
    await own_house.send(player, first, RAISES, wait=0)
    await own_house.send(player, second, Guess(5))
    offer(replace(TOY, evolve=unreadable))
    async with another() as cold:
        await cold.send(rival, second, SOUND, wait=0)
    assert sorted(set_aside(own_house)) == sorted([first, second])
    said = str(logged.entries)
    assert "the number is" not in said
    assert "was guessed" not in said
    for (secret,) in own_house.database.ask("select secret from games"):
        assert secret.hex() not in said
        assert str(secret) not in said
    for (content,) in own_house.database.ask("select content from submissions"):
        assert content not in said


async def test_a_game_released_goes_on_with_what_was_kept(
    own_house: House, operator: AsyncConnection[Any], offer: Offer
) -> None:
    offer(MOODY)
    player, rival = await own_house.players(2)
    bad = await own_house.table(player, rival, ruleset="toy", turn_seconds=60)
    kept = await own_house.send(player, bad, RAISES, wait=0)
    later = await own_house.send(rival, bad, SOUND, wait=0)
    own_house.database.put_ahead(timedelta(hours=1))
    offer(TOY)  # a release that knows better
    version = await operating.release(operator, bad)
    released = [json.loads(public) for _, public, _ in own_house.database.events(bad)][-2:]
    assert [(event["name"], event["actor"]) for event in released] == [
        ("game.released", "host"),
        ("game.deadline_set", "host"),
    ]
    assert released[0]["cause"] == {"operator": "release"}
    assert released[-1]["version"] == version
    assert (await own_house.seen(player, bad)).status is Status.RUNNING
    await own_house.sweep()
    assert (await own_house.settled(player, kept)).status is APPLIED
    assert (await own_house.settled(rival, later)).status is APPLIED
    assert "game.lapsed" not in names(own_house, bad)
    deadline = (await own_house.seen(None, bad)).game.deadline
    assert deadline is not None
    assert timedelta(seconds=50) < deadline - own_house.database.now() <= timedelta(seconds=60)


async def test_a_game_released_too_early_is_set_aside_again(
    own_house: House, operator: AsyncConnection[Any], offer: Offer, logged: LogCapture
) -> None:
    offer(MOODY)
    (player, _), bad, _ = await two_games(own_house)
    kept = await own_house.send(player, bad, RAISES, wait=0)
    await operating.release(operator, bad)
    own_house.database.put_ahead(timedelta(seconds=2))
    await own_house.sweep()
    assert set_aside(own_house) == [bad]
    assert len(alarms(logged)) == 2
    assert (await own_house.receipt(player, kept)).status is PENDING


async def test_a_game_whose_fold_never_ends_is_set_aside_alone(
    own_house: House, another: Another, offer: Offer, logged: LogCapture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.streams.FOLD_SECONDS_MAX", 0.1)
    offer(TOY)
    (player, rival), bad, good = await two_games(own_house)
    await own_house.send(player, bad, SOUND)
    offer(replace(TOY, evolve=unending))
    async with another() as cold:
        assert (await cold.send(rival, bad, SOUND, wait=0)).status is PENDING
        assert (await cold.send(rival, good, Resign())).status is APPLIED
    assert set_aside(own_house) == [bad]
    assert [alarm["cause"] for alarm in alarms(logged)] == ["Unending"]


async def test_a_game_that_still_does_not_fold_is_not_released(
    own_house: House, operator: AsyncConnection[Any], another: Another, offer: Offer
) -> None:
    offer(TOY)
    (player, rival), bad, _ = await two_games(own_house)
    await own_house.send(player, bad, SOUND)
    offer(replace(TOY, evolve=unreadable))
    async with another() as cold:
        await cold.send(rival, bad, SOUND, wait=0)
    before = names(own_house, bad)
    with pytest.raises(operating.DoesNotFold, match=r"^ZeroDivisionError$"):
        await operating.release(operator, bad)
    assert set_aside(own_house) == [bad]
    assert names(own_house, bad) == before


async def test_a_game_is_ended_without_asking_its_rules(
    own_house: House, operator: AsyncConnection[Any], another: Another, offer: Offer
) -> None:
    offer(TOY)
    player, rival = await own_house.players(2)
    bad = await own_house.table(player, rival, ruleset="toy", turn_seconds=60)
    await own_house.send(player, bad, SOUND)
    offer(replace(TOY, evolve=unreadable))
    async with another() as cold:
        kept = await cold.send(rival, bad, SOUND, wait=0)
        assert await operating.end(operator, bad) == len(names(own_house, bad))
        refused = await cold.receipt(rival, kept)
        assert refused.status is REFUSED
        assert refused.refusal is not None
        assert refused.refusal.code == "GAME_OVER"
        assert await cold.refused(rival, bad, SOUND) == "GAME_OVER"
        seen = await cold.seen(None, bad)
        assert (seen.status, seen.opened, seen.view) == (Status.ENDED, True, None)
        assert seen.outcome is not None
        assert seen.outcome.reason == "ended_by_operator"
        history = await cold.service.history(seen, 100, None, None, None)
        assert history.items[-1].data == {"secret": own_house.database.ask("select secret from games")[0][0].hex()}
    ending = [json.loads(public) for _, public, _ in own_house.database.events(bad)][-2:]
    assert [event["name"] for event in ending] == ["game.ended", "game.secret_opened"]
    assert ending[0]["cause"] == {"operator": "end"}
    assert own_house.database.ask("select from timers where game_id = %s", bad) == []
    assert own_house.database.ask("select status, awaiting, deadline, quarantined_at from games") == [
        ("ENDED", [], None, None)
    ]


async def test_only_a_game_set_aside_can_be_released_or_ended(
    own_house: House, operator: AsyncConnection[Any], offer: Offer
) -> None:
    offer(TOY)
    _, good, _ = await two_games(own_house)
    for game_id in (good, uuid4()):
        for what in (operating.release, operating.end):
            with pytest.raises(NotQuarantined):
                await what(operator, game_id)
    assert "game.ended" not in names(own_house, good)
