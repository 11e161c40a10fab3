"""The writer: durable before it answers, one outcome a key, in order of receipt, whoever else is at work."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg.errors import DataError
from structlog.testing import LogCapture

from domain.catalogue import AnyRuleset
from domain.chance import Draws
from domain.game import AddEntropy, OpenGame, TakeSeat
from domain.ruleset import Refused
from domain.rulesets.gravwell.commands import DraftStack
from service.seen import Player, Receipt, Refusal
from tests.rulesets.toy import TOY, Event, Guess, State
from tests.service.house import APPLIED, PENDING, REFUSED, Another, House, incoming, until


async def open_game(house: House, players: int = 1) -> tuple[list[Player], UUID]:
    """A game that is still open, so that each seated player may add entropy, and those who sit in it."""
    host, *others = seated = await house.players(players)
    game_id = await house.open(host, OpenGame("gravwell", 4))
    for other in others:
        await house.send(other, game_id, TakeSeat())
    return seated, game_id


def entropy(number: int = 0) -> AddEntropy:
    return AddEntropy(f"{number:032x}")


def added(house: House, game_id: UUID) -> list[str]:
    """The entropies added to a game, in the order of its events."""
    events = [json.loads(public) for _, public, _ in house.database.events(game_id)]
    return [event["data"]["entropy"] for event in events if event["name"] == "game.entropy_added"]


def one_outcome_each(house: House, game_id: UUID) -> None:
    """Every submission of a game has exactly one outcome, and the events say the same as the receipts."""
    rows = house.database.ask(
        "select submission_id, status, first_version, version, hash from submissions where game_id = %s", game_id
    )
    events = {version: json.loads(public) for version, public, _ in house.database.events(game_id)}
    hashes: dict[int, bytes] = dict(house.database.ask("select version, hash from events where game_id = %s", game_id))
    caused = {
        event["cause"]["submission"]: version for version, event in events.items() if "submission" in event["cause"]
    }
    assert {status for _, status, *_ in rows} <= {"APPLIED", "REFUSED"}
    applied = {
        str(submission): (first, last, own) for submission, status, first, last, own in rows if status == "APPLIED"
    }
    assert {submission: first for submission, (first, _, _) in applied.items()} == caused
    for first, last, own_hash in applied.values():
        assert hashes[last] == own_hash
        assert all(events[version]["cause"] == {"first": first} for version in range(first + 1, last + 1))


@contextmanager
def counted(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many games each transaction of the ordinary way looked at."""
    looked_at: list[int] = []
    transact = house.writer._transact

    async def counting(connection: Any, received: Any, games: set[UUID], due: Any) -> Any:
        looked_at.append(len(games))
        return await transact(connection, received, games, due)

    monkeypatch.setattr(house.writer, "_transact", counting)
    yield looked_at


async def test_what_is_answered_is_durable(house: House) -> None:
    (player,), game_id = await open_game(house)
    for number in range(10):
        receipt = await house.send(player, game_id, entropy(number), wait=0)
        stored = house.database.ask(
            "select status, received_at, version, hash from submissions where submission_id = %s", receipt.id
        )
        assert stored == [(receipt.status, receipt.received_at, receipt.version, bytes.fromhex(receipt.hash or ""))]


async def test_a_receipt_tells_what_its_submission_caused(house: House) -> None:
    players = await house.players(2)
    game_id = await house.open(players[0], OpenGame("gravwell", 2))
    receipt = await house.send(players[1], game_id, TakeSeat())
    events = house.database.events(game_id)
    assert (receipt.first_version, receipt.version) == (3, len(events))
    assert json.loads(events[2][1])["cause"]["submission"] == str(receipt.id)
    assert [json.loads(public)["cause"] for _, public, _ in events[3:]] == [{"first": 3}] * (len(events) - 3)


