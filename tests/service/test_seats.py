"""Seats: who may sit down where, who is first where two want one seat, and how a game ends that never began."""

import asyncio
import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain.chance import seed_of
from domain.game import AddEntropy, LeaveSeat, OpenGame, StartGame, Status, TakeSeat
from domain.rulesets.gravwell.commands import DraftStack
from service.seen import Player, Receipt, Refusal, Visibility
from tests.service.house import APPLIED, House


def publics(house: House, game_id: UUID) -> list[dict[str, Any]]:
    return [json.loads(public) for _, public, _ in house.database.events(game_id)]


def seated(house: House, game_id: UUID) -> list[UUID | None]:
    return [
        player
        for (player,) in house.database.ask("select player_id from seats where game_id = %s order by seat", game_id)
    ]


async def test_the_host_sits_on_seat_0_unless_they_only_host(house: House) -> None:
    host = await house.player()
    sitting = await house.open(host, OpenGame("gravwell", 3))
    hosting = await house.open(host, OpenGame("gravwell", 3, sit=False))
    assert seated(house, sitting) == [host.id, None, None]
    assert seated(house, hosting) == [None, None, None]
    assert [(await house.seen(host, game_id)).my_seat for game_id in (sitting, hosting)] == [0, None]


async def test_bots_sit_on_the_last_seats(house: House) -> None:
    host = await house.player()
    game_id = await house.open(host, OpenGame("gravwell", 4, bots=2))
    assert [sitter and sitter.value for sitter in (await house.seen(None, game_id)).game.sitters] == [
        "PERSON",
        None,
        "BOT",
        "BOT",
    ]
    assert seated(house, game_id) == [host.id, None, None, None]


async def test_a_seat_is_taken_by_number_or_the_first_that_is_free(house: House) -> None:
    host, second, third = await house.players(3)
    game_id = await house.open(host, OpenGame("gravwell", 4))
    assert (await house.send(second, game_id, TakeSeat(2))).status is APPLIED
    assert (await house.send(third, game_id, TakeSeat())).status is APPLIED
    assert seated(house, game_id) == [host.id, third.id, second.id, None]
    assert (await house.seen(third, game_id)).my_seat == 1


async def test_a_full_game_starts_in_the_decision_that_fills_it(house: House) -> None:
    host, other = await house.players(2)
    game_id = await house.open(host, OpenGame("gravwell", 2))
    receipt = await house.send(other, game_id, TakeSeat())
    names = [event["name"] for event in publics(house, game_id)]
    assert names[2:4] == ["game.seat_taken", "game.started"]
    assert receipt.version == len(names)
    assert (await house.seen(None, game_id)).status is Status.RUNNING


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (TakeSeat(0), "SEAT_TAKEN"),
        (TakeSeat(3), "NO_SUCH_SEAT"),
        (TakeSeat(-1), "NO_SUCH_SEAT"),
        (TakeSeat(2**40), "NO_SUCH_SEAT"),
        (TakeSeat(entropy="ab"), "BAD_ENTROPY"),
        (TakeSeat(entropy="zz" * 16), "BAD_ENTROPY"),
        (LeaveSeat(), "NOT_SEATED"),
        (AddEntropy("ab" * 16), "NOT_SEATED"),
        (StartGame(), "NOT_HOST"),
        (DraftStack(0), "NOT_STARTED"),
        (OpenGame("gravwell", 2), "NOT_STARTED"),
    ],
)
async def test_a_stranger_is_refused_and_changes_nothing(house: House, command: Any, code: str) -> None:
    host, stranger = await house.players(2)
    game_id = await house.open(host, OpenGame("gravwell", 3))
    before = publics(house, game_id)
    assert await house.refused(stranger, game_id, command) == code
    assert publics(house, game_id) == before
    assert seated(house, game_id) == [host.id, None, None]


async def test_one_account_takes_one_seat(house: House) -> None:
    host = await house.player()
    game_id = await house.open(host, OpenGame("gravwell", 3))
    assert await house.refused(host, game_id, TakeSeat(1)) == "ALREADY_SEATED"
    assert seated(house, game_id) == [host.id, None, None]


