"""The folded life of one game, and how each event changes it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import reduce
from typing import Any, TypeAlias

from domain.catalogue import CATALOGUE, AnyRuleset
from domain.game.events import (
    DeadlineSet,
    Ended,
    EntropyAdded,
    Forked,
    Held,
    Lapsed,
    Opened,
    Released,
    Resigned,
    SeatLeft,
    SeatTaken,
    SecretOpened,
    Started,
)
from domain.ruleset import Outcome, Seat
from domain.values import changed

Changes: TypeAlias = dict[str, Any]
"""Fields of a game and what they become."""


class Status(StrEnum):
    """Where a game stands in its life. QUARANTINED is laid over the folded status by the service; no event sets it."""

    OPEN = "OPEN"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    ENDED = "ENDED"
    QUARANTINED = "QUARANTINED"


class Sitter(StrEnum):
    """Who sits on a seat. Which person it is, the stream does not know. HOST plays all seats of a practice game."""

    PERSON = "PERSON"
    BOT = "BOT"
    HOST = "HOST"


@dataclass(frozen=True, slots=True)
class Fork:
    """Where a practice game leaves another: its id, and the version and hash of the last event they share."""

    game: str
    version: int
    hash: str


@dataclass(frozen=True)
class Game:
    """A game as of `version`. `state` is the ruleset's, None before the start.

    `awaiting` and `turn_since` are as of the end of the last decision: for each seat the version at which its present
    choice was opened (the least expected version that is not stale), None if it never had one.
    `retired` is in the order of resigning; `lapsed` are the seats lapsed in the decision being folded.
    """

    ruleset_name: str
    rules: int
    seats: int
    options: Any
    turn_seconds: int | None
    secret_hash: str
    version: int = 1
    status: Status = Status.OPEN
    held: bool = False
    sitters: tuple[Sitter | None, ...] = ()
    retired: tuple[Seat, ...] = ()
    entropies: tuple[str | None, ...] = ()
    state: Any = None
    deadline: datetime | None = None
    outcome: Outcome | None = None
    awaiting: tuple[Seat, ...] = ()
    turn_since: tuple[int | None, ...] = ()
    lapsed: tuple[Seat, ...] = ()
    fork: Fork | None = None

    @property
    def ruleset(self) -> AnyRuleset:
        """The version of the rules this game is pinned to. Raises KeyError if this build does not have it."""
        return CATALOGUE[self.ruleset_name, self.rules]

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """The seats awaited after the last event, be it the last of its decision or not; ascending."""
        if self.status is not Status.RUNNING or self.state is None:
            return ()
        return self.ruleset.awaiting(self.state)

    @property
    def free(self) -> tuple[Seat, ...]:
        """The seats nobody sits on, ascending."""
        return tuple(seat for seat, sitter in enumerate(self.sitters) if sitter is None)

    @property
    def playing(self) -> tuple[Seat, ...]:
        """The seats that have not retired, ascending."""
        return tuple(seat for seat in range(self.seats) if seat not in self.retired)


def evolve(game: Game | None, event: Any) -> Game:
    """The game after one event, of the game itself or of its ruleset. Reads no rules and refuses nothing."""
    return _opened(event) if game is None else changed(game, **_changes(game, event))


def concluded(game: Game, by: Seat | None) -> Game:
    """The game at the end of a decision that seat `by` caused: who is awaited now, and since when.

    A choice is opened for a seat by the decision after which it is awaited and was not before; the seat's own turn,
    or its lapse, opens its next one.
    """
    return changed(game, **_conclusion(game, by))


def fold(decisions: Iterable[tuple[Seat | None, Iterable[Any]]], game: Game | None = None) -> Game:
    """The game after these decisions, each the seat that caused it and its events, from `game` or from the first."""
    # Nobody sees the game between two events: it is changed in place. Two copies an event took a fifth of the time.
    folding = None if game is None else changed(game)
    for by, events in decisions:
        for event in events:
            if folding is None:
                folding = _opened(event)
            else:
                vars(folding).update(_changes(folding, event))
        assert folding is not None, "a decision has at least one event"
        vars(folding).update(_conclusion(folding, by))
    assert folding is not None, "a stream has at least one decision"
    return folding


def _opened(event: Opened[Any]) -> Game:
    return Game(
        ruleset_name=event.ruleset,
        rules=event.rules,
        seats=event.seats,
        options=event.options,
        turn_seconds=event.turn_seconds,
        secret_hash=event.secret_hash,
        sitters=(None,) * event.seats,
        turn_since=(None,) * event.seats,
    )


def _changes(game: Game, event: Any) -> Changes:
    change = _CHANGES.get(type(event))
    changes = {"state": game.ruleset.evolve(game.state, event)} if change is None else change(game, event)
    changes["version"] = game.version + 1
    return changes


def _conclusion(game: Game, by: Seat | None) -> Changes:
    awaiting = game.awaited
    turn_since = list(game.turn_since)
    for seat in awaiting:
        if seat not in game.awaiting:
            turn_since[seat] = game.version
    for seat in game.lapsed:
        turn_since[seat] = game.version
    if by is not None:
        turn_since[by] = game.version
    return {"awaiting": awaiting, "turn_since": tuple(turn_since), "lapsed": ()}


def _sat(game: Game, seat: Seat, sitter: Sitter | None) -> Changes:
    return {"sitters": (*game.sitters[:seat], sitter, *game.sitters[seat + 1 :])}


def _seat_taken(game: Game, event: SeatTaken) -> Changes:
    sitter = Sitter.BOT if event.bot else Sitter.PERSON
    return {**_sat(game, event.seat, sitter), "entropies": (*game.entropies, event.entropy)}


def _forked(game: Game, event: Forked[tuple[Any, ...]]) -> Changes:
    return {
        "status": Status.RUNNING,
        "sitters": (Sitter.HOST,) * game.seats,
        "retired": event.retired,
        "state": reduce(game.ruleset.evolve, event.past, None),
        "fork": Fork(event.from_game, event.from_version, event.from_hash),
    }


def _ended(_: Game, event: Ended) -> Changes:
    return {"status": Status.ENDED, "outcome": Outcome(event.reason, event.ranking), "deadline": None}


_CHANGES: dict[type, Callable[[Game, Any], Changes]] = {
    Forked: _forked,
    Held: lambda _, __: {"held": True},
    SeatTaken: _seat_taken,
    SeatLeft: lambda game, event: _sat(game, event.seat, None),
    EntropyAdded: lambda game, event: {"entropies": (*game.entropies, event.entropy)},
    Started: lambda _, __: {"status": Status.RUNNING},
    DeadlineSet: lambda _, event: {"deadline": event.deadline},
    Lapsed: lambda game, event: {"lapsed": (*game.lapsed, event.seat)},
    Resigned: lambda game, event: {"retired": (*game.retired, event.seat)},
    Released: lambda _, __: {},
    Ended: _ended,
    SecretOpened: lambda _, __: {},
}
