"""Chance and canonical text: the known answers of the stored form, and the properties behind them."""

import hmac
import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from domain.canonical import canonical
from domain.chance import WORDS, Draw, draws_from, seed_of

EXAMPLE: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "format-example.json").read_text())
SEED = bytes.fromhex(EXAMPLE["seed"])
INTEGER_MAX = 2**53 - 1

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
KEYS = st.text(st.characters(max_codepoint=127))
VALUES = st.recursive(
    TEXTS | st.integers(-INTEGER_MAX, INTEGER_MAX) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


def test_the_seed_comes_of_the_secret_and_every_entropy_given_or_not() -> None:
    assert seed_of(bytes.fromhex(EXAMPLE["secret"]), EXAMPLE["entropies"]) == SEED


def test_the_case_of_an_entropy_does_not_matter() -> None:
    upper = [entropy and entropy.upper() for entropy in ("ab" * 16, None)]
    assert seed_of(bytes(32), upper) == seed_of(bytes(32), ["ab" * 16, None])


def test_every_place_in_the_list_of_entropies_matters() -> None:
    given = (None, "00" * 16, "ff" * 16)
    assert len({seed_of(bytes(32), order) for order in permutations(given)}) == 6
    assert seed_of(bytes(32), [None, None]) != seed_of(bytes(32), [None])


def test_a_deck_of_26_letters_falls_as_the_example_says() -> None:
    assert "".join(draws_from(SEED)("round-1/deck").shuffled(ascii_uppercase)) == EXAMPLE["draws"]["round-1/deck"]


def test_four_seats_are_ranked_by_age_as_the_example_says() -> None:
    assert draws_from(SEED)("age-rank").shuffled(range(4)) == tuple(EXAMPLE["draws"]["age-rank"])


def test_twelve_numbers_below_ten_fall_as_the_example_says() -> None:
    draw = draws_from(SEED)("x")
    assert [draw.below(10) for _ in range(12)] == EXAMPLE["draws"]["below-10"]


def test_a_label_begins_again_each_time_it_is_asked_for() -> None:
    draws = draws_from(SEED)
    assert draws("age-rank").shuffled(range(9)) == draws("age-rank").shuffled(range(9))


def test_words_past_the_last_whole_multiple_are_skipped() -> None:
    # Just over half of all words are below this n, which fits once; the others must be drawn again, not folded over.
    n = WORDS // 2 + 1
    words = [word for word in words_under("skipping", blocks=8) if word < n]
    assert 8 < len(words) < 24, "the case would prove nothing"
    draw = draws_from(SEED)("skipping")
    assert [draw.below(n) for _ in words] == words


def test_a_number_that_divides_all_words_skips_none() -> None:
    draw = draws_from(SEED)("whole")
    assert [draw.below(WORDS) for _ in range(8)] == words_under("whole", blocks=2)
    assert draws_from(SEED)("whole").below(1) == 0


@given(st.integers(1, WORDS), st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
def test_a_number_below_n_is_one_of_n(n: int, label: str) -> None:
    assert 0 <= Draw(SEED, label).below(n) < n


def test_all_orders_of_three_are_about_equally_frequent() -> None:
    orders = Counter(draws_from(SEED)(f"order-{n}").shuffled("abc") for n in range(6_000))
    assert len(orders) == 6
    assert all(850 < count < 1_150 for count in orders.values()), orders  # five standard deviations around 1,000


@given(VALUES)
def test_canonical_text_is_that_of_rfc_8785(value: object) -> None:
    assert canonical(value).encode() == rfc8785.dumps(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("event", EXAMPLE["events"], ids=lambda event: json.loads(event["public"])["name"])
def test_the_texts_of_the_example_are_canonical(event: dict[str, Any]) -> None:
    for text in filter(None, (event["public"], event["secret"])):
        assert canonical(json.loads(text)) == text


def words_under(label: str, *, blocks: int) -> list[int]:
    """The words of the first blocks under a label, from the definition and not from the code under test."""
    prefix = b"slowlight/draw/1" + label.encode() + b"\0"
    row = b"".join(hmac.digest(SEED, prefix + block.to_bytes(4, "big"), "sha256") for block in range(blocks))
    return [int.from_bytes(row[at : at + 8], "big") for at in range(0, len(row), 8)]
