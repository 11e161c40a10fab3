"""Deciding anew what stands in a stream: the same game, command and time, under its own rules or under others."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from domain import game as games
from domain.game import HOST, ForkGame, Game, OpenGame, Sender, TakeSeat
from domain.game.events import Forked, Lapsed
from domain.ruleset import Seat
from domain.stream import COMMAND, Row, decisions, secret_hash, time_of
from service.codec import Codec


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision of a stream: the game before it (None for the first) and after, its cause, command and events."""

    before: Game | None
    after: Game
    public: dict[str, Any]
    command: Any
    seat: Seat | None
    events: tuple[Any, ...]

    @property
    def version(self) -> int:
        """The version of the first of its events."""
        version: int = self.public["version"]
        return version


def decided(codec: Codec, rows: Iterable[Row]) -> Iterator[Decided]:
    """The decisions of a whole stream, one after the other. Raises what a stream that does not fold raises."""
    game: Game | None = None
    parsed = ((json.loads(row.public), row) for row in rows)
    for seat, group in decisions((public, (public, row)) for public, row in parsed):
        public, row = group[0]
        sealed = json.loads(row.secret).get(COMMAND) if row.secret else None
        command = None if sealed is None else codec.command(sealed)
        events = tuple(codec.event(public, row) for public, row in group)
        before, game = game, games.fold([(seat, events)], game)
        yield Decided(before, game, public, command, seat, events)


def decided_anew(one: Decided, secret: bytes, rules: int) -> tuple[Any, ...]:
    """The events that follow, under these rules, in the place of a decision. Raises Refused.

    A practice game begins with what another had come to, which is taken as it stands.
    """
    at, cause, game = time_of(one.public["at"]), one.public["cause"], one.before
    if game is None:
        return _opened(one, secret, rules)
    game = replace(game, rules=rules)
    if one.command is not None:
        seat = None if isinstance(one.command, TakeSeat) else cause["seat"]
        return games.decide(game, Sender(seat, host=one.public["actor"] == HOST), one.command, at, secret).events
    if "operator" in cause:
        return games.end(game, secret) if cause["operator"] == "end" else games.release(game, at, secret).events
    if game.status is games.Status.OPEN:
        return games.expire(game, at, secret).events
    return games.lapse(game, _lapsed(one, game), at, secret).events


def _opened(one: Decided, secret: bytes, rules: int) -> tuple[Any, ...]:
    """How the game begins, under these rules, but as pinned to its own: that they differ in this says nothing."""
    at, (pinned, *_) = time_of(one.public["at"]), one.events
    if isinstance(one.command, ForkGame):
        (forked,) = (event for event in one.events if isinstance(event, Forked))
        opened, *rest = games.practise(replace(pinned, rules=rules), forked, secret, at).events
    else:
        assert isinstance(one.command, OpenGame), "a stream begins with the command that opens its game"
        digest = secret_hash(UUID(one.public["game"]), secret).hex()
        opened, *rest = games.open_game(one.command, secret, digest, at, rules).events
    return (replace(opened, rules=pinned.rules), *rest)


def _lapsed(one: Decided, game: Game) -> tuple[Seat, ...]:
    """Whom the clock lapsed: all who were awaited at the deadline, or the one house bot whose move did not come."""
    if game.deadline is not None and game.deadline == time_of(one.public["cause"]["deadline"]):
        return game.awaiting
    return tuple(event.seat for event in one.events if isinstance(event, Lapsed) and event.seat in game.awaiting)
