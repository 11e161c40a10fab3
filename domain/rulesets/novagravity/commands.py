"""What a player may ask for. Hexes go by their display names, from A1 to O8."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Act:
    """Send the ship at `origin` to the empty hex `target`, or let it attack the enemy there."""

    origin: str
    target: str


@dataclass(frozen=True, slots=True)
class OfferDraw:
    """Offer a draw, in one's own turn and before one's action."""


@dataclass(frozen=True, slots=True)
class AnswerDraw:
    """Accept or refuse the draw that the opponent offers, at any time while the offer stands."""

    accept: bool


Command: TypeAlias = Act | OfferDraw | AnswerDraw

COMMANDS: tuple[type[Command], ...] = (Act, OfferDraw, AnswerDraw)
