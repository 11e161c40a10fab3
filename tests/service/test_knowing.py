"""What was kept from elsewhere and is handed in: whatever stands in it, it proves something or is refused, no more."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.bundle import Damaged, read
from domain.catalogue import CATALOGUE
from service.anchors import anchored, checkpoint_in, grew
from service.knowing import Document, Known
from service.receipts import vouched
from service.signing import SIGNED, PublicKey, SigningKey, Unproven, endorsed, key_list, keys_in
from tests.service.kept import place_of, receipt_of
from tests.verifier.games import BEGUN, SIGNER, random_game

OTHER = SigningKey(b"o" * 32)
GAME = next(
    game
    for number in range(40)
    if (game := random_game(CATALOGUE["gravwell", 1], number)).ended
    and 15 < len(game.rows) < 40
    and '"cause":{"command"' in game.rows[9].public
)
BUNDLE = read(GAME.bundle())
ROWS = [event.row for event in BUNDLE.events]
VERSION = next(pause for pause in GAME.pauses if pause >= 10)
"""The end of the decision that begins with event 10: somebody's command."""

RECEIPT: dict[str, Any] = json.loads(receipt_of(GAME, VERSION))
ANCHOR: dict[str, Any] = json.loads(place_of(GAME, VERSION))
LIST = asdict(key_list(SIGNER, [endorsed(OTHER, SIGNER.public, BEGUN), PublicKey(OTHER.public, BEGUN)], BEGUN))


def known(receipt: object = None, anchor: object = None, *keys: str) -> Known:
    receipts = () if receipt is None else (Document("kept", receipt),)
    checkpoints = () if anchor is None else (Document("kept", anchor),)
    return Known(receipts=receipts, checkpoints=checkpoints, keys=dict.fromkeys(keys))


@pytest.mark.parametrize("keys", [(), (SIGNER.public,)], ids=["any key", "a known key"])
def test_what_was_kept_vouches_for_its_game(keys: tuple[str, ...]) -> None:
    assert known(RECEIPT, None, *keys).anchors(BUNDLE) == {"kept": VERSION}
    assert known(None, ANCHOR, *keys).anchors(BUNDLE) == {"kept": VERSION}


def test_a_receipt_whose_halves_two_keys_signed_is_believed_by_both() -> None:
    """A key followed on another between the two."""
    mixed = RECEIPT | {"accepted": json.loads(receipt_of(GAME, VERSION, OTHER))["accepted"]}
    assert known(mixed).anchors(BUNDLE) == {"kept": VERSION}
    assert known(mixed, None, OTHER.public, SIGNER.public).anchors(BUNDLE) == {"kept": VERSION}
    for key in (OTHER, SIGNER):
        with pytest.raises(Damaged, match="none of ours"):
            known(mixed, None, key.public).anchors(BUNDLE)
    assert known(mixed).unnamed({"kept"}) == (
        f"kept: signed by {OTHER.public}, which was not named",
        f"kept: signed by {SIGNER.public}, which was not named",
    )


def test_whoever_signed_what_vouches_is_told_where_no_key_was_named() -> None:
    """Anybody can sign a place in a checkpoint of their own."""
    forged = json.loads(place_of(GAME, VERSION, OTHER))
    kept = known(None, forged)
    assert kept.unnamed(kept.anchors(BUNDLE)) == (f"kept: signed by {OTHER.public}, which was not named",)
    named = known(None, ANCHOR, SIGNER.public)
    assert named.unnamed(named.anchors(BUNDLE)) == ()
    assert kept.unnamed(set()) == (), "it vouches for nothing here"


def test_a_receipt_of_no_game_is_none() -> None:
    """What anybody may have written into it does not reach the terminal."""
    texts: list[Any] = [None, [], "", '{"game": "\\u001b[8m"}', '{"game": "\\ud800"}', "[" * 100_000]
    for text in texts:
        (told,) = known({"accepted": {"text": text}}).foreign(set())
        assert told == "kept: it is not a signed receipt [RECEIPT]"


@pytest.mark.parametrize(
    ("half", "change"),
    [
        ("accepted", {"game": None}),
        ("accepted", {"submission": None}),
        ("accepted", {"submission": []}),
        ("accepted", {"submission": "mine"}),
        ("accepted", {"command": None}),
        ("accepted", {"command": "ab"}),
        ("settled", {"command": []}),
        ("settled", {"status": None}),
        ("settled", {"status": "PENDING"}),
        ("settled", {"status": "REFUSED", "code": 5}),
        ("settled", {"version": True}),
        ("settled", {"version": 0}),
        ("settled", {"first_version": VERSION + 1}),
        ("settled", {"hash": None}),
        ("settled", {"hash": ROWS[VERSION - 1].hash.hex().upper()}),
    ],
)
def test_a_half_of_another_shape_is_no_receipt(half: str, change: dict[str, Any]) -> None:
    said = json.loads(RECEIPT[half]["text"]) | change
    lone = {half: signed({name: value for name, value in said.items() if value is not None})}
    with pytest.raises(Unproven, match="not a signed receipt"):
        vouched(lone, {SIGNER.public: None}, BUNDLE.header.game, ROWS)


