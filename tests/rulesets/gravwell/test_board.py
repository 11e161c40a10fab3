"""The cards and the start, as the rule sheet sums them up."""

from collections import Counter
from string import ascii_uppercase

import pytest

from domain.rulesets.gravwell.board import START, Fuel, Kind


def test_there_is_one_card_for_each_letter() -> None:
    assert "".join(Fuel) == ascii_uppercase


def test_twenty_cards_are_standard_four_repulsors_and_two_tractors() -> None:
    assert Counter(card.kind for card in Fuel) == {Kind.STANDARD: 20, Kind.REPULSOR: 4, Kind.TRACTOR: 2}


@pytest.mark.parametrize(("kind", "total"), [(Kind.STANDARD, 110), (Kind.REPULSOR, 16), (Kind.TRACTOR, 5)])
def test_the_numbers_of_a_kind_sum_up(kind: Kind, total: int) -> None:
    assert sum(card.number for card in Fuel if card.kind is kind) == total


@pytest.mark.parametrize(
    ("letter", "symbol", "number", "kind"),
    [
        ("A", "Ar", 1, Kind.STANDARD),
        ("J", "Jo", 2, Kind.TRACTOR),
        ("K", "Kr", 2, Kind.REPULSOR),
        ("M", "Mg", 10, Kind.STANDARD),
        ("N", "Ne", 6, Kind.REPULSOR),
        ("Q", "Qt", 3, Kind.TRACTOR),
        ("U", "U", 5, Kind.REPULSOR),
        ("X", "Xe", 3, Kind.REPULSOR),
        ("Z", "Zr", 7, Kind.STANDARD),
    ],
)
def test_a_card_knows_what_is_printed_on_it(letter: str, symbol: str, number: int, kind: Kind) -> None:
    card = Fuel[letter]
    assert (card.symbol, card.number, card.kind) == (symbol, number, kind)


def test_two_seats_race_with_one_derelict_on_36_and_more_with_another_on_26() -> None:
    assert START == {
        2: (0, 0, None, None, None, 36),
        3: (0, 0, 0, None, 26, 36),
        4: (0, 0, 0, 0, 26, 36),
    }
