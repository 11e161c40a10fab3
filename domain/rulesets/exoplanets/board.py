"""The board in numbers: what each number of seats plays with, and the limits that hold for all (RULES 2)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from domain.rulesets.exoplanets.crystals import Crystals

ROUNDS: Final = 5
"""Turns of each seat: the Star holds one energy for each turn of the game."""

RAYS: Final = 4
"""Sides of the Star. Rays are numbered 0 to 3 around it; 3 and 0 are neighbours."""

RESERVES: Final = 2
HAND: Final = 3
"""Space tiles dealt to each seat."""

DRAWN: Final = 2
"""Planets drawn from the bag to choose from, and space tiles seen in a survey."""

CUBES: Final = 6
SPECIES: Final = 4
"""Life cubes and species cylinders of each seat."""

LIFE_MAX: Final = 3
"""Cubes a seat may have on one planet; the next step makes a species of them."""

SPECIES_WORTH: Final = 5
"""A species counts as much as this many cubes."""

TAKEBACKS: Final = 3
"""How often a seat may take back in one turn."""


class Special(StrEnum):
    """The three events that used effects bring nearer."""

    BLACK_HOLE = "BLACK_HOLE"
    SOLAR_STORM = "SOLAR_STORM"
    CREATION = "CREATION"


@dataclass(frozen=True, slots=True)
class Discs:
    """So many discs on each special tile."""

    black_hole: int
    solar_storm: int
    creation: int

    def __getitem__(self, special: Special) -> int:
        return {
            Special.BLACK_HOLE: self.black_hole,
            Special.SOLAR_STORM: self.solar_storm,
            Special.CREATION: self.creation,
        }[special]

    def having(self, special: Special, count: int) -> "Discs":
        """The same discs, but for `count` on one tile."""
        return replace(self, **{special.lower(): count})


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a number of seats plays with. `removal`: Gravity markers that remove one space tile."""

    places_a_ray: int
    star: int
    cloud: Crystals
    discs: Discs
    gravity_pool: int
    removal: int


NUMBERS: Final[Mapping[int, Numbers]] = MappingProxyType(
    {
        2: Numbers(3, 10, Crystals(27, 17, 17), Discs(3, 3, 4), gravity_pool=10, removal=3),
        3: Numbers(4, 15, Crystals(22, 17, 17), Discs(4, 4, 5), gravity_pool=15, removal=3),
        4: Numbers(5, 20, Crystals(17, 17, 17), Discs(5, 5, 6), gravity_pool=20, removal=2),
    }
)
"""Seats -> numbers."""

SEATS: Final = tuple(NUMBERS)
