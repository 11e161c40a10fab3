"""What can happen in a race: each event is a fact with its consequences in it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, get_args

from domain.ruleset import Seat, Secret
from domain.rulesets.gravwell.board import Fuel, Ship, Ships
from domain.rulesets.gravwell.commands import Stop
from domain.rulesets.gravwell.gravity import Gravity
from domain.rulesets.gravwell.options import Options


@dataclass(frozen=True, slots=True)
class FuelOrder:
    """The card a seat chose for a phase, and what its Emergency Stop shall do."""

    card: Fuel
    stop: Stop


@dataclass(frozen=True, slots=True)
class Move:
    """One ship's way: from `start` to `end`, past the ships in `bumps` that stood where it would have ended.

    `end` is null for a ship that left the board through the Warp Gate.
    """

    ship: Ship
    start: int
    end: int | None
    bumps: tuple[Ship, ...]

    @property
    def is_backward(self) -> bool:
        """Whether the ship went toward the Singularity."""
        return self.end is not None and self.end < self.start


class Cause(StrEnum):
    """Why a card moved its ship as it did.

    NEAREST: one side holds the nearest ship. MAJORITY: two are nearest, and one side holds more ships. TIE: two are
    nearest, and the sides are equal. SINGULARITY: from there a ship only goes forward. NO_GRAVITY: nothing pulls.
    BEAM: a tractor moved the others.
    """

    NEAREST = "NEAREST"
    MAJORITY = "MAJORITY"
    TIE = "TIE"
    SINGULARITY = "SINGULARITY"
    NO_GRAVITY = "NO_GRAVITY"
    BEAM = "BEAM"


@dataclass(frozen=True, slots=True)
class RaceBegun:
    """The ships stand at the start, under what was agreed. `age_rank`: youngest first, as given or as drawn."""

    agreed: Options
    age_rank: tuple[Seat, ...]
    ships: Ships


@dataclass(frozen=True, slots=True)
class RoundDealt:
    """A round was dealt: its stacks by their upper and lower cards, the order of each pass, and whose stop is ready."""

    round: int
    draft_order: tuple[Seat, ...]
    face_up_cards: tuple[Fuel, ...]
    face_down_cards: Secret[tuple[Fuel, ...]]
    stops: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class StacksTurnedUp:
    """The lower cards of all stacks were shown to everybody (RULES 9.2)."""

    cards: tuple[Fuel, ...]


@dataclass(frozen=True, slots=True)
class HandDealt:
    """A seat was dealt its hand in place of a draft (RULES 9.4)."""

    seat: Seat
    size: int
    hand: Secret[tuple[Fuel, ...]]


@dataclass(frozen=True, slots=True)
class StackDrafted:
    """A seat took a stack: its upper card, known to all, and its lower card."""

    seat: Seat
    stack: int
    face_up: Fuel
    face_down: Secret[Fuel]


@dataclass(frozen=True, slots=True)
class PhaseOpened:
    """A movement phase began: every seat chooses."""

    round: int
    phase: int


@dataclass(frozen=True, slots=True)
class FuelChosen:
    """A seat chose, or chose anew; the card stays in its hand until the reveal."""

    seat: Seat
    order: Secret[FuelOrder]


@dataclass(frozen=True, slots=True)
class FuelRevealed:
    """All cards of a phase were revealed, by seat. What the stops were told is not."""

    round: int
    phase: int
    cards: tuple[Fuel, ...]


@dataclass(frozen=True, slots=True)
class StopAsked:
    """A seat is asked whether to stop its card, which would lead to `moves`."""

    seat: Seat
    card: Fuel
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class StopUsed:
    """A seat used its Emergency Stop: its card was discarded without effect."""

    seat: Seat
    card: Fuel


@dataclass(frozen=True, slots=True)
class FuelResolved:
    """A card was resolved: why it moved whom, in order. `gravity`: the pull on its ship; null for a tractor."""

    seat: Seat
    card: Fuel
    cause: Cause
    gravity: Gravity | None
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class RaceEnded:
    """The race is over: why, and the ranking, best first, each inner tuple a tie of seats."""

    reason: str
    ranking: tuple[tuple[Seat, ...], ...]


Event: TypeAlias = (
    RaceBegun
    | RoundDealt
    | StacksTurnedUp
    | HandDealt
    | StackDrafted
    | PhaseOpened
    | FuelChosen
    | FuelRevealed
    | StopAsked
    | StopUsed
    | FuelResolved
    | RaceEnded
)

EVENTS: tuple[type, ...] = get_args(Event)