def test_a_half_that_says_what_the_other_should_vouches_for_nothing() -> None:
    outcome = json.loads(RECEIPT["settled"]["text"]) | {"kind": "accepted"}
    assert vouched({"accepted": signed(outcome)}, {SIGNER.public: None}, BUNDLE.header.game, ROWS) is None


def signed(said: object) -> dict[str, str]:
    """A statement of anything."""
    text = json.dumps(said)
    return {"text": text, "signature": SIGNER.sign(SIGNED + text.encode()).hex()}


WORDS = st.sampled_from(
    [
        *(SIGNER.public, OTHER.public, str(BUNDLE.header.game), "0" * 64, "A" * 64, "0" * 128, "", "\ud800", "\x1b[8m"),
        *("APPLIED", "REFUSED", "accepted", "keys", "2026-02-30T00:00:00.000000Z", "2026-01-01T00:00:00.000000Z"),
    ]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([-1, 0, 1, 2, 2**53, 10**30])
    | st.text(max_size=3)
    | WORDS,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            WORDS | st.sampled_from(["text", "signature", "$command", "value", "salt"]), inner, max_size=2
        )
    ),
    max_leaves=4,
)


def places(value: object, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where anything stands in a value; a statement is looked into, and what it says stands below its text."""
    yield place
    match value:
        case {"text": str(text)}:
            yield from places(json.loads(text), (*place, "text"))
            yield (*place, "signature")
        case dict():
            for name, one in value.items():
                yield from places(one, (*place, name))
        case list():
            for number, one in enumerate(value):
                yield from places(one, (*place, number))


def altered(value: Any, place: tuple[Any, ...], put: object) -> Any:
    """A value with something else at a place, or without it (`...`); a statement that is changed is signed again."""
    match place:
        case ():
            return None if put is ... else put
        case ("text", _, *_):
            return value | signed(altered(json.loads(value["text"]), place[1:], put))
    name, *rest = place
    copy = value.copy()
    if put is ... and not rest:
        del copy[name]
    else:
        copy[name] = altered(value[name], tuple(rest), put)
    return copy


def spoilt(document: dict[str, Any]) -> st.SearchStrategy[Any]:
    """A document with anything at one of its places."""
    found = st.sampled_from([*places(document)])
    return found.flatmap(lambda place: st.builds(partial(altered, document, place), JSON | st.just(...)))


MODESTLY = settings(max_examples=250, deadline=None, derandomize=True)
Prove = Callable[[], object]


def refused_at_most(prove: Prove, refusal: type[Exception] = Unproven) -> None:
    """It proves something, or says in words that can be printed why it does not."""
    told = ""
    try:
        prove()
    except refusal as refused:
        told = str(refused)
    assert told.isprintable()


KEYS = st.sampled_from([(), (SIGNER.public,), (SIGNER.public, OTHER.public)])


@MODESTLY
@given(spoilt(RECEIPT), KEYS)
def test_a_receipt_with_anything_in_it_is_refused_at_most(document: Any, keys: tuple[str, ...]) -> None:
    kept = known(document, None, *keys)
    refused_at_most(partial(kept.anchors, BUNDLE), Damaged)
    assert "".join((*kept.foreign(set()), *kept.unnamed({"kept"}))).isprintable()
    refused_at_most(partial(vouched, document, {SIGNER.public: None}, BUNDLE.header.game, ROWS))


@MODESTLY
@given(spoilt(ANCHOR), KEYS, JSON)
def test_an_anchor_with_anything_in_it_is_refused_at_most(document: Any, keys: tuple[str, ...], path: Any) -> None:
    believed = {SIGNER.public: None}
    kept = known(None, document, *keys)
    refused_at_most(partial(kept.anchors, BUNDLE), Damaged)
    assert "".join((*kept.foreign(set()), *kept.unnamed({"kept"}))).isprintable()
    refused_at_most(partial(anchored, document, believed, BUNDLE.header.game, ROWS))
    checkpoint = checkpoint_in(ANCHOR["checkpoint"], believed)
    refused_at_most(partial(grew, checkpoint, checkpoint, path))


@MODESTLY
@given(spoilt(LIST), st.sampled_from([None, SIGNER.public, OTHER.public, "0" * 64]))
def test_a_list_of_keys_with_anything_in_it_is_refused_at_most(document: Any, pinned: str | None) -> None:
    refused_at_most(partial(keys_in, document, pinned))