async def test_what_is_refused_changes_nothing(house: House) -> None:
    (player,), game_id = await open_game(house)
    before = house.database.events(game_id)
    receipt = await house.send(player, game_id, DraftStack(0))
    assert receipt.status is REFUSED
    assert (receipt.first_version, receipt.version, receipt.hash) == (None, None, None)
    assert receipt.refusal is not None
    assert receipt.refusal.code == "NOT_STARTED"
    assert house.database.events(game_id) == before


async def test_a_key_that_is_repeated_answers_with_the_first_receipt(house: House, neighbour: House) -> None:
    (player,), game_id = await open_game(house)
    first = await house.send(player, game_id, entropy(), key="again")
    for again in (house, neighbour, house):
        assert await again.send(player, game_id, entropy(), key="again") == first
    assert len(added(house, game_id)) == 1


async def test_a_refused_key_stays_refused(house: House) -> None:
    (player,), game_id = await open_game(house)
    first = await house.send(player, game_id, DraftStack(0), key="early")
    others = await house.players(3)
    for other in others:
        await house.send(other, game_id, TakeSeat())
    assert await house.send(player, game_id, DraftStack(0), key="early") == first


async def test_fifty_at_once_under_one_key_are_one_submission(house: House, neighbour: House) -> None:
    (player,), game_id = await open_game(house)
    receipts = await asyncio.gather(
        *((house, neighbour)[nth % 2].send(player, game_id, entropy(), key="once") for nth in range(50))
    )
    assert len({(receipt.id, receipt.version) for receipt in receipts}) == 1
    assert {receipt.status for receipt in receipts} == {APPLIED}
    assert len(added(house, game_id)) == 1


async def test_a_key_that_stands_for_something_else_is_refused_and_receives_nothing(
    house: House, neighbour: House
) -> None:
    (player,), game_id = await open_game(house)
    await house.send(player, game_id, entropy(1), key="mine")
    for again in (house, neighbour):
        assert await again.service.submit(player, game_id, "mine", entropy(2)) == Refusal(
            "KEY_REUSED", "The key mine already stands for something else; nothing was received.", {"key": "mine"}
        )
    answer = await house.service.submit(player, game_id, "mine", entropy(1), expected_version=1)
    assert isinstance(answer, Refusal)
    assert len(added(house, game_id)) == 1


async def test_of_two_contents_at_once_under_one_key_one_is_received(house: House, neighbour: House) -> None:
    (player,), game_id = await open_game(house)
    answers = await asyncio.gather(
        *((house, neighbour)[nth % 2].service.submit(player, game_id, "torn", entropy(nth % 3)) for nth in range(24))
    )
    received = {answer.id for answer in answers if isinstance(answer, Receipt)}
    assert len(received) == 1
    assert {answer.code for answer in answers if isinstance(answer, Refusal)} == {"KEY_REUSED"}
    assert len(added(house, game_id)) == 1


async def test_a_key_is_one_players_in_one_game(house: House) -> None:
    (player, other), first = await open_game(house, 2)
    second = await house.open(player, OpenGame("gravwell", 4))
    receipts = [
        await house.send(player, first, entropy(1), key="k"),
        await house.send(other, first, entropy(2), key="k"),
        await house.send(player, second, entropy(3), key="k"),
    ]
    assert [receipt.status for receipt in receipts] == [APPLIED] * 3
    assert len({receipt.id for receipt in receipts}) == 3


async def test_sixteen_may_be_pending_and_all_settle_in_order_once_the_game_is_free(house: House) -> None:
    (player, other), game_id = await open_game(house, 2)
    with house.database.holding(game_id):
        receipts = [await house.send(player, game_id, entropy(number), wait=0) for number in range(16)]
        assert {receipt.status for receipt in receipts} == {PENDING}
        assert await house.refused(player, game_id, entropy(16)) == "TOO_MANY_PENDING"
        assert await house.send(player, game_id, entropy(3), key=receipts[3].key, wait=0) == receipts[3]
        theirs = await house.send(other, game_id, entropy(99), wait=0)
        assert theirs.status is PENDING
    settled = [await house.settled(player, receipt) for receipt in receipts]
    assert [receipt.status for receipt in settled] == [APPLIED] * 16
    assert (await house.settled(other, theirs)).status is APPLIED
    assert added(house, game_id) == [entropy(number).entropy for number in (*range(16), 99)]
    assert (await house.send(player, game_id, entropy(16))).status is APPLIED


