"""What the catalogue's titles add to the API: every type that would change with a new title is made here."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Union

import strawberry

from domain import game
from domain.catalogue import NEWEST
from schema import derive
from schema.interfaces import Event

TITLES: Final[Mapping[str, derive.Title]] = {name: derive.title(ruleset, Event) for name, ruleset in NEWEST.items()}

EVENTS: Final[tuple[type, ...]] = (
    *derive.events("game", game.EVENTS, Event),
    *(event for title in TITLES.values() for event in title.events),
)
"""Every type of event, of the game itself and of each title."""

RulesetName: Final[Any] = derive.names("RulesetName", "The titles one can play.", TITLES)

RulesetView: Final[Any] = Annotated[
    Union[tuple(title.view for title in TITLES.values())],  # noqa: UP007
    strawberry.union("RulesetView", description="What one viewer may see of a running game; its type is the title's."),
]

TurnInput: Final[Any] = derive.one_of(
    "TurnInput",
    "A turn of one of the titles. A value of `Game.legalTurns` is one as it stands.",
    {name: title.turn for name, title in TITLES.items()},
)
