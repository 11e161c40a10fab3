"""What an operator does to one quarantined game: let it go on, or end it."""

from typing import Any
from uuid import UUID

from psycopg import AsyncConnection
from psycopg.rows import class_row

from domain import game as games
from domain.canonical import canonical
from domain.game import HOST
from domain.stream import ByOperator, written
from service import store
from service.codec import codec_of
from service.deciding import Change, Pending, Settled, append, ending_records
from service.streams import GameRow, Stream, Streams, game_rows, life_of
from service.writer import TAKEN_MAX, write


class NotQuarantined(Exception):
    """There is no such game, or it is not quarantined."""


class DoesNotFold(Exception):
    """Its reducer still raises: what, without its message, which may hold what is hidden."""


async def release(connection: AsyncConnection[Any], game_id: UUID) -> int:
    """Let a quarantined game go on; gives its new version.

    Raises NotQuarantined; raises DoesNotFold from what its reducer raises, and leaves it quarantined.
    """
    async with connection.transaction():
        row = await _held(connection, game_id)
        loaded = (await Streams().load(connection, {game_id: row.version}))[game_id]
        if not isinstance(loaded, Stream):
            raise DoesNotFold(type(loaded).__name__) from loaded
        ((now,),) = await store.rows(connection, "now")
        change = Change(loaded, loaded)
        append(change, games.release(loaded.game, now, loaded.secret), max(now, row.head_at), ByOperator("release"))
        await write(connection, change.records())
        await store.rows(connection, "release", {"game_id": game_id})
        return change.after.head.version


async def end(connection: AsyncConnection[Any], game_id: UUID) -> int:
    """End a quarantined game without asking its rules anything; what was pending is refused. Raises NotQuarantined."""
    async with connection.transaction():
        row = await _held(connection, game_id)
        before = await life_of(connection, row)
        ((now,),) = await store.rows(connection, "now")
        codec = codec_of(row.ruleset, row.rules)
        facts = [codec.fact(event) for event in games.end(before.game, row.secret)]
        rows = written(game_id, row.secret, row.head, facts, max(now, row.head_at), HOST, ByOperator("end"))
        pending = await store.rows(
            connection, "pending", {"games": [game_id], "taken_max": TAKEN_MAX}, class_row(Pending)
        )
        refusal = canonical({"code": "GAME_OVER", "facts": {}, "ruleset": row.ruleset})
        refused = [Settled(one, "REFUSED", refusal=refusal) for one in pending]
        await write(connection, ending_records(before, rows, refused))
        await store.start(connection, "stop_timers", {"game_id": game_id})
        await store.rows(connection, "release", {"game_id": game_id})
        return rows[-1].version


async def _held(connection: AsyncConnection[Any], game_id: UUID) -> GameRow:
    await store.rows(connection, "hold", {"game_id": game_id})
    rows = await game_rows(connection, [game_id])
    if not rows or not rows[0].quarantined:
        raise NotQuarantined
    return rows[0]