async def test_what_arrives_together_is_received_in_the_order_in_which_it_came(house: House) -> None:
    (player, other), game_id = await open_game(house, 2)
    numbers = range(2 * 12)
    with house.database.holding(game_id):  # so that none is decided in memory
        arrivals = [incoming((player, other)[number % 2], game_id, entropy(number)) for number in numbers]
        receipts = await asyncio.gather(*(house.writer.submit(arrival) for arrival in arrivals))
    received = [receipt.received_at for receipt in receipts if isinstance(receipt, Receipt)]
    assert received == sorted(set(received))
    assert len(received) == len(numbers)
    await until(lambda: len(added(house, game_id)) == len(numbers))
    assert added(house, game_id) == [entropy(number).entropy for number in numbers]
    events = [json.loads(public) for _, public, _ in house.database.events(game_id)]
    caused = [event for event in events if event["name"] == "game.entropy_added"]
    assert [event for event in caused if event["at"] < event["cause"]["received_at"]] == []


async def test_twenty_at_once_are_at_most_sixteen_pending(house: House) -> None:
    (player,), game_id = await open_game(house)
    with house.database.holding(game_id):
        answers = await asyncio.gather(
            *(house.service.submit(player, game_id, f"k{number}", entropy(number), wait=0) for number in range(20))
        )
        kept = [answer for answer in answers if isinstance(answer, Receipt)]
        refused = [answer.code for answer in answers if isinstance(answer, Refusal)]
    assert len(kept) == 16
    assert refused == ["TOO_MANY_PENDING"] * 4
    for receipt in kept:
        assert (await house.settled(player, receipt)).status is APPLIED


async def test_a_sender_waits_for_the_outcome_as_long_as_they_say(house: House) -> None:
    (player,), game_id = await open_game(house)
    loop = asyncio.get_running_loop()
    with house.database.holding(game_id):
        began = loop.time()
        assert (await house.send(player, game_id, entropy(1), wait=0)).status is PENDING
        assert loop.time() - began < 1.5
        assert (await house.send(player, game_id, entropy(2), wait=0.6)).status is PENDING
        assert loop.time() - began > 0.6
        waiting = asyncio.create_task(house.send(player, game_id, entropy(3), wait=20))
        await asyncio.sleep(0.4)
        assert not waiting.done()
    assert (await waiting).status is APPLIED
    assert loop.time() - began < 10


@pytest.mark.parametrize("wait", [-0.1, 30.1, float("nan"), float("inf")])
async def test_nobody_waits_longer_than_is_allowed(house: House, wait: float) -> None:
    (player,), game_id = await open_game(house)
    assert await house.refused(player, game_id, entropy(), wait=wait) == "BAD_WAIT"


