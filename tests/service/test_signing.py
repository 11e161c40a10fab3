"""Statements and the keys they are signed with: whatever is not as we signed it, or by a key believed, is found."""

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from service.signing import PublicKey, SigningKey, Unproven, endorsed, key_list, keys_in, statement

FIRST, SECOND, THIRD = (SigningKey(bytes([number]) * 32) for number in (1, 2, 3))
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def test_a_key_is_that_of_the_rfc() -> None:
    """RFC 8032, 7.1, the first example."""
    key = SigningKey(bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
    assert key.public == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"


def test_a_statement_is_canonical_text_signed_behind_the_words_of_the_format() -> None:
    signed = FIRST.signed("accepted", NOON, b=[1], a="x")
    assert signed.text == (
        f'{{"a":"x","at":"2026-11-29T12:00:00.000000Z","b":[1],"key":"{FIRST.public}","kind":"accepted","v":1}}'
    )
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(FIRST.public))
    public.verify(bytes.fromhex(signed.signature), b"slowlight/signed/1" + signed.text.encode())
    assert statement(asdict(signed), "accepted", {FIRST.public: None})["b"] == [1]


SIGNED = asdict(FIRST.signed("accepted", NOON, count=1))
BELIEVED = {FIRST.public: None}


@pytest.mark.parametrize(
    ("document", "kind", "keys", "complaint"),
    [
        ({**SIGNED, "text": SIGNED["text"].replace('"count":1', '"count":2')}, "accepted", BELIEVED, "its signature"),
        ({**SIGNED, "text": SIGNED["text"] + " "}, "accepted", BELIEVED, "its signature"),
        ({**SIGNED, "signature": "00" * 64}, "accepted", BELIEVED, "its signature"),
        ({**SIGNED, "signature": "zz"}, "accepted", BELIEVED, "its signature"),
        (
            {**SIGNED, "text": SIGNED["text"].replace(FIRST.public, SECOND.public)},
            "accepted",
            {SECOND.public: None},
            "its signature",
        ),
        (SIGNED, "accepted", {SECOND.public: None}, "a key that is none of ours"),
        (SIGNED, "settled", BELIEVED, "no statement of the kind settled"),
        (SIGNED, "accepted", {FIRST.public: NOON - DAY}, "used no more"),
        ({"text": "[]", "signature": ""}, "accepted", BELIEVED, "not a signed statement"),
        ({"text": "{", "signature": ""}, "accepted", BELIEVED, "not a signed statement"),
        ({"text": SIGNED["text"] + "\ud800", "signature": "00" * 64}, "accepted", BELIEVED, "not a signed statement"),
        (
            {**SIGNED, "text": SIGNED["text"].replace('"v":1', '"v":true')},
            "accepted",
            BELIEVED,
            "no statement of the kind",
        ),
        ({**SIGNED, "signature": SIGNED["signature"].upper()}, "accepted", BELIEVED, "its signature"),
        ({**SIGNED, "signature": SIGNED["signature"] + " "}, "accepted", BELIEVED, "its signature"),
        ({"text": 5, "signature": ""}, "accepted", BELIEVED, "not a signed statement"),
        ([], "accepted", BELIEVED, "not a signed statement"),
        ("[" * 100_000, "accepted", BELIEVED, "not a signed statement"),
        ({"text": "[" * 100_000, "signature": ""}, "accepted", BELIEVED, "not a signed statement"),
    ],
)
def test_what_was_not_signed_so_is_found(
    document: Any, kind: str, keys: dict[str, datetime | None], complaint: str
) -> None:
    with pytest.raises(Unproven, match=complaint):
        statement(document, kind, keys)


def test_a_key_vouches_for_what_was_before_its_end() -> None:
    assert statement(SIGNED, "accepted", {FIRST.public: NOON})


