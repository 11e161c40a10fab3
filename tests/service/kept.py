"""What people keep of a game to hold us to it: receipts, and its place in a checkpoint."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from uuid import UUID

from domain.merkle import leaf_hash
from domain.stream import COMMAND, log_entry
from service.receipts import signed_receipt
from service.seen import Receipt, ReceiptStatus
from service.signing import SigningKey
from tests.verifier.games import SIGNER, Written


def receipt_of(game: Written, version: int, signer: SigningKey = SIGNER, **changed: object) -> bytes:
    """A receipt for the submission whose decision ends at a version, as the API gives it."""
    first = max(row.version for row in game.rows[:version] if '"cause":{"command"' in row.public)
    cause = json.loads(game.rows[first - 1].public)["cause"]
    submission, command = UUID(cause["submission"]), json.loads(game.rows[first - 1].secret or "")[COMMAND]
    at = datetime.fromisoformat(cause["received_at"])
    hash_ = str(changed.get("hash", game.rows[version - 1].hash.hex()))
    receipt = Receipt(submission, "key", game.game_id, ReceiptStatus.APPLIED, at, first, version, hash_)
    signed = signed_receipt(signer, receipt, command, game.secret)
    assert signed.settled is not None
    halves = {"accepted": asdict(signed.accepted), "settled": asdict(signed.settled)}
    return json.dumps({**halves, "opened": signed.opened}).encode()


def place_of(game: Written, version: int, signer: SigningKey = SIGNER) -> bytes:
    """A game's place in a signed checkpoint of a log with nothing else in it."""
    head = game.rows[version - 1].hash
    root = leaf_hash(log_entry(game.game_id, version, head)).hex()
    signed = signer.signed("checkpoint", datetime(2026, 12, 31, tzinfo=UTC), number=1, size=1, root=root)
    place = {"version": version, "hash": head.hex(), "place": 0, "path": []}
    return json.dumps({**place, "checkpoint": asdict(signed)}).encode()