async def test_many_games_are_decided_in_one_transaction(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    (player,), first = await open_game(house)
    games = [first, *[await house.open(player, OpenGame("gravwell", 2)) for _ in range(29)]]
    house.service._streams.forget(games)
    with counted(house, monkeypatch) as looked_at:
        await asyncio.gather(*(house.writer.submit(incoming(player, game_id, entropy())) for game_id in games))
        assert looked_at == [30]
    for game_id in games:
        one_outcome_each(house, game_id)


async def test_a_row_that_cannot_be_stored_takes_no_neighbour_with_it(house: House) -> None:
    (player, other), game_id = await open_game(house, 2)
    second = await house.open(player, OpenGame("gravwell", 2))
    bad = incoming(player, second, '{"command":{"add_entropy":{"entropy":"\0"}}}')
    failed, same, another = await asyncio.gather(
        house.writer.submit(bad),
        house.send(other, game_id, entropy(1)),
        house.send(player, second, entropy(2)),
        return_exceptions=True,
    )
    assert isinstance(failed, DataError)
    for receipt in (same, another):
        assert isinstance(receipt, Receipt)
        assert receipt.status is APPLIED
    assert house.database.ask("select from submissions where submission_id = %s", bad.submission_id) == []


async def test_what_the_database_says_of_a_bad_row_is_not_logged(house: House, logged: LogCapture) -> None:
    (player,), game_id = await open_game(house)
    with pytest.raises(DataError):
        await house.writer.submit(incoming(player, game_id, '{"secret":"rosebud\0"}'))
    assert "rosebud" not in str(logged.entries)
    assert {entry["event"] for entry in logged.entries} == {"flush_failed", "row_failed"}


async def test_a_refusal_whose_code_has_no_text_is_still_an_answer(
    own_house: House, offer: Callable[[AnyRuleset], None]
) -> None:
    def decide(state: State, seat: int, command: Guess, draws: Draws) -> tuple[Event, ...]:
        raise Refused("UNSPOKEN", why="nobody wrote it down")

    offer(replace(TOY, decide=decide))
    player, rival = await own_house.players(2)
    game_id = await own_house.table(player, rival, ruleset="toy")
    receipt = await own_house.send(player, game_id, Guess(1))
    assert receipt.refusal == Refusal("UNSPOKEN", "UNSPOKEN", {"why": "nobody wrote it down"})


async def test_a_sender_who_goes_away_leaves_a_submission_and_takes_nothing(house: House) -> None:
    (player,), game_id = await open_game(house)
    gone = asyncio.create_task(house.send(player, game_id, entropy(1), key="gone"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    gone.cancel()
    assert (await house.send(player, game_id, entropy(2))).status is APPLIED
    receipt = await house.send(player, game_id, entropy(1), key="gone")
    assert receipt.status is APPLIED
    assert sorted(added(house, game_id)) == [entropy(1).entropy, entropy(2).entropy]


async def test_a_game_that_others_hold_is_looked_at_now_and_then_and_not_chased(
    another: Another, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with another() as house:
        (player,), game_id = await open_game(house)
        with counted(house, monkeypatch) as looked_at:
            with house.database.holding(game_id):
                receipt = await house.send(player, game_id, entropy(), wait=0)
                await asyncio.sleep(0.6)
            assert (await house.settled(player, receipt)).status is APPLIED
            assert 1 < len(looked_at) < 60


async def test_a_game_that_does_not_exist_is_not_looked_for_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    with counted(house, monkeypatch) as looked_at:
        house.writer.nudge([uuid4()])
        await asyncio.sleep(0.2)
        assert looked_at == [1]


async def test_two_processes_play_one_game_and_every_submission_has_one_outcome(house: House, neighbour: House) -> None:
    players = await house.players(4)
    game_id = await house.table(*players)
    chance = Random(7)

    async def turns(player: Player) -> list[Receipt]:
        receipts = []
        for nth in range(12):
            seen = await chance.choice((house, neighbour)).seen(player, game_id)
            command = chance.choice(seen.legal_turns) if seen.legal_turns else DraftStack(nth)
            key = uuid4().hex
            receipts += await asyncio.gather(
                *(one.send(player, game_id, command, key=key) for one in chance.sample((house, neighbour, house), 2))
            )
        return receipts

    receipts = [receipt for some in await asyncio.gather(*map(turns, players)) for receipt in some]
    assert {receipt.status for receipt in receipts} == {APPLIED, REFUSED}
    assert len({receipt.id for receipt in receipts}) == 48
    assert len({(receipt.id, receipt.status, receipt.version) for receipt in receipts}) == 48
    one_outcome_each(house, game_id)
    assert [await one.seen(None, game_id) for one in (house,)] == [await neighbour.seen(None, game_id)]


async def test_two_processes_take_over_from_each_other_without_a_gap(house: House, neighbour: House) -> None:
    (player,), game_id = await open_game(house)
    for number in range(20):
        receipt = await (house, neighbour)[number % 2].send(player, game_id, entropy(number))
        assert receipt.version == 3 + number
    one_outcome_each(house, game_id)
