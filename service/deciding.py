"""From a pending submission or a due timer to what must be written: pure, on a stream held in memory."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from domain import game as games
from domain.canonical import canonical
from domain.game import OPEN_DAYS_MAX, Decision, Game, Sender, Sitter, Status
from domain.ruleset import Refused, Seat
from domain.stream import ByClock, BySubmission, Cause, Head, Row, time_of, written
from service.codec import codec_of
from service.streams import Stream

NO_SEAT = -1
"""The seat of a timer that belongs to the whole game."""

TimerKey = tuple[UUID, str, Seat]


@dataclass(frozen=True, slots=True)
class Pending:
    """A received submission that awaits its outcome; `command` is what its content says, where that was just read."""

    game_id: UUID
    sender_id: UUID
    key: str
    submission_id: UUID
    content: str
    received_at: datetime
    command: Any = None


@dataclass(frozen=True, slots=True)
class Timer:
    """Something the clock will do: `expire`, `lapse`, or move the `bot` whose choice was opened at `version`."""

    game_id: UUID
    kind: str
    seat: Seat
    due: datetime
    version: int

    @property
    def key(self) -> TimerKey:
        """What identifies the timer in the store."""
        return self.game_id, self.kind, self.seat

    @property
    def identity(self) -> tuple[datetime | None, int]:
        """What must still be wanted for the timer to hold: when, and for which choice. A bot is due at once."""
        return (None if self.kind == "bot" else self.due, self.version)


@dataclass(frozen=True, slots=True)
class Settled:
    """The outcome of one submission, as the store keeps it."""

    pending: Pending
    status: str
    first_version: int | None = None
    version: int | None = None
    hash: bytes | None = None
    refusal: str | None = None


@dataclass(slots=True)
class Change:
    """All that one flush will write about one game."""

    before: Stream
    after: Stream
    rows: list[Row] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)

    def records(self) -> dict[str, list[dict[str, Any]]]:
        """The parameters of the statement `write`, by their names."""
        return {
            "heads": [_head_record(self.before, self.after)] if self.rows else [],
            "events": self._event_records(),
            "outcomes": [_outcome_record(settled) for settled in self.settled],
            "seats": _seat_records(self.before, self.after),
            "timers": _timer_records(self.before, self.after),
            "stopped": _stopped_records(self.before, self.after),
        }

    @property
    def is_quick(self) -> bool:
        """Whether the statement `quick` writes all that there is to write: nobody sits down or rises, no timer ends."""
        return not _seat_records(self.before, self.after) and not _stopped_records(self.before, self.after)

    def quick_records(self) -> dict[str, list[dict[str, Any]]]:
        """The parameters of the statement `quick`: the game's head with the time proposed, and whole submissions."""
        proposed = self.settled[0].pending.received_at.isoformat()
        return {
            "heads": [_head_record(self.before, self.after) | {"proposed": proposed}],
            "events": self._event_records(),
            "outcomes": [_received_record(one.pending) | _outcome_record(one) for one in self.settled],
            "timers": _timer_records(self.before, self.after),
        }

    def _event_records(self) -> list[dict[str, Any]]:
        return [event_record(self.after.game_id, row) for row in self.rows]


def content_of(command: Mapping[str, Any], expected_version: int | None, **beside: Any) -> str:
    """What a key stands for, as it is stored and compared: the command, and what was said beside it."""
    said = {
        name: value for name, value in {"expected_version": expected_version, **beside}.items() if value is not None
    }
    return canonical({"command": command, **said})


