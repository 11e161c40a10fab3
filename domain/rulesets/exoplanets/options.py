"""What whoever opens a game may choose."""

from dataclasses import dataclass
from enum import StrEnum


class Compensation(StrEnum):
    """What a seat gets whose life a species displaces: one crystal, or one for each of its cubes."""

    OWNER = "OWNER"
    CUBE = "CUBE"


class FirstSeat(StrEnum):
    """Who begins: a seat drawn by lot, or the one named."""

    DRAWN = "DRAWN"
    SEAT_0 = "SEAT_0"
    SEAT_1 = "SEAT_1"
    SEAT_2 = "SEAT_2"
    SEAT_3 = "SEAT_3"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a game.

    `gravity`: play with the Gravity markers. `compensation`: what displaced life is worth to its owner.
    `fourth_cube`: the step to a species, too, needs a spare cube. `first_seat`: who begins.
    """

    gravity: bool = True
    compensation: Compensation = Compensation.OWNER
    fourth_cube: bool = False
    first_seat: FirstSeat = FirstSeat.DRAWN
