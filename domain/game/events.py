"""What can happen in the life of any game: the `game.*` events, each a fact with its consequences."""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from domain.ruleset import Seat

Options = TypeVar("Options")
Past = TypeVar("Past")


@dataclass(frozen=True, slots=True)
class Opened(Generic[Options]):
    """A game was opened: pinned to one version of a ruleset, committed to a secret (FORMAT.md, Secret of a game)."""

    ruleset: str
    rules: int
    seats: int
    options: Options
    turn_seconds: int | None
    secret_hash: str


@dataclass(frozen=True, slots=True)
class Forked(Generic[Past]):
    """A practice game, all of whose seats its host plays, goes on from a version of a game that is over.

    `past`: what happened there in play up to that version, by the title's own events, with all that was sealed in them:
    whoever folds this stream needs no other. `retired`: who had resigned there, in that order.
    """

    from_game: str
    from_version: int
    from_hash: str
    retired: tuple[Seat, ...]
    past: Past


@dataclass(frozen=True, slots=True)
class Held:
    """The game will not start by itself when it is full: its host starts it."""


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A person or a house bot sat down; `entropy` is what they gave to the game's chance, in hex."""

    seat: Seat
    bot: bool
    entropy: str | None


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A person left the seat before the start."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class EntropyAdded:
    """A seated person gave more entropy to the game's chance, in hex."""

    seat: Seat
    entropy: str


@dataclass(frozen=True, slots=True)
class Started:
    """All seats are taken and the play begins; the seed is fixed from here on."""


@dataclass(frozen=True, slots=True)
class DeadlineSet:
    """Whoever is awaited has until this moment (UTC); then the clock lapses them."""

    deadline: datetime


@dataclass(frozen=True, slots=True)
class Lapsed:
    """A seat did not act in time, or has resigned: the rules act for it in the events that follow."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Resigned:
    """A seat retired: it is lapsed the moment it is awaited, and ranks last."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Released:
    """An operator let a quarantined game go on."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over: why, and the ranking, best first, each inner tuple a tie of seats."""

    reason: str
    ranking: tuple[tuple[Seat, ...], ...]


@dataclass(frozen=True, slots=True)
class SecretOpened:
    """The game's secret, in hex: from here on everything sealed in the stream can be opened by anyone."""

    secret: str


EVENTS: tuple[type, ...] = (
    Opened,
    Forked,
    Held,
    SeatTaken,
    SeatLeft,
    EntropyAdded,
    Started,
    DeadlineSet,
    Lapsed,
    Resigned,
    Released,
    Ended,
    SecretOpened,
)