def settle(change: Change, pending: Pending, now: datetime) -> None:
    """Decide one submission on the game as it stands in `change`, and add what follows."""
    stream, now = change.after, _time_of_decision(change.after, now)
    try:
        decision, command = _decided(stream, pending, now)
    except Refused as refused:
        refusal = canonical({"code": refused.code, "facts": refused.facts, "ruleset": stream.game.ruleset_name})
        change.settled.append(Settled(pending, "REFUSED", refusal=refusal))
        return
    cause = BySubmission(pending.submission_id, decision.seat, pending.received_at, command)
    rows = append(change, decision, now, cause, players=_players(stream, pending, decision))
    change.settled.append(Settled(pending, "APPLIED", rows[0].version, rows[-1].version, rows[-1].hash))


def is_late(stream: Stream, pending: Pending) -> bool:
    """Whether the clock acts on the game before this submission: it was received after a time that is set."""
    timers = wanted_timers(stream.game, stream.created_at)
    return any(due is not None and due < pending.received_at for due, _ in timers.values())


def fire(change: Change, timer: Timer, now: datetime) -> bool:
    """Do what a timer is for, if it still holds; False if time has passed it by."""
    stream, now = change.after, _time_of_decision(change.after, now)
    if wanted_timers(stream.game, stream.created_at).get((timer.kind, timer.seat)) != timer.identity:
        return False
    if timer.kind == "expire":
        decision = games.expire(stream.game, now, stream.secret)
    else:
        seats = stream.game.awaiting if timer.kind == "lapse" else (timer.seat,)
        decision = games.lapse(stream.game, seats, now, stream.secret)
    append(change, decision, now, ByClock(timer.due))
    return True


def append(
    change: Change, decision: Decision, now: datetime, cause: Cause, players: tuple[UUID | None, ...] | None = None
) -> tuple[Row, ...]:
    """Add a decision to what will be written of its game."""
    stream = change.after
    facts = [codec_of(decision.game.ruleset_name, decision.game.rules).fact(event) for event in decision.events]
    rows = written(stream.game_id, stream.secret, stream.head, facts, now, decision.actor, cause)
    change.rows.extend(rows)
    head = Head(rows[-1].version, rows[-1].hash, now)
    change.after = replace(stream, head=head, game=decision.game, players=players or stream.players)
    return rows


def wanted_timers(game: Game, created_at: datetime) -> dict[tuple[str, Seat], tuple[datetime | None, int]]:
    """The timers a game should have: (kind, seat) -> (due, version); due None is at once."""
    if game.status is Status.OPEN:
        return {("expire", NO_SEAT): (created_at + timedelta(days=OPEN_DAYS_MAX), 1)}
    wanted: dict[tuple[str, Seat], tuple[datetime | None, int]] = {}
    if game.deadline is not None:
        wanted["lapse", NO_SEAT] = (game.deadline, 1)
    for seat in game.awaiting:
        if game.sitters[seat] is Sitter.BOT:
            wanted["bot", seat] = (None, game.turn_since[seat] or 1)
    return wanted


def opening_records(stream: Stream, rows: Sequence[Row], opening: Pending) -> dict[str, list[dict[str, Any]]]:
    """The parameters of the statement `write` for a game that has just been opened by a submission."""
    wanted = wanted_timers(stream.game, stream.created_at)
    applied = Settled(opening, "APPLIED", rows[0].version, rows[-1].version, rows[-1].hash)
    return {
        "heads": [],
        "events": [event_record(stream.game_id, row) for row in rows],
        "outcomes": [_outcome_record(applied)],
        "seats": [],
        "timers": [_timer_record(stream, kind, seat, *what) for (kind, seat), what in wanted.items()],
        "stopped": [],
    }


def ending_records(before: Stream, rows: Sequence[Row], refused: Sequence[Settled]) -> dict[str, list[dict[str, Any]]]:
    """The parameters of the statement `write` for a game that ends by these rows, whatever its rules might say."""
    game = replace(before.game, status=Status.ENDED, awaiting=(), deadline=None)
    at = time_of(json.loads(rows[-1].public)["at"])
    after = replace(before, head=Head(rows[-1].version, rows[-1].hash, at), game=game)
    return {
        "heads": [_head_record(before, after)],
        "events": [event_record(before.game_id, row) for row in rows],
        "outcomes": [_outcome_record(settled) for settled in refused],
        "seats": [],
        "timers": [],
        "stopped": [],
    }


