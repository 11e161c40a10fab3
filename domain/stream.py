"""The stored form of a stream, to the byte: public forms, seals, the chain, and what may be opened (FORMAT.md)."""

import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

from domain.canonical import canonical
from domain.ruleset import Seat, Viewer

T = TypeVar("T")

FORMAT: Final = 1
COMMAND: Final = "$command"
"""The name under which the command that led to a decision is sealed, in the decision's first event."""


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a stream: the version and hash of its newest event, and when that was recorded."""

    version: int
    hash: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class Seal:
    """A sealed value and the seats that may open it at once."""

    value: Any
    to: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """One event in plain JSON values, before it has its place in a stream."""

    name: str
    schema: int
    data: Mapping[str, Any]
    sealed: Mapping[str, Seal]


@dataclass(frozen=True, slots=True)
class BySubmission:
    """The cause of a decision: a received command; `seat` is the submitting seat, None for a host without one."""

    submission: UUID
    seat: Seat | None
    received_at: datetime
    command: Any


@dataclass(frozen=True, slots=True)
class ByClock:
    """The cause of a decision: a timer, by the time it was due."""

    deadline: datetime


@dataclass(frozen=True, slots=True)
class ByOperator:
    """The cause of a decision: an operator, who said `end` or `release`."""

    operator: str


Cause = BySubmission | ByClock | ByOperator


class Row(NamedTuple):
    """One stored event. `public` is the exact text under the hash; `secret` the sealed values, or None."""

    version: int
    public: str
    secret: str | None
    prev_hash: bytes
    hash: bytes


def time_text(at: datetime) -> str:
    """A time as it stands in a stream: UTC, six decimals, `Z`."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def time_of(text: str) -> datetime:
    """The time a stream's text says. Raises ValueError for any other text."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


def game_id_of(salt: bytes, key: str) -> UUID:
    """The id of the game that a player (by their 16-byte salt) opens under a key: a UUIDv8 nobody else can guess."""
    return uuid8(sha256(salt + key.encode()).digest())


def uuid8(digest: bytes) -> UUID:
    """A UUID of version 8 (RFC 9562) from the first 16 bytes of a digest."""
    octets = bytearray(digest[:16])
    octets[6] = octets[6] & 0x0F | 0x80
    octets[8] = octets[8] & 0x3F | 0x80
    return UUID(bytes=bytes(octets))


def secret_hash(game: UUID, secret: bytes) -> bytes:
    """What a game says of its secret before anyone else sits."""
    return sha256(b"slowlight/secret/1" + game.bytes + secret).digest()


def chain_start(game: UUID) -> bytes:
    """The `prev_hash` of version 1."""
    return sha256(b"slowlight/chain/1" + game.bytes).digest()


def chained(prev_hash: bytes, public: str) -> bytes:
    """The hash of an event, from the hash before it and its public form."""
    return sha256(prev_hash + public.encode()).digest()


def log_entry(game: UUID, version: int, head_hash: bytes) -> bytes:
    """The entry of the log of heads that says how far a game had come."""
    return b"slowlight/head/1" + game.bytes + version.to_bytes(8, "big") + head_hash


def salt_of(secret: bytes, version: int, field: str) -> bytes:
    """The salt of a sealed field. It reaches nobody outside the field's audience before the end."""
    return hmac.digest(secret, b"slowlight/salt/1" + version.to_bytes(8, "big") + field.encode(), "sha256")


def receipt_salt(secret: bytes, submission: UUID) -> bytes:
    """The salt of the command that a receipt commits to, of whatever becomes of it. It reaches its sender alone."""
    return hmac.digest(secret, b"slowlight/receipt/1" + submission.bytes, "sha256")


def commitment(salt: bytes, value: object) -> str:
    """What the public form, or a receipt, says of a sealed value, in hex."""
    return hmac.digest(salt, canonical(value).encode(), "sha256").hex()


def written(
    game: UUID, secret: bytes, head: Head | None, facts: Sequence[Fact], at: datetime, actor: str, cause: Cause
) -> tuple[Row, ...]:
    """The rows of one decision, following `head` (None: the stream begins here).

    `at` must not lie before the head's time; it is the time of all events of the decision.
    """
    assert head is None or head.at <= at, "a decision before its predecessor"
    first = 1 if head is None else head.version + 1
    prev_hash = chain_start(game) if head is None else head.hash
    when, rows = time_text(at), []
    for version, fact in enumerate(facts, first):
        secrets: dict[str, object] = {field: seal.value for field, seal in fact.sealed.items()}
        if version == first and isinstance(cause, BySubmission):
            secrets[COMMAND] = cause.command
        commitments = {field: commitment(salt_of(secret, version, field), value) for field, value in secrets.items()}
        public = canonical(
            {
                "v": FORMAT,
                "game": str(game),
                "version": version,
                "name": fact.name,
                "schema": fact.schema,
                "at": when,
                "actor": actor,
                "cause": _cause(cause, commitments) if version == first else {"first": first},
                "data": fact.data,
                "sealed": {
                    field: {"to": list(seal.to), "c": commitments[field]} for field, seal in fact.sealed.items()
                },
            }
        )
        row = Row(version, public, canonical(secrets) if secrets else None, prev_hash, chained(prev_hash, public))
        rows.append(row)
        prev_hash = row.hash
    return tuple(rows)


def opened(row: Row, secret: bytes, viewer: Viewer, *, ended: bool) -> dict[str, dict[str, Any]]:
    """What `viewer` may open of a stored event now: field -> {value, salt in hex}.

    Before the end that is what the stored audience says; afterwards, everything.
    """
    if row.secret is None:
        return {}
    public = json.loads(row.public)
    values = json.loads(row.secret)
    return {
        field: {"value": value, "salt": salt_of(secret, row.version, field).hex()}
        for field, value in values.items()
        if ended or (viewer is not None and viewer in _audience(public, field))
    }


def decisions(events: Iterable[tuple[int | None, Seat | None, T]]) -> Iterable[tuple[Seat | None, list[T]]]:
    """Group events, each after its `cause.first` and `cause.seat`, into decisions: the seat that caused each."""
    group: list[T] = []
    seat: Seat | None = None
    for first, by, event in events:
        if first is None:
            if group:
                yield seat, group
            group, seat = [], by
        group.append(event)
    if group:
        yield seat, group


def _audience(public: dict[str, Any], field: str) -> list[Seat]:
    if field == COMMAND:
        seat = public["cause"]["seat"]
        return [] if seat is None else [seat]
    return list(public["sealed"][field]["to"])


def _cause(cause: Cause, commitments: Mapping[str, str]) -> dict[str, Any]:
    match cause:
        case BySubmission(submission, seat, received_at):
            return {
                "submission": str(submission),
                "seat": seat,
                "received_at": time_text(received_at),
                "command": commitments[COMMAND],
            }
        case ByClock(deadline):
            return {"deadline": time_text(deadline)}
        case ByOperator(operator):
            return {"operator": operator}
