"""What people ask of any game, before the rules of its title: each is received, sealed and decided like a turn."""

from dataclasses import dataclass
from typing import Any

from domain.ruleset import Seat


@dataclass(frozen=True, slots=True)
class OpenGame:
    """Open a game; `options` are the ruleset's, `turn_seconds` None for no deadline.

    `sit`: the opener takes seat 0. `bots`: house bots on the last seats. `start`: begin by itself when full.
    """

    ruleset: str
    seats: int
    options: Any = None
    turn_seconds: int | None = None
    sit: bool = True
    bots: int = 0
    start: bool = True


@dataclass(frozen=True, slots=True)
class ForkGame:
    """Fork a game that is over: go on from what it had come to at a version, in a practice game.

    `game` is its id; `rules` None for those it was played by.
    """

    game: str
    at: int
    rules: int | None = None


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """Sit down; `seat` None takes the first free one. `entropy`: 32 to 128 hex digits for the game's chance."""

    seat: Seat | None = None
    entropy: str | None = None


@dataclass(frozen=True, slots=True)
class LeaveSeat:
    """Leave one's seat, before the start."""


@dataclass(frozen=True, slots=True)
class AddEntropy:
    """Give 32 to 128 hex digits to the game's chance, before the start."""

    entropy: str


@dataclass(frozen=True, slots=True)
class StartGame:
    """Begin a full game that waits for its host."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Retire from a running game; from a practice game, of which it is the end."""


COMMANDS: tuple[type, ...] = (OpenGame, ForkGame, TakeSeat, LeaveSeat, AddEntropy, StartGame, Resign)
"""The commands of the game itself; every other command of a game is one of its ruleset's (a turn)."""
