"""What the game is played with, as data: the fleet, the opening, the obstacles, and the numbers of the rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Side(StrEnum):
    """Who commands a ship. Blue starts at the top, faces down, and acts first."""

    BLUE = "BLUE"
    RED = "RED"


class Axis(StrEnum):
    """The three axes of a pointy-top hex: left-right, the diagonals, and the vertical jump of two rows."""

    H = "H"
    V = "V"
    O = "O"  # noqa: E741  (the rules' own letter)


class Unit(StrEnum):
    """The six types of ship."""

    MOTHER_SHIP = "MOTHER_SHIP"
    RELAY_DRONE = "RELAY_DRONE"
    ESCORT = "ESCORT"
    CRUISER = "CRUISER"
    VOID_SHIFTER = "VOID_SHIFTER"
    STAR_BOMBER = "STAR_BOMBER"


class Kind(StrEnum):
    """The kinds of action: go to an empty hex, destroy by going there, destroy from where one stands."""

    MOVE = "MOVE"
    CLOSE = "CLOSE"
    RANGED = "RANGED"


class Weapon(StrEnum):
    """How a unit attacks. BOTH: close at one step, ranged from two."""

    CLOSE = "CLOSE"
    RANGED = "RANGED"
    BOTH = "BOTH"


class Cause(StrEnum):
    """Why a ship was destroyed (RULES.md, 5, 6 and 8).

    RAMMED by a close attack, SHOT by a ranged one, ABSORBED a blow meant for its Mother Ship, REPELLED by an Escort
    that did, SWALLOWED by the black hole it stayed on.
    """

    RAMMED = "RAMMED"
    SHOT = "SHOT"
    ABSORBED = "ABSORBED"
    REPELLED = "REPELLED"
    SWALLOWED = "SWALLOWED"


class Ending(StrEnum):
    """How a duel ends (RULES.md, 9)."""

    CHECKMATE = "CHECKMATE"
    MOTHER_DESTROYED = "MOTHER_DESTROYED"
    CONSUMED = "CONSUMED"
    RESIGNED = "RESIGNED"
    LAPSED = "LAPSED"
    STALEMATE = "STALEMATE"
    INSUFFICIENT = "INSUFFICIENT"
    THREEFOLD = "THREEFOLD"
    AGREEMENT = "AGREEMENT"
    NO_PROGRESS = "NO_PROGRESS"


WON_BY_ACTING: Final = frozenset({Ending.CHECKMATE, Ending.MOTHER_DESTROYED, Ending.CONSUMED})
"""The endings of an action that wins the duel; every other ending of an action is a draw."""


@dataclass(frozen=True, slots=True)
class Design:
    """What a unit can do: its letter, how many a side starts with, the most steps on each axis, its weapon."""

    letter: str
    per_side: int
    ranges: Mapping[Axis, int]
    weapon: Weapon


def _steps(h: int, v: int, o: int) -> Mapping[Axis, int]:
    return MappingProxyType({Axis.H: h, Axis.V: v, Axis.O: o})


FLEET: Mapping[Unit, Design] = MappingProxyType(
    {
        Unit.MOTHER_SHIP: Design("M", 1, _steps(h=1, v=0, o=1), Weapon.CLOSE),
        Unit.RELAY_DRONE: Design("D", 8, _steps(h=1, v=1, o=1), Weapon.RANGED),
        Unit.ESCORT: Design("E", 2, _steps(h=2, v=1, o=2), Weapon.CLOSE),
        Unit.CRUISER: Design("C", 2, _steps(h=4, v=2, o=0), Weapon.RANGED),
        Unit.VOID_SHIFTER: Design("W", 2, _steps(h=3, v=3, o=0), Weapon.CLOSE),
        Unit.STAR_BOMBER: Design("B", 2, _steps(h=4, v=2, o=4), Weapon.BOTH),
    }
)
"""The fleet. The traits that are more than a number are told apart by unit, in movement.py and combat.py."""

OPENING: Final = "DDDDDDDD/CWBEMEBWC/10/11/12/13/14/15/14/13/12/11/10/cwbemebwc/dddddddd"
"""The ships at the start, row by row from the top; capitals are Blue's, numbers are runs of empty hexes."""

RADIUS: Final = 7
"""Hexes from the star in the centre to the rim."""

OBSTACLES: Final = "HPPAAA"
"""What a layout places, in this order, each on a hex and on its point mirror: hole, planets, asteroid fields."""

OBSTACLE_ROW_MAX: Final = 4
"""The row, counted from the centre, beyond which a layout places nothing: before each fleet a row stays free."""

OBSTACLE_DISTANCE_MIN: Final = 2
"""The least distance between two obstacles, the star included."""

SEEDS: Final = 1 << 32
"""Layout seeds are 0 .. SEEDS - 1."""

BARE: Final = frozenset({"M", "MC", "MW"})
"""The fleets, as sorted letters, that cannot force checkmate; a draw if both sides have one of them."""

OCCURRENCES_MAX: Final = 3
"""The occurrence of a position that draws the game."""

NO_PROGRESS_PLIES: Final = 150
"""Actions in a row without a destroyed or promoted ship that draw the game, where that option is on."""

OFFER_REST_ACTIONS: Final = 10
"""Actions that a player whose offer of a draw was refused completes before the next offer."""
