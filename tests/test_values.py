"""How a value is made of another."""

from dataclasses import dataclass, replace

import pytest

from domain.values import changed


@dataclass(frozen=True)
class Ship:
    space: int
    moves: tuple[int, ...] = ()


def test_a_changed_value_is_what_replace_makes() -> None:
    ship = Ship(3)
    assert changed(ship, moves=(1, 2)) == replace(ship, moves=(1, 2)) == Ship(3, (1, 2))


def test_the_value_it_was_made_of_stays_as_it_was() -> None:
    ship = Ship(3)
    changed(ship, space=5)
    assert ship == Ship(3)


def test_a_field_that_is_not_there_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="Ship"):
        changed(Ship(3), fuel=1)
