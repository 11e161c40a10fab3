"""The log of the heads of all games, and its signed checkpoints: made daily and when asked for, with their proofs."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from psycopg import AsyncConnection, Error
from psycopg.rows import class_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from domain.merkle import Node, Span, consistency_spans, grown, inclusion_spans, leaf_hash
from domain.stream import log_entry, time_text
from service import store
from service.keyring import BadKey, Keyring
from service.signing import SigningKey

EVERY: Final = timedelta(days=1)
LOOK_SECONDS: Final = 60.0
"""How often a worker looks whether a checkpoint is due."""

ADDED_MAX: Final = 5_000
"""The most entries that one transaction adds to the log."""

LEAVES_MAX: Final = 1_000
"""The most leaves that are given at once."""

log = structlog.get_logger()


class LogContradicted(Exception):
    """A game's stream is not the one that stands in the log: its past was changed. Nothing is signed over it."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signed checkpoint as it is kept: what it says of the log, and the text in which that was signed."""

    number: int
    size: int
    at: datetime
    text: str
    key: str
    signature: str

    @property
    def root(self) -> str:
        """The root of the log, in hex."""
        return str(json.loads(self.text)["root"])

    def json(self) -> dict[str, Any]:
        """The checkpoint as it is published."""
        said = {"number": self.number, "size": self.size, "root": self.root, "at": time_text(self.at)}
        return said | {"text": self.text, "key": self.key, "signature": self.signature}


@dataclass(frozen=True, slots=True)
class Anchor:
    """The place of a game in the log of a checkpoint: its newest entry there, and the path from that to the root."""

    version: int
    hash: str
    place: int
    path: tuple[str, ...]
    checkpoint: Checkpoint

    def json(self) -> dict[str, Any]:
        """The anchor as it is published, and as a verifier takes it."""
        said = {"version": self.version, "hash": self.hash, "place": self.place, "path": list(self.path)}
        return said | {"checkpoint": self.checkpoint.json()}


async def make_checkpoint(
    connection: AsyncConnection[Any], keyring: Keyring, *, every: timedelta = timedelta()
) -> Checkpoint | None:
    """Log all heads that moved since the last checkpoint, and sign the next one.

    None if the last one is younger than `every`, or there is no key to sign with. Raises LogContradicted and BadKey.
    """
    if await _due(connection, keyring, every) is None:
        return None
    await _log_moved_heads(connection)
    async with connection.transaction():
        await store.start(connection, "alone_at_log")
        due = await _due(connection, keyring, every)
        if due is None:
            return None
        key, number, now = due
        size = await _size(connection)
        (root,) = await _hashes(connection, [Span(0, size)])
        signed = key.signed("checkpoint", now, number=number, size=size, root=root)
        made = Checkpoint(number, size, now, signed.text, signed.key, signed.signature)
        params = {"number": number, "size": size, "made_at": now, "statement": signed.text}
        params |= {"key": signed.key, "signature": signed.signature}
        await store.start(connection, "add_checkpoint", params)
    log.info("checkpoint_made", number=number, size=size)
    return made


async def make_checkpoints_daily(pool: AsyncConnectionPool, keyring: Keyring) -> None:
    """Make a checkpoint whenever the last one is a day old, and go on when the database is away."""
    while True:
        with suppress(PoolTimeout, Error, OSError):
            async with pool.connection() as connection:
                try:
                    await make_checkpoint(connection, keyring, every=EVERY)
                except LogContradicted as contradicted:
                    log.critical("log_contradicted", game=str(contradicted))
                except BadKey as bad:
                    log.error("signing_key_bad", why=str(bad))
        await asyncio.sleep(LOOK_SECONDS)


async def checkpoint(connection: AsyncConnection[Any], number: int | None = None) -> Checkpoint | None:
    """A checkpoint by its number, or the newest; None if there is none."""
    found = await store.rows(connection, "checkpoint", {"number": number}, class_row(Checkpoint))
    return found[0] if found else None