@pytest.mark.parametrize("seat", [1, None], ids=["this seat", "any seat"])
async def test_of_two_who_want_the_last_seat_at_once_exactly_one_gets_it(
    house: House, neighbour: House, seat: int | None
) -> None:
    for _ in range(5):
        host, *rivals = await house.players(3)
        game_id = await house.open(host, OpenGame("gravwell", 2, start=False))
        receipts = await asyncio.gather(
            house.send(rivals[0], game_id, TakeSeat(seat)), neighbour.send(rivals[1], game_id, TakeSeat(seat))
        )
        (winner,) = [rival for rival, one in zip(rivals, receipts, strict=True) if one.status is APPLIED]
        (refusal,) = [one.refusal for one in receipts if one.refusal is not None]
        assert refusal.code in ("SEAT_TAKEN", "GAME_FULL")
        assert seated(house, game_id) == [host.id, winner.id]


async def test_a_player_who_asks_twice_at_once_sits_once(house: House, neighbour: House) -> None:
    host, player = await house.players(2)
    game_id = await house.open(host, OpenGame("gravwell", 4))
    receipts = await asyncio.gather(
        house.send(player, game_id, TakeSeat(1)), neighbour.send(player, game_id, TakeSeat(2))
    )
    assert sorted(receipt.refusal.code for receipt in receipts if receipt.refusal) == ["ALREADY_SEATED"]
    assert seated(house, game_id).count(player.id) == 1


async def test_a_seat_that_is_left_is_free_again(house: House) -> None:
    host, player, other = await house.players(3)
    game_id = await house.open(host, OpenGame("gravwell", 3))
    await house.send(player, game_id, TakeSeat(1))
    assert (await house.send(player, game_id, LeaveSeat())).status is APPLIED
    assert seated(house, game_id) == [host.id, None, None]
    assert (await house.seen(player, game_id)).my_seat is None
    assert (await house.send(other, game_id, TakeSeat(1))).status is APPLIED
    assert (await house.send(player, game_id, TakeSeat(2))).status is APPLIED
    assert (await house.seen(None, game_id)).status is Status.RUNNING


async def test_a_running_game_is_not_left_and_takes_nobody(house: House) -> None:
    players = await house.players(2)
    game_id = await house.table(*players)
    stranger = await house.player()
    assert await house.refused(players[0], game_id, LeaveSeat()) == "GAME_STARTED"
    assert await house.refused(stranger, game_id, TakeSeat()) == "GAME_STARTED"
    assert await house.refused(players[0], game_id, AddEntropy("ab" * 16)) == "GAME_STARTED"
    assert await house.refused(players[0], game_id, StartGame()) == "GAME_STARTED"


@pytest.mark.parametrize("order", [(1, 2), (2, 1)], ids=["up", "down"])
async def test_players_change_seats_within_one_flush(house: House, order: tuple[int, int]) -> None:
    host, player = await house.players(2)
    game_id = await house.open(host, OpenGame("gravwell", 3))
    await house.send(player, game_id, TakeSeat(order[0]))
    with house.database.holding(game_id):
        receipts = [await house.send(player, game_id, command, wait=0) for command in (LeaveSeat(), TakeSeat(order[1]))]
    for receipt in receipts:
        assert (await house.settled(player, receipt)).status is APPLIED
    assert seated(house, game_id)[order[1]] == player.id
    assert seated(house, game_id)[order[0]] is None


async def test_two_players_swap_seats_within_one_flush(house: House) -> None:
    host, one, other = await house.players(3)
    game_id = await house.open(host, OpenGame("gravwell", 4))
    await house.send(one, game_id, TakeSeat(1))
    await house.send(other, game_id, TakeSeat(2))
    asked = [(one, LeaveSeat()), (other, LeaveSeat()), (one, TakeSeat(2)), (other, TakeSeat(1))]
    with house.database.holding(game_id):
        receipts = [(player, await house.send(player, game_id, command, wait=0)) for player, command in asked]
    for player, receipt in receipts:
        assert (await house.settled(player, receipt)).status is APPLIED
    assert seated(house, game_id) == [host.id, other.id, one.id, None]


