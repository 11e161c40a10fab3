"""What can happen in a duel: facts, each with all its consequences. Hexes go by their display names."""

from dataclasses import dataclass
from typing import TypeAlias

from domain.ruleset import Seat
from domain.rulesets.novagravity.board import Cause, Ending, Kind, Side, Unit


@dataclass(frozen=True, slots=True)
class Loss:
    """A ship that was destroyed: where it stood, which it was, and why it fell."""

    at: str
    side: Side
    unit: Unit
    cause: Cause


@dataclass(frozen=True, slots=True)
class Deed:
    """What a ship did, and all that came of it until the turn passed.

    `unit` is the ship before it was promoted, `landed` where it stands afterwards: null if it was destroyed.
    `recoiled`: it destroyed its target from a vertical line and did not enter the target's hex.
    """

    side: Side
    unit: Unit
    origin: str
    target: str
    kind: Kind
    landed: str | None
    recoiled: bool
    promoted: bool
    destroyed: tuple[Loss, ...]


@dataclass(frozen=True, slots=True)
class DuelStarted:
    """The fleets stand: who commands Blue, on which layout, and the position.

    `layout_seed` is a number in decimal digits, for it may be more than an Int holds; null in a practice game.
    """

    blue: Seat
    layout_seed: str | None
    position: str
    no_progress: bool
    check: bool


@dataclass(frozen=True, slots=True)
class ShipActed:
    """A seat's action of the turn; `check`: the opponent's Mother Ship is in check now."""

    seat: Seat
    deed: Deed
    check: bool


@dataclass(frozen=True, slots=True)
class DrawOffered:
    """A seat offers a draw; the offer stands until the opponent accepts, refuses or acts."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class DrawDeclined:
    """A seat refused the offered draw, or acted instead; the other completes `rest_actions` before offering again."""

    seat: Seat
    rest_actions: int


@dataclass(frozen=True, slots=True)
class DuelEnded:
    """The duel is over: how, and the seat that won, null for a draw."""

    ending: Ending
    winner: Seat | None


Event: TypeAlias = DuelStarted | ShipActed | DrawOffered | DrawDeclined | DuelEnded

EVENTS: tuple[type[Event], ...] = (DuelStarted, ShipActed, DrawOffered, DrawDeclined, DuelEnded)
