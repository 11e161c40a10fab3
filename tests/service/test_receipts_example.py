"""The worked example of FORMAT.md, made by a program of its own: statements, a receipt, a log of three heads."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID

from domain.merkle import Span, consistency_spans, grown, inclusion_spans, leaf_hash
from domain.stream import Row, commitment, log_entry, receipt_salt, time_of
from service.anchors import anchored, checkpoint_in, grew
from service.receipts import signed_receipt
from service.seen import Receipt, ReceiptStatus
from service.signing import SigningKey

EXAMPLE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "receipts-example.json").read_text())
KEY = SigningKey(bytes.fromhex(EXAMPLE["private_key"]))
KEYS = {EXAMPLE["public_key"]: None}
GAME, SECRET = UUID(EXAMPLE["game"]), bytes.fromhex(EXAMPLE["secret"])
LEAVES = [
    leaf_hash(log_entry(UUID(game), version, bytes.fromhex(digest))) for game, version, digest in EXAMPLE["heads"]
]


def test_the_receipt_is_that_of_the_example() -> None:
    submission = UUID(EXAMPLE["submission"])
    salt = receipt_salt(SECRET, submission)
    assert (salt.hex(), commitment(salt, EXAMPLE["command"])) == (EXAMPLE["salt"], EXAMPLE["commitment"])
    received_at = time_of(EXAMPLE["received_at"])
    receipt = Receipt(submission, "k", GAME, ReceiptStatus.APPLIED, received_at, 6, 7, "cc" * 32)
    made = asdict(signed_receipt(KEY, receipt, EXAMPLE["command"], SECRET))
    for half, signed in EXAMPLE["receipt"].items():
        assert made[half] == {**signed, "key": EXAMPLE["public_key"]}


def test_the_log_is_that_of_the_example() -> None:
    nodes = grown(0, {}, LEAVES)
    assert [leaf.hex() for leaf in LEAVES] == EXAMPLE["leaves"]
    assert [Span(0, size).hash(nodes).hex() for size in (2, 3)] == EXAMPLE["roots"]
    assert [span.hash(nodes).hex() for span in consistency_spans(2, 3)] == EXAMPLE["consistency"]
    assert [span.hash(nodes).hex() for span in inclusion_spans(2, 3)] == EXAMPLE["anchor"]["path"]
    assert [span.hash(nodes).hex() for span in inclusion_spans(0, 2)] == EXAMPLE["first_anchor"]["path"]


def test_the_proofs_of_the_example_prove_what_they_should() -> None:
    older, newer = (checkpoint_in(one, KEYS) for one in EXAMPLE["checkpoints"])
    grew(older, newer, EXAMPLE["consistency"])
    hashes = [bytes([version]) * 32 for version in (1, 2, 3, 4, 0xAA, 6, 0xCC)]
    rows = [Row(version, "", None, b"", digest) for version, digest in enumerate(hashes, 1)]
    assert anchored(EXAMPLE["first_anchor"], KEYS, GAME, rows[:5]).version == 5
    assert anchored(EXAMPLE["anchor"], KEYS, GAME, rows).checkpoint.number == 2
