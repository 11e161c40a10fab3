"""Receipts that bind us: what is signed on acceptance and on outcome, and what a receipt finds of a changed stream."""

import hmac
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain.canonical import canonical
from domain.game import Resign, TakeSeat
from domain.stream import Row, chained
from service.receipts import vouched
from service.seen import Player, Receipt
from service.signing import SigningKey, Unproven, statement
from tests.service.conftest import KEYRING
from tests.service.house import PENDING, House

KEY = KEYRING.key()
assert KEY is not None
KEYS = {KEY.public: None}
EARLY = "2026-01-01T00:00:00.000000Z"


async def document(house: House, player: Player, receipt: Receipt) -> dict[str, Any]:
    """A receipt as a sender keeps it: what the API gives, as JSON."""
    signed = await house.service.receipt_signed(player, receipt)
    assert signed is not None
    kept: dict[str, Any] = json.loads(json.dumps(asdict(signed)))
    return kept


def stream(house: House, game_id: UUID) -> list[Row]:
    query = "select version, public, secret, prev_hash, hash from events where game_id = %s order by version"
    return [Row(*row) for row in house.database.ask(query, game_id)]


def refusing(rows: list[Row], given: dict[str, Any], game_id: UUID, complaint: str) -> None:
    with pytest.raises(Unproven, match=complaint):
        vouched(given, KEYS, game_id, rows)


async def test_a_receipt_says_what_the_format_says(house: House) -> None:
    ann, bob = await house.players(2)
    game_id = await house.table(ann, bob)
    player = await house.awaited(game_id)
    turn = (await house.seen(player, game_id)).legal_turns[0]
    receipt = await house.send(player, game_id, turn)
    given = await document(house, player, receipt)
    ((secret,),) = house.database.ask("select secret from games where game_id = %s", game_id)
    salt = hmac.digest(secret, b"slowlight/receipt/1" + receipt.id.bytes, sha256)
    value = {"draft_stack": {"stack": turn.stack}}
    said = json.loads(given["accepted"]["text"])
    assert KEY is not None
    assert said == {
        "v": 1,
        "kind": "accepted",
        "key": KEY.public,
        "game": str(game_id),
        "submission": str(receipt.id),
        "at": receipt.received_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "command": hmac.digest(salt, json.dumps(value, separators=(",", ":")).encode(), sha256).hex(),
    }
    outcome = {"first_version": receipt.version, "version": receipt.version, "hash": receipt.hash}
    settled = said | {"kind": "settled", "status": "APPLIED"} | outcome
    assert json.loads(given["settled"]["text"]) == settled
    assert given["opened"] == {"$command": {"value": value, "salt": salt.hex()}}
    assert sha256(canonical(value).encode()).hexdigest() not in json.dumps(given), "a plain hash could be guessed"


async def test_a_receipt_vouches_for_its_stream_up_to_its_version(house: House) -> None:
    ann, bob = await house.players(2)
    game_id = await house.table(ann, bob)
    receipts = []
    for _ in range(3):
        player = await house.awaited(game_id)
        receipts.append((player, await house.turn(player, game_id)))
    for player, receipt in receipts:
        given = await document(house, player, receipt)
        assert vouched(given, KEYS, game_id, stream(house, game_id)) == receipt.version
        assert vouched(given | {"settled": None}, KEYS, game_id, stream(house, game_id)) is None
        assert vouched({"settled": given["settled"]}, KEYS, game_id, stream(house, game_id)) == receipt.version


async def test_the_opening_of_a_game_is_receipted_too(house: House) -> None:
    ann, bob = await house.players(2)
    game_id = await house.table(ann, bob)
    query = "select submission_id from submissions where game_id = %s and sender_id = %s order by received_at limit 1"
    ((submission,),) = house.database.ask(query, game_id, ann.id)
    receipt = await house.service.receipt(ann, game_id, submission)
    assert receipt is not None
    given = await document(house, ann, receipt)
    assert given["opened"]["$command"]["value"]["open_game"]["ruleset"] == "gravwell"
    assert vouched(given, KEYS, game_id, stream(house, game_id)) == receipt.version


async def test_a_refusal_binds_us_by_its_code(house: House) -> None:
    ann, bob = await house.players(2)
    game_id = await house.table(ann, bob)
    receipt = await house.send(await house.player(), game_id, TakeSeat())
    sender = replace(
        ann, id=house.database.ask("select sender_id from submissions where submission_id = %s", receipt.id)[0][0]
    )
    given = await document(house, sender, receipt)
    said = json.loads(given["settled"]["text"])
    assert receipt.refusal is not None
    assert (said["status"], said["code"]) == ("REFUSED", receipt.refusal.code)
    assert "hash" not in said
    assert vouched(given, KEYS, game_id, stream(house, game_id)) is None


async def test_a_promise_is_signed_before_it_is_kept(house: House) -> None:
    ann, bob = await house.players(2)
    game_id = await house.table(ann, bob)
    with house.database.holding(game_id):
        receipt = await house.send(ann, game_id, Resign(), wait=0)
        assert receipt.status is PENDING
        promised = await document(house, ann, receipt)
    assert promised["settled"] is None
    kept = await document(house, ann, await house.settled(ann, receipt))
    assert kept["accepted"] == promised["accepted"]
    assert vouched(kept, KEYS, game_id, stream(house, game_id)) == (await house.seen(None, game_id)).version


async def test_a_receipt_is_signed_for_its_sender_alone(house: House) -> None:
    ann, bob = await house.players(2)
    game_id = await house.table(ann, bob)
    player = await house.awaited(game_id)
    receipt = await house.turn(player, game_id)
    other = bob if player == ann else ann
    assert await house.service.receipt_signed(other, receipt) is None
    assert await house.service.receipt_signed(None, receipt) is None