async def test_an_open_game_is_cancelled_when_the_last_person_leaves(house: House) -> None:
    host, player = await house.players(2)
    game_id = await house.open(host, OpenGame("gravwell", 4, bots=1))
    await house.send(player, game_id, TakeSeat())
    await house.send(host, game_id, LeaveSeat())
    assert (await house.seen(None, game_id)).status is Status.OPEN
    await house.send(player, game_id, LeaveSeat())
    seen = await house.seen(None, game_id)
    assert seen.status is Status.ENDED
    assert seen.outcome is not None
    assert (seen.outcome.reason, seen.outcome.ranking) == ("cancelled", ())
    last = publics(house, game_id)[-1]
    ((secret,),) = house.database.ask("select secret from games where game_id = %s", game_id)
    assert (last["name"], last["data"]) == ("game.secret_opened", {"secret": secret.hex()})
    assert await house.refused(player, game_id, TakeSeat()) == "GAME_OVER"


async def test_a_game_that_is_held_waits_for_its_host(house: House) -> None:
    host, player = await house.players(2)
    game_id = await house.open(host, OpenGame("gravwell", 2, sit=False, start=False))
    assert await house.refused(host, game_id, StartGame()) == "NOT_FULL"
    for one in (player, await house.player()):
        assert (await house.send(one, game_id, TakeSeat())).status is APPLIED
    assert (await house.seen(None, game_id)).status is Status.OPEN
    assert await house.refused(player, game_id, StartGame()) == "NOT_HOST"
    receipt = await house.send(host, game_id, StartGame())
    assert receipt.first_version is not None
    started = publics(house, game_id)[receipt.first_version - 1]
    assert (started["name"], started["actor"], started["cause"]["seat"]) == ("game.started", "host", None)
    assert (await house.seen(None, game_id)).status is Status.RUNNING


async def test_what_chance_follows_from_is_the_secret_and_all_entropy_in_order(house: House) -> None:
    host, first, second = await house.players(3)
    game_id = await house.open(host, OpenGame("gravwell", 3))
    await house.send(first, game_id, TakeSeat(entropy="AB" * 16))
    await house.send(host, game_id, AddEntropy("cd" * 64))
    await house.send(first, game_id, LeaveSeat())
    await house.send(first, game_id, TakeSeat())
    await house.send(second, game_id, TakeSeat(entropy="ef" * 20))
    ((secret,),) = house.database.ask("select secret from games where game_id = %s", game_id)
    entropies = [None, "ab" * 16, "cd" * 64, None, "ef" * 20]
    events = publics(house, game_id)
    given = [event["data"]["entropy"] for event in events if event["name"] in ("game.seat_taken", "game.entropy_added")]
    assert given == entropies
    game = (await house.seen(None, game_id)).game
    assert seed_of(secret, game.entropies) == seed_of(secret, entropies)
    assert game.status is Status.RUNNING


async def test_the_same_key_opens_the_same_game(house: House, neighbour: House) -> None:
    host = await house.player()
    command = OpenGame("gravwell", 3)
    answers = await asyncio.gather(
        *(
            (house, neighbour)[nth % 2].service.open_game(host, "mine", command, Visibility.PUBLIC, 2.0)
            for nth in range(20)
        )
    )
    receipts = [answer for answer in answers if isinstance(answer, Receipt)]
    assert len(receipts) == 20
    assert len({(receipt.id, receipt.game_id, receipt.version) for receipt in receipts}) == 1
    assert len(publics(house, receipts[0].game_id)) == 2


@pytest.mark.parametrize(
    ("command", "visibility"),
    [
        (OpenGame("gravwell", 4), Visibility.PUBLIC),
        (OpenGame("gravwell", 3), Visibility.UNLISTED),
        (OpenGame("gravwell", 3, {"hardcore": True}), Visibility.PUBLIC),
        (OpenGame("gravwell", 3, turn_seconds=60), Visibility.PUBLIC),
    ],
)
async def test_a_key_does_not_open_another_game(house: House, command: OpenGame, visibility: Visibility) -> None:
    host = await house.player()
    await house.open(host, OpenGame("gravwell", 3), key="mine")
    answer = await house.service.open_game(host, "mine", command, visibility, 2.0)
    assert isinstance(answer, Refusal)
    assert answer.code == "KEY_REUSED"
    assert house.database.ask("select count(*) from games where host_id = %s", host.id) == [(1,)]


