"""A title's dataclasses in every shape there is; nobody could play it."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, IntEnum
from typing import Generic, TypeVar

from domain.catalogue import AnyRuleset
from domain.ruleset import Hidden, Seat, Secret
from tests.rulesets.toy import TOY

Rules = TypeVar("Rules")


class Hue(Enum):
    """A colour of marbles."""

    RED = "r"
    BLUE = "b"


class Size(IntEnum):
    SMALL = 1
    LARGE = 9


@dataclass(frozen=True, slots=True)
class Marble:
    """A marble, `hue_seen` by somebody."""

    hue_seen: Hue
    size: Size


@dataclass(frozen=True, slots=True)
class ThrowMarbles:
    """Throw some."""

    marble: Marble
    more: tuple[Marble, ...]
    spare: Marble | None = None
    hues_wanted: tuple[Hue, ...] = (Hue.RED,)
    strength: int = 3


@dataclass(frozen=True, slots=True)
class EndTurn:
    """Be done."""


@dataclass(frozen=True, slots=True)
class BagFilled(Generic[Rules]):
    """A bag was filled as `house_rules` say."""

    house_rules: Rules
    filled_at: datetime


@dataclass(frozen=True, slots=True)
class MarblesThrown:
    seat: Seat
    marble: Secret[Marble]
    rest: Secret[tuple[Hue, ...]]
    last: Secret[Hue | None]


@dataclass(frozen=True, slots=True)
class Board:
    """All that lies about."""

    holes: frozenset[int]
    rows: tuple[tuple[int, ...], ...]
    known: tuple[Hue | Hidden, ...]
    best: Marble | Hidden | None
    share: float
    done: bool


MARBLES: AnyRuleset = replace(
    TOY,
    name="marble_run",
    title="Marble Run",
    commands=(ThrowMarbles, EndTurn),
    events=(BagFilled, MarblesThrown),
    view_type=Board,
)
