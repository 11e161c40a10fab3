"""What a title is: one record of facts and pure functions that the game, the service and the API are built around."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Any, Final, Generic, TypeAlias, TypeVar

from domain.chance import Draws

Seat: TypeAlias = int
"""A place in a game, 0-based."""

Viewer: TypeAlias = int | None
"""Who looks: a seat, or None for the public."""

T = TypeVar("T")
State = TypeVar("State")
Command = TypeVar("Command")
Event = TypeVar("Event")
View = TypeVar("View")

EVENTS_A_DECISION_MAX: Final = 500
"""The most events one accepted command may yield (law 2)."""


class Hidden(Enum):
    """The type of HIDDEN, the value that stands where a viewer may not look."""

    HIDDEN = "HIDDEN"

    def __repr__(self) -> str:
        return "HIDDEN"


HIDDEN: Final = Hidden.HIDDEN


@dataclass(frozen=True, slots=True)
class Secret(Generic[T]):
    """A value and the seats that may know it; `to=()` means nobody before the end of the game.

    As a top-level field of an event it is stored sealed. Folded from a redacted event its value is HIDDEN.
    """

    value: T | Hidden
    to: tuple[Seat, ...]

    @property
    def known(self) -> T:
        """The value. A caller that decides must know it: HIDDEN here is a bug, and raises AssertionError."""
        assert not isinstance(self.value, Hidden), "decided over a HIDDEN value"
        return self.value

    def seen_by(self, viewer: Viewer) -> T | Hidden:
        """The value if `viewer` is in the audience, else HIDDEN."""
        return self.value if viewer in self.to else HIDDEN


def redacted(event: Any, viewer: Viewer) -> Any:
    """The event as `viewer` may see it: every top-level Secret that is not for them holds HIDDEN."""
    hidden: dict[str, Any] = {
        name: Secret(HIDDEN, value.to)
        for name, value in ((each.name, getattr(event, each.name)) for each in fields(event))
        if isinstance(value, Secret) and viewer not in value.to
    }
    return replace(event, **hidden)


class Refused(Exception):
    """A command that the rules do not accept: a stable UPPER_SNAKE code and the facts of the matter.

    English is made at the edge from `Ruleset.refusals`, whose texts may name the facts in braces.
    Facts are public: never put into them what the refused seat may not know.
    """

    def __init__(self, code: str, **facts: int | str | bool | list[int] | list[str] | None) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: a lower_snake reason and the ranking, best first, each inner tuple a tie of seats."""

    reason: str
    ranking: tuple[tuple[Seat, ...], ...]


@dataclass(frozen=True, slots=True)
class Setup:
    """What a game starts from: the number of seats, and the options (an instance of `Ruleset.options`)."""

    seats: int
    options: Any


def snake(name: str) -> str:
    """`StackDrafted` -> `stack_drafted`: how classes are named in the stream and in the API."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def schema_of(event_type: type) -> int:
    """The schema version of an event type's present shape: its class attribute `SCHEMA`, or 1."""
    return int(getattr(event_type, "SCHEMA", 1))


@dataclass(frozen=True, slots=True)
class Ruleset(Generic[State, Command, Event, View]):
    """One version of the rules of one title.

    Facts:
      name, title, version, summary; `seats`: the numbers of seats it takes, ascending; `options`: a frozen dataclass,
      every field with a default; `commands`, `events`: their dataclasses; `view_type`; `refusals`: code -> English;
      `upcasts`: (event class name in snake case, schema) -> function from the stored dict of that schema to the next;
      `reasons`: every reason with which `outcome` can end a game.
    Changes, each giving the events that follow from it:
      `start(setup, draws)` raises Refused("BAD_OPTION", option=..., reason=...) for options that make no sense;
      `decide(state, seat, command, draws)` raises Refused and nothing else;
      `lapse(state, seat, draws)` does for an awaited seat what a missed deadline does;
      `evolve(state, event)` is total, reads no rules, and takes None for the state before the first event.
    Questions:
      `awaiting(state)`: the seats without whom the game cannot go on, ascending; `legal(state, seat)`: every command
      that would be accepted, but for offers, undo and resignation; `outcome(state)`: None while it goes on;
      `view(state, viewer)`: what the viewer may see; `narrate(event)`: one English sentence, HIDDEN fields allowed.
    Optional:
      `resign(state, seat)`: what the title itself records of a resignation;
      `advise(view, legal, draws)`: a bot's choice.
    """

    name: str
    title: str
    version: int
    summary: str
    seats: tuple[int, ...]
    options: type
    commands: tuple[type, ...]
    events: tuple[type, ...]
    view_type: type
    refusals: Mapping[str, str]
    start: Callable[[Setup, Draws], tuple[Event, ...]]
    decide: Callable[[State, Seat, Command, Draws], tuple[Event, ...]]
    lapse: Callable[[State, Seat, Draws], tuple[Event, ...]]
    evolve: Callable[[State | None, Event], State]
    awaiting: Callable[[State], tuple[Seat, ...]]
    legal: Callable[[State, Seat], tuple[Command, ...]]
    outcome: Callable[[State], Outcome | None]
    view: Callable[[State, Viewer], View]
    narrate: Callable[[Event], str]
    upcasts: Mapping[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    resign: Callable[[State, Seat], tuple[Event, ...]] | None = None
    advise: Callable[[View, tuple[Command, ...], Draws], Command] | None = None
