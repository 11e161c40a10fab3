"""What a signed checkpoint proves: of a stream that its head stood in the log, of the log that it only grew."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from domain.forms import is_hash, is_whole
from domain.merkle import is_consistent, is_included, leaf_hash
from domain.stream import Row, log_entry, time_of
from service.signing import Keys, Unproven, statement


@dataclass(frozen=True, slots=True)
class CheckpointSaid:
    """What a checkpoint says: the log had `size` entries, of this root, at this time."""

    number: int
    size: int
    root: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class Anchored:
    """How much of a stream a checkpoint vouches for: all up to this version."""

    version: int
    checkpoint: CheckpointSaid


def checkpoint_in(document: object, keys: Keys) -> CheckpointSaid:
    """What a signed checkpoint says. Raises Unproven."""
    said = statement(document, "checkpoint", keys)
    match said:
        case {"number": number, "size": size, "root": root, "at": at} if is_whole(number, 1) and is_whole(size):
            return CheckpointSaid(number, size, _bytes(root), time_of(at))
    raise Unproven("it is not a checkpoint")


def anchored(document: object, keys: Keys, game: UUID, rows: Sequence[Row]) -> Anchored:
    """What an anchor, as the API gives it, vouches for of a stream that is given whole as far as it goes.

    The document is an object with `version`, `hash`, `place`, `path` and `checkpoint`. Raises Unproven.
    """
    match document:
        case {"version": version, "hash": text, "place": place, "path": path, "checkpoint": part} if is_whole(
            version, 1
        ) and is_whole(place):
            checkpoint, head, steps = checkpoint_in(part, keys), _bytes(text), _path(path)
        case _:
            raise Unproven("it is not an anchor: a checkpoint with the place of a game in it")
    if version > len(rows):
        raise Unproven(f"it is of version {version}, and the stream ends before")
    if rows[version - 1].hash != head:
        raise Unproven(f"version {version} is not the event that stood in the log, or it is of another game")
    leaf = leaf_hash(log_entry(game, version, head))
    if not is_included(leaf, place, checkpoint.size, steps, checkpoint.root):
        raise Unproven("its path does not lead from this game to the root of the checkpoint")
    return Anchored(version, checkpoint)


def grew(older: CheckpointSaid, newer: CheckpointSaid, path: object) -> None:
    """Check that the log of the newer checkpoint begins with all of the older one's. Raises Unproven.

    The path is a list of hashes, as the API gives it.
    """
    if not is_consistent(older.size, older.root, newer.size, newer.root, _path(path)):
        raise Unproven(f"checkpoint {newer.number} is not of a log that grew from that of checkpoint {older.number}")


def _path(path: object) -> list[bytes]:
    match path:
        case [*steps]:
            return [_bytes(step) for step in steps]
    raise Unproven("a path in it is not a list of hashes")


def _bytes(text: Any) -> bytes:
    if not is_hash(text):
        raise Unproven("a hash in it is not hexadecimal, 64 digits in lower case")
    return bytes.fromhex(text)
