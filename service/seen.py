"""What a person gets to see: the values that the service hands to its faces, already fit for one viewer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from domain.catalogue import AnyRuleset
from domain.game import Game, Status, legal
from domain.ruleset import Outcome, Seat

T = TypeVar("T")


class Visibility(StrEnum):
    """Who may see a game: everyone; everyone who has its id; those who sit in it, host it or hold its join secret."""

    PUBLIC = "PUBLIC"
    UNLISTED = "UNLISTED"
    PRIVATE = "PRIVATE"


class ReceiptStatus(StrEnum):
    """PENDING is a promise: the submission is durable and will be decided."""

    PENDING = "PENDING"
    APPLIED = "APPLIED"
    REFUSED = "REFUSED"


class ChangeReason(StrEnum):
    """The weightiest of what is new in a game: it ended, you are to choose, it began, somebody sat down, or else."""

    YOUR_TURN = "YOUR_TURN"
    SEAT_TAKEN = "SEAT_TAKEN"
    STARTED = "STARTED"
    ENDED = "ENDED"
    CHANGED = "CHANGED"


@dataclass(frozen=True, slots=True)
class Player:
    """An account."""

    id: UUID
    handle: str
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token of an account, as its owner may list it: never the token itself."""

    id: UUID
    name: str
    created_at: datetime
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class Registered:
    """A new account and its first token, which is shown this once."""

    player: Player
    token: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What it came to that a player was forgotten: the seats that retire, those that are left, and in which games."""

    retired: int
    left: int
    games: frozenset[UUID]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something was not accepted: a stable code, English for people, and the facts of the matter."""

    code: str
    message: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the sender of a submission holds. `first_version` and `version` span the events it caused, once APPLIED."""

    id: UUID
    key: str
    game_id: UUID
    status: ReceiptStatus
    received_at: datetime
    first_version: int | None = None
    version: int | None = None
    hash: str | None = None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class EventSeen:
    """One stored event as a viewer may see it.

    `event` is the dataclass of its newest shape, redacted for the viewer; `data` its public fields and those sealed
    ones the viewer may open (snake_case, newest shape); `opened` what may be opened as committed: field -> value, salt.
    """

    game_id: UUID
    version: int
    name: str
    recorded_at: datetime
    actor: Seat | None
    summary: str
    event: Any
    data: Mapping[str, Any]
    sealed: Mapping[str, Any]
    opened: Mapping[str, Any]
    canonical: str
    prev_hash: str
    hash: str


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events to show: those of these names, those that this seat caused; None is all."""

    names: frozenset[str] | None = None
    seat: Seat | None = None

    def takes(self, seen: EventSeen) -> bool:
        """Whether to show an event."""
        return (self.names is None or seen.name in self.names) and self.seat in (None, seen.actor)


ALL_EVENTS: Final = EventFilter()


@dataclass(frozen=True, slots=True)
class GameSeen:
    """A game at one version, for one viewer. What costs something is computed when it is asked for.

    `opened` says that the game has ended by now, whatever version is looked at: its history is open to all.
    `imported` says that it came as a bundle from elsewhere, and can only be read.
    """

    id: UUID
    game: Game
    version: int
    head_hash: str
    status: Status
    visibility: Visibility
    players: tuple[Player | None, ...]
    my_seat: Seat | None
    join_secret: str | None
    created_at: datetime
    opened: bool
    imported: bool

    @property
    def ruleset(self) -> AnyRuleset:
        """The rules this game is pinned to."""
        return self.game.ruleset

    @property
    def my_turn_since(self) -> int | None:
        """The least expected version of the viewer's next turn that is not stale; None if they have no turn."""
        if self.my_seat is None or not self.legal_turns:
            return None
        return self.game.turn_since[self.my_seat]

    @property
    def legal_turns(self) -> tuple[Any, ...]:
        """The viewer's acceptable commands."""
        if self.status is Status.QUARANTINED or self.game.state is None:  # it has not begun, or does not fold
            return ()
        return legal(self.game, self.my_seat)

    @property
    def view(self) -> Any:
        """The ruleset's view for the viewer's seat, or the public's; None before the start."""
        return None if self.game.state is None else self.ruleset.view(self.game.state, self.my_seat)

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, once it has."""
        return self.game.outcome


@dataclass(frozen=True, slots=True, eq=False)
class GameUpdate:
    """What happened in a game after the update before it, and the game as of then: one object for all who see alike.

    `viewer` is the one player it is meant for, None for everybody who neither sits in the game nor hosts it. In `told`
    whoever tells it keeps how it was put, by what was asked: the next who asks alike is told the same.
    """

    viewer: Player | None
    events: tuple[EventSeen, ...]
    game: GameSeen
    told: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def version(self) -> int:
        """Of the last of the events, which is the last of its decision."""
        return self.game.version


@dataclass(frozen=True, slots=True)
class MyGamesUpdate:
    """One of a player's games changed."""

    game: GameSeen
    reason: ChangeReason


class BadCursor(Exception):
    """A cursor that no connection of ours gave."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A stretch of a connection: the items with their cursors, and whether more lies on either side."""

    items: tuple[T, ...]
    cursors: tuple[str, ...]
    has_next: bool
    has_previous: bool
