"""What can be chosen when a game is opened."""

from dataclasses import dataclass
from enum import StrEnum


class Blue(StrEnum):
    """Which seat commands Blue, who acts first; DRAWN by the game's own chance unless named."""

    DRAWN = "DRAWN"
    SEAT_0 = "SEAT_0"
    SEAT_1 = "SEAT_1"


@dataclass(frozen=True, slots=True)
class Options:
    """`no_progress`: 150 actions in a row without a destroyed or promoted ship are a draw.

    `layout_seed` (0 .. 2^32 - 1) names the layout of the obstacles, drawn otherwise. `start_from` is the text of a
    position, as the view prints it, for a practice game; its layout is its own.
    """

    blue: Blue = Blue.DRAWN
    no_progress: bool = False
    layout_seed: int | None = None
    start_from: str | None = None