async def test_a_receipt_of_another_game_proves_nothing_here(house: House) -> None:
    ann, bob = await house.players(2)
    here, there = await house.table(ann, bob), await house.table(ann, bob)
    player = await house.awaited(there)
    given = await document(house, player, await house.turn(player, there))
    refusing(stream(house, here), given, here, "a receipt of another game")


async def test_a_stream_that_was_written_anew_is_found_by_a_receipt(house: House) -> None:
    """A whole chain, made again from an event that was changed: nothing in the stream itself is wrong."""
    ann, bob = await house.players(2)
    game_id = await house.table(ann, bob)
    player = await house.awaited(game_id)
    receipt = await house.turn(player, game_id)
    given = await document(house, player, receipt)
    rows = stream(house, game_id)
    early = json.loads(rows[1].public)
    early["data"]["entropy"] = "00" * 16
    refusing(rebuilt(rows, 1, early), given, game_id, f"version {receipt.version} is not the event that was signed")
    own = json.loads(rows[-1].public)
    own["cause"]["received_at"] = EARLY
    refusing(rebuilt(rows, len(rows) - 1, own), given, game_id, "is not the event that was signed")
    own["cause"]["submission"] = str(uuid4())
    refusing(rebuilt(rows, len(rows) - 1, own), given, game_id, "did not come of this submission")
    refusing(rows[:-1], given, game_id, "the stream ends before")
    lone = {"accepted": given["accepted"]}
    assert vouched(lone, KEYS, game_id, rebuilt(rows, len(rows) - 1, own)) is None, "it may have been refused"


async def test_a_command_put_in_anothers_place_is_found_once_the_game_is_over(house: House) -> None:
    ann, bob = await house.players(2)
    game_id = await house.table(ann, bob)
    player = await house.awaited(game_id)
    turns = (await house.seen(player, game_id)).legal_turns
    receipt = await house.send(player, game_id, turns[0])
    given = await document(house, player, receipt)
    await house.send(ann, game_id, Resign())
    rows = stream(house, game_id)
    assert vouched(given, KEYS, game_id, rows) == receipt.version
    assert receipt.version is not None
    place = receipt.version - 1
    other = canonical({"$command": {"draft_stack": {"stack": turns[1].stack}}})
    swapped = [*rows[:place], rows[place]._replace(secret=other), *rows[place + 1 :]]
    for lone in (given, {"accepted": given["accepted"]}, {"accepted": given["accepted"], "opened": given["opened"]}):
        refusing(swapped, lone, game_id, f"the command of version {receipt.version} is not the one")
    public = json.loads(rows[place].public)
    public["cause"]["received_at"] = EARLY
    later = rebuilt(rows, place, public)
    refusing(later, {"accepted": given["accepted"]}, game_id, "another time of receipt")


Change = Callable[[dict[str, Any]], Any]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda given: given["accepted"].update(text=given["accepted"]["text"].replace("T", "U")), "not a signed"),
        (lambda given: given["settled"].update(signature=given["accepted"]["signature"]), "its signature"),
        (lambda given: given.update(settled=given["accepted"]), "no statement of the kind settled"),
        (lambda given: given.update(accepted=None, settled=None), "not a signed receipt"),
        (lambda given: given["opened"]["$command"].update(value={"resign": {}}), "is not the one that was received"),
        (lambda given: given["opened"]["$command"].update(salt="00" * 32), "is not the one that was received"),
        (lambda given: given["opened"].clear(), "is not the one that was received"),
    ],
)
async def test_a_receipt_that_was_changed_is_found(house: House, change: Change, complaint: str) -> None:
    ann, bob = await house.players(2)
    game_id = await house.table(ann, bob)
    player = await house.awaited(game_id)
    given = await document(house, player, await house.turn(player, game_id))
    change(given)
    refusing(stream(house, game_id), given, game_id, complaint)


async def test_a_receipt_under_a_foreign_key_is_found(house: House) -> None:
    ann, bob = await house.players(2)
    game_id = await house.table(ann, bob)
    player = await house.awaited(game_id)
    receipt = await house.turn(player, game_id)
    given = await document(house, player, receipt)
    said = json.loads(given["settled"]["text"])
    facts = {name: said[name] for name in said.keys() - {"v", "kind", "key", "at"}}
    foreign = SigningKey(b"f" * 32).signed("settled", receipt.received_at, **facts)
    refusing(stream(house, game_id), {"settled": asdict(foreign)}, game_id, "a key that is none of ours")
    forged = {"text": foreign.text.replace(foreign.key, said["key"]), "signature": foreign.signature}
    refusing(stream(house, game_id), {"settled": forged}, game_id, "its signature")


async def test_halves_of_two_receipts_are_none(house: House) -> None:
    ann, bob = await house.players(2)
    game_id = await house.table(ann, bob)
    halves = []
    for _ in range(2):
        player = await house.awaited(game_id)
        halves.append(await document(house, player, await house.turn(player, game_id)))
    mixed = {"accepted": halves[0]["accepted"], "settled": halves[1]["settled"]}
    assert statement(mixed["accepted"], "accepted", KEYS)
    refusing(stream(house, game_id), mixed, game_id, "its two halves are of different submissions")


def rebuilt(rows: list[Row], place: int, public: dict[str, Any]) -> list[Row]:
    """The stream with another event at a place, and every hash from there on made anew."""
    made = list(rows)
    made[place] = rows[place]._replace(public=canonical(public))
    for at in range(place, len(made)):
        prev_hash = made[at - 1].hash
        made[at] = made[at]._replace(prev_hash=prev_hash, hash=chained(prev_hash, made[at].public))
    return made