async def test_the_same_key_of_another_player_opens_another_game(house: House) -> None:
    games = {await house.open(host, OpenGame("gravwell", 3), key="mine") for host in await house.players(2)}
    assert len(games) == 2


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (OpenGame("gravwell", 1), "SEATS_OUT_OF_RANGE"),
        (OpenGame("gravwell", 5), "SEATS_OUT_OF_RANGE"),
        (OpenGame("gravwell", -1), "SEATS_OUT_OF_RANGE"),
        (OpenGame("gravwell", 3, bots=3), "BOTS_OUT_OF_RANGE"),
        (OpenGame("gravwell", 3, bots=-1), "BOTS_OUT_OF_RANGE"),
        (OpenGame("gravwell", 3, turn_seconds=0), "TURN_HOURS_OUT_OF_RANGE"),
        (OpenGame("gravwell", 3, turn_seconds=366 * 24 * 3600 + 1), "TURN_HOURS_OUT_OF_RANGE"),
        (OpenGame("gravwell", 3, {"speed": 3}), "UNKNOWN_OPTION"),
        (OpenGame("gravwell", 3, {"hardcore": "yes"}), "BAD_OPTION"),
        (OpenGame("gravwell", 3, {"age_rank": [0, 0, 1]}), "BAD_OPTION"),
        (OpenGame("gravwell", 3, {"age_rank": [0, 1]}), "BAD_OPTION"),
        (OpenGame("gravwell", 3, []), "BAD_OPTION"),
    ],
)
async def test_a_game_that_makes_no_sense_is_not_opened(house: House, command: OpenGame, code: str) -> None:
    host = await house.player()
    answer = await house.service.open_game(host, uuid4().hex, command, Visibility.PUBLIC, 2.0)
    assert isinstance(answer, Refusal)
    assert answer.code == code
    assert house.database.ask("select from games where host_id = %s", host.id) == []


async def private(house: House) -> tuple[Player, UUID, str]:
    """A private game with its host and the secret to join it."""
    host = await house.player()
    game_id = await house.open(host, OpenGame("gravwell", 3), Visibility.PRIVATE)
    join_secret = (await house.seen(host, game_id)).join_secret
    assert join_secret is not None
    return host, game_id, join_secret


async def test_a_private_game_is_entered_with_its_secret(house: House) -> None:
    _, game_id, join_secret = await private(house)
    player = await house.player()
    receipt = await house.send(player, game_id, TakeSeat(), join_secret=join_secret)
    assert receipt.status is APPLIED
    assert (await house.seen(player, game_id)).join_secret == join_secret
    assert (await house.send(player, game_id, AddEntropy("ab" * 16))).status is APPLIED


@pytest.mark.parametrize("given", [None, "", "guess", "x" * 10_000, "\ud800", "ä"])
async def test_without_its_secret_a_private_game_does_not_exist(house: House, given: str | None) -> None:
    _, game_id, _ = await private(house)
    player = await house.player()
    there = await house.service.submit(player, game_id, "k", TakeSeat(), join_secret=given)
    nowhere = await house.service.submit(player, uuid4(), "k", TakeSeat(), join_secret=given)
    assert there == nowhere
    assert isinstance(there, Refusal)
    assert there.code == "UNKNOWN_GAME"
    assert house.database.ask("select from submissions where sender_id = %s", player.id) == []


async def test_the_secret_to_join_is_in_no_event_and_in_no_submission(house: House) -> None:
    _, game_id, join_secret = await private(house)
    await house.send(await house.player(), game_id, TakeSeat(), join_secret=join_secret)
    assert join_secret not in str(house.database.ask("select public, secret from events where game_id = %s", game_id))
    assert join_secret not in str(house.database.ask("select content from submissions where game_id = %s", game_id))


@pytest.mark.parametrize("visibility", [Visibility.PUBLIC, Visibility.UNLISTED])
async def test_a_game_that_is_not_private_is_anybodys_to_join_and_has_no_secret(
    house: House, visibility: Visibility
) -> None:
    host, player = await house.players(2)
    game_id = await house.open(host, OpenGame("gravwell", 3), visibility)
    assert (await house.seen(host, game_id)).join_secret is None
    assert (await house.send(player, game_id, TakeSeat())).status is APPLIED
