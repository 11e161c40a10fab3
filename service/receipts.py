"""Receipts that bind us: what we sign of a submission, and what such a receipt proves of a stream (FORMAT.md)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from domain.stream import COMMAND, Row, commitment, receipt_salt
from service.seen import Receipt, ReceiptStatus
from service.signing import Keys, Signed, SigningKey, Unproven, statement


@dataclass(frozen=True, slots=True)
class SignedReceipt:
    """A receipt that binds us: that something was received, what became of it (None: it is pending), and its opening.

    `opened` opens the commitment in both, in the form of `Event.opened`; it is for the sender alone.
    """

    accepted: Signed
    settled: Signed | None
    opened: Mapping[str, Any]


_SHARED: Final = ("game", "submission", "at", "command")
"""What both halves of a receipt say."""


def accepted(key: SigningKey, receipt: Receipt, command: object, secret: bytes) -> Signed:
    """Our word that a submission was received: which, when, and a commitment to what it said."""
    return key.signed("accepted", receipt.received_at, **_received(receipt, command, secret))


def settled(key: SigningKey, receipt: Receipt, command: object, secret: bytes) -> Signed | None:
    """Our word of what became of a submission; None while it is pending."""
    if receipt.status is ReceiptStatus.PENDING:
        return None
    came = (
        {"code": receipt.refusal.code}
        if receipt.refusal is not None
        else {"first_version": receipt.first_version, "version": receipt.version, "hash": receipt.hash}
    )
    facts = _received(receipt, command, secret) | {"status": receipt.status.value} | came
    return key.signed("settled", receipt.received_at, **facts)


def signed_receipt(key: SigningKey, receipt: Receipt, command: object, secret: bytes) -> SignedReceipt:
    """A receipt of a command, as received, in a game of this secret."""
    opened = {COMMAND: {"value": command, "salt": receipt_salt(secret, receipt.id).hex()}}
    return SignedReceipt(accepted(key, receipt, command, secret), settled(key, receipt, command, secret), opened)


def vouched(document: object, keys: Keys, game: UUID, rows: Sequence[Row]) -> int | None:
    """The version up to which a receipt vouches for a stream, None if it only says that something was received.

    The document is an object with `accepted`, `settled` or both, and perhaps `opened`, as the API gives them; `rows`
    are the whole stream as far as it goes, each with its secret form where that is known. Raises Unproven for a
    receipt that is not ours or not of this game, and where the stream is not what we signed.
    """
    said = _both(document, keys)
    if said["game"] != str(game):
        raise Unproven(f"it is a receipt of another game: {said['game']}")
    publics = [json.loads(row.public) for row in rows]
    causes = {public["cause"].get("submission"): place for place, public in enumerate(publics)}
    place = causes.get(said["submission"])
    version = _settled_version(said, rows, place)
    value = _opened(document, said)
    if place is not None:
        if publics[place]["cause"]["received_at"] != said["at"]:
            raise Unproven(f"version {place + 1} says another time of receipt than the receipt")
        _compare(said, rows[place], publics[-1], value)
    return version


def _received(receipt: Receipt, command: object, secret: bytes) -> dict[str, Any]:
    return {
        "game": str(receipt.game_id),
        "submission": str(receipt.id),
        "command": commitment(receipt_salt(secret, receipt.id), command),
    }


def _both(document: object, keys: Keys) -> dict[str, Any]:
    """What the halves of a receipt say together."""
    halves = [
        statement(document[kind], kind, keys)
        for kind in ("accepted", "settled")
        if isinstance(document, Mapping) and document.get(kind) is not None
    ]
    if not halves:
        raise Unproven("it is not a signed receipt")
    if any(half.get(name) != halves[0].get(name) for half in halves for name in _SHARED):
        raise Unproven("its two halves are of different submissions")
    return halves[0] | halves[-1]


def _settled_version(said: Mapping[str, Any], rows: Sequence[Row], place: int | None) -> int | None:
    match said:
        case {"status": "REFUSED"}:
            if place is not None:
                raise Unproven(f"it says that the submission was refused, and version {place + 1} is what came of it")
            return None
        case {"status": "APPLIED", "first_version": int(first), "version": int(version), "hash": str(said_hash)}:
            if not 1 <= version <= len(rows):
                raise Unproven(f"it speaks of version {version}, and the stream ends before")
            if place != first - 1:
                raise Unproven(f"version {first} did not come of this submission")
            if rows[version - 1].hash.hex() != said_hash:
                raise Unproven(f"version {version} is not the event that was signed")
            return version
        case {"status": _}:
            raise Unproven("it is not a signed receipt")
    return None


def _opened(document: Any, said: Mapping[str, Any]) -> Any:
    """The command that is opened with the receipt, None if there is none."""
    opened = document.get("opened")
    if opened is None:
        return None
    try:
        value, salt = opened[COMMAND]["value"], bytes.fromhex(opened[COMMAND]["salt"])
        if commitment(salt, value) == said["command"]:
            return value
    except (KeyError, TypeError, ValueError):
        pass
    raise Unproven("the command opened with it is not the one that was received")


def _compare(said: Mapping[str, Any], row: Row, last: Mapping[str, Any], opened: Any) -> None:
    """Hold the command in the stream to the one that was received, where it is known."""
    value = None if row.secret is None else json.loads(row.secret).get(COMMAND)
    if value is None:
        return
    differs = opened is not None and opened != value
    if last["name"] == "game.secret_opened":
        salt = receipt_salt(bytes.fromhex(last["data"]["secret"]), UUID(said["submission"]))
        differs = differs or commitment(salt, value) != said["command"]
    if differs:
        raise Unproven(f"the command of version {row.version} is not the one that was received")