async def anchor(
    connection: AsyncConnection[Any], game_id: UUID, upto: int, number: int | None = None
) -> Anchor | None:
    """The place of a game, no further than `upto`, in a checkpoint or the newest; None if it has none there."""
    made = await checkpoint(connection, number)
    if made is None:
        return None
    params = {"game_id": game_id, "upto": upto, "size": made.size}
    found = await store.rows(connection, "log_entry", params)
    if not found:
        return None
    ((place, version, head_hash),) = found
    path = await _hashes(connection, inclusion_spans(place, made.size))
    return Anchor(version, head_hash.hex(), place, tuple(path), made)


async def consistency(connection: AsyncConnection[Any], older: Checkpoint, newer: Checkpoint) -> list[str]:
    """The proof that the log of the newer checkpoint begins with all of the older one's."""
    return await _hashes(connection, consistency_spans(older.size, newer.size))


async def leaves(connection: AsyncConnection[Any], made: Checkpoint, start: int) -> list[str]:
    """Leaf hashes of the log of a checkpoint, in order from a place on, so many at most as are given at once."""
    params = {"start": start, "end": min(made.size, start + LEAVES_MAX)}
    return [digest.hex() for (digest,) in await store.rows(connection, "log_leaves", params)]


async def log_faults(connection: AsyncConnection[Any], most: int = 100) -> list[tuple[UUID, int]]:
    """The games and versions that stand in the log otherwise than in their streams, or only there."""
    return [(game_id, version) for game_id, version in await store.rows(connection, "log_faults", {"most": most})]


async def _due(
    connection: AsyncConnection[Any], keyring: Keyring, every: timedelta
) -> tuple[SigningKey, int, datetime] | None:
    """The key, the number and the time of the checkpoint that is to be made now, None if there is none."""
    key, last = await keyring.current(connection), await checkpoint(connection)
    ((now,),) = await store.rows(connection, "now")
    if key is None or (last is not None and now - last.at < every):
        return None
    return (key, 1, now) if last is None else (key, last.number + 1, max(now, last.at))


async def _log_moved_heads(connection: AsyncConnection[Any]) -> None:
    """Add all heads that moved to the log, some at a time: deadlines wait for every transaction that writes."""
    after: UUID | None = UUID(int=0)
    while after is not None:
        async with connection.transaction():
            await store.start(connection, "alone_at_log")
            moved = await store.rows(connection, "moved_heads", {"after": after, "most": ADDED_MAX})
            for game_id, version, _, logged in moved:
                if logged is not None and logged >= version:
                    raise LogContradicted(game_id)
            if moved:
                await _add(connection, [head for *head, _ in moved])
        after = moved[-1][0] if len(moved) == ADDED_MAX else None


async def _add(connection: AsyncConnection[Any], heads: Sequence[Sequence[Any]]) -> None:
    """Add entries to the log, each the id of a game, its version and the hash of that."""
    size = await _size(connection)
    peaks = await _nodes(connection, Span(0, size).peaks)
    nodes = grown(size, peaks, (leaf_hash(log_entry(*head)) for head in heads))
    entries = [
        {"place": place, "game_id": game_id, "version": version, "hash": head_hash.hex()}
        for place, (game_id, version, head_hash) in enumerate(heads, size)
    ]
    records = [{**node._asdict(), "hash": digest.hex()} for node, digest in nodes.items()]
    params = {"entries": store.as_json(entries), "nodes": store.as_json(records)}
    await store.start(connection, "add_to_log", params)


async def _size(connection: AsyncConnection[Any]) -> int:
    ((size,),) = await store.rows(connection, "log_size")
    return int(size)


async def _hashes(connection: AsyncConnection[Any], spans: Sequence[Span]) -> list[str]:
    """The hashes of these spans of the log, in hex."""
    known = await _nodes(connection, {node for span in spans for node in span.peaks})
    return [span.hash(known).hex() for span in spans]


async def _nodes(connection: AsyncConnection[Any], nodes: Iterable[Node]) -> dict[Node, bytes]:
    wanted = store.as_json([node._asdict() for node in nodes])
    found = await store.rows(connection, "log_nodes", {"wanted": wanted})
    return {Node(level, place): digest for level, place, digest in found}