ONE = PublicKey(FIRST.public, NOON, until=NOON + 2 * DAY)
TWO = replace(endorsed(FIRST, SECOND.public, NOON + DAY), until=NOON + 3 * DAY)
THREE = endorsed(SECOND, THIRD.public, NOON + 2 * DAY)
LISTED = [THREE, TWO, ONE]


def test_the_list_of_keys_is_believed_by_whoever_holds_one_that_it_follows_from() -> None:
    document = asdict(key_list(THIRD, LISTED, NOON + 4 * DAY))
    ends = {FIRST.public: NOON + 2 * DAY, SECOND.public: NOON + 3 * DAY, THIRD.public: None}
    for pinned in (None, FIRST.public, SECOND.public, THIRD.public):
        assert keys_in(document, pinned) == ends


@pytest.mark.parametrize(
    ("key", "listed", "pinned", "complaint"),
    [
        (THIRD, LISTED, "ab" * 32, "does not follow"),
        (THIRD, [replace(THREE, by=None, endorsement=None), TWO, ONE], FIRST.public, "does not follow"),
        (THIRD, [replace(THREE, by=FIRST.public), TWO, ONE], FIRST.public, "its signature"),
        (THIRD, [replace(THREE, since=NOON), TWO, ONE], FIRST.public, "its signature"),
        (THIRD, [replace(THREE, key=THIRD.public, endorsement=TWO.endorsement), TWO, ONE], None, "its signature"),
        (THIRD, [TWO, ONE], None, "none of ours"),
        (FIRST, LISTED, None, "used no more"),
    ],
)
def test_a_list_of_keys_that_does_not_follow_is_not_believed(
    key: SigningKey, listed: list[PublicKey], pinned: str | None, complaint: str
) -> None:
    with pytest.raises(Unproven, match=complaint):
        keys_in(asdict(key_list(key, listed, NOON + 4 * DAY)), pinned)


@pytest.mark.parametrize("keys", [None, [{}], [{"key": 1, "since": "x", "until": None, "by": None}], "x", {}, [[]]])
def test_a_list_that_is_none_is_refused(keys: Any) -> None:
    with pytest.raises(Unproven, match="not a list of keys"):
        keys_in(asdict(FIRST.signed("keys", NOON, keys=keys)))


@pytest.mark.parametrize("pinned", [None, FIRST.public])
@pytest.mark.parametrize(
    "change",
    [
        {"endorsement": None},
        {"endorsement": ""},
        {"endorsement": []},
        {"by": None},
        {"by": []},
        {"by": {}},
        {"by": 5},
        {"by": FIRST.public.upper()},
        {"key": []},
        {"key": SECOND.public.upper()},
        {"key": FIRST.public},
        {"since": 5},
        {"since": "2026"},
        {"until": []},
        {"until": ""},
    ],
)
def test_a_key_that_says_whom_it_follows_and_not_by_whose_word_makes_no_list(
    change: dict[str, Any], pinned: str | None
) -> None:
    """Whoever has a key of their own can name ours as the one before it; only our signature shows that it is."""
    following, first = endorsed(FIRST, SECOND.public, NOON).json(), PublicKey(FIRST.public, NOON).json()
    assert keys_in(asdict(SECOND.signed("keys", NOON, keys=[following, first])), pinned)
    with pytest.raises(Unproven, match="not a list of keys"):
        keys_in(asdict(SECOND.signed("keys", NOON, keys=[following | change, first])), pinned)


def test_keys_that_follow_in_a_circle_come_to_an_end() -> None:
    first = replace(endorsed(SECOND, FIRST.public, NOON), until=None)
    second = replace(endorsed(FIRST, SECOND.public, NOON), until=None)
    assert json.loads(key_list(FIRST, [first, second], NOON).text)["keys"][0]["by"] == SECOND.public
    with pytest.raises(Unproven, match="does not follow"):
        keys_in(asdict(key_list(FIRST, [first, second], NOON)), THIRD.public)