def event_record(game_id: UUID, row: Row) -> dict[str, Any]:
    """A stored event among the parameters of the statement `write`."""
    return {
        "game_id": game_id,
        "version": row.version,
        "public": row.public,
        "secret": row.secret,
        "prev_hash": row.prev_hash.hex(),
        "hash": row.hash.hex(),
    }


def _time_of_decision(stream: Stream, now: datetime) -> datetime:
    return max(now, stream.head.at)  # clocks may step back, streams do not


def _decided(stream: Stream, pending: Pending, now: datetime) -> tuple[Decision, dict[str, Any]]:
    said = json.loads(pending.content)
    command = pending.command
    if command is None:
        command = codec_of(stream.game.ruleset_name, stream.game.rules).command(said["command"])
    seat, is_host = stream.seat_of(pending.sender_id), stream.is_host(pending.sender_id)
    sender = Sender(seat, is_host, said.get("as_seat"))
    decision = games.decide(stream.game, sender, command, now, stream.secret, said.get("expected_version"))
    return decision, said["command"]


def _players(stream: Stream, pending: Pending, decision: Decision) -> tuple[UUID | None, ...]:
    """Who sits where after a decision: the stream knows seats, only the service knows whose they are."""
    before = stream.game.sitters
    return tuple(
        player if sitter == before[seat] else (pending.sender_id if sitter is Sitter.PERSON else None)
        for seat, (player, sitter) in enumerate(zip(stream.players, decision.game.sitters, strict=True))
    )


def _timer_records(before: Stream, after: Stream) -> list[dict[str, Any]]:
    had, wanted = wanted_timers(before.game, before.created_at), wanted_timers(after.game, after.created_at)
    return [
        _timer_record(after, kind, seat, *what)
        for (kind, seat), what in wanted.items()
        if had.get((kind, seat)) != what
    ]


def _stopped_records(before: Stream, after: Stream) -> list[dict[str, Any]]:
    had, wanted = wanted_timers(before.game, before.created_at), wanted_timers(after.game, after.created_at)
    return [{"game_id": after.game_id, "kind": kind, "seat": seat} for kind, seat in had if (kind, seat) not in wanted]


def _timer_record(stream: Stream, kind: str, seat: Seat, due: datetime | None, version: int) -> dict[str, Any]:
    when = due or stream.head.at
    return {"game_id": stream.game_id, "kind": kind, "seat": seat, "due": when.isoformat(), "version": version}


def _head_record(before: Stream, after: Stream) -> dict[str, Any]:
    return {
        "game_id": after.game_id,
        "expected": before.head.version,
        "version": after.head.version,
        "head_hash": after.head.hash.hex(),
        "head_at": after.head.at.isoformat(),
        "status": after.game.status,
        "awaiting": after.game.awaiting,
        "deadline": after.game.deadline and after.game.deadline.isoformat(),
    }


def _outcome_record(settled: Settled) -> dict[str, Any]:
    return {
        "game_id": settled.pending.game_id,
        "submission_id": settled.pending.submission_id,
        "status": settled.status,
        "first_version": settled.first_version,
        "version": settled.version,
        "hash": settled.hash and settled.hash.hex(),
        "refusal": settled.refusal,
    }


def _received_record(pending: Pending) -> dict[str, Any]:
    return {
        "sender_id": pending.sender_id,
        "key": pending.key,
        "content": pending.content,
        "received_at": pending.received_at.isoformat(),
    }


def _seat_records(before: Stream, after: Stream) -> list[dict[str, Any]]:
    return [
        {"game_id": after.game_id, "seat": seat, "player_id": player}
        for seat, player in enumerate(after.players)
        if player != before.players[seat]
    ]
