"""What is in the store when all is over: the other side of the account that the checker settles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row

from domain.stream import Row
from service import store
from service.deciding import Timer
from service.replaying import replay_all
from service.streams import GameRow, game_rows, tails_of
from service.writer import Known
from tests.simulation.database import Database


@dataclass(frozen=True, slots=True)
class Evidence:
    """Every game with its events, submissions and timers; what `slowlight replay --all` complains of; and the time."""

    games: Sequence[GameRow]
    events: Mapping[UUID, Sequence[Row]]
    submissions: Mapping[UUID, Sequence[Known]]
    timers: Sequence[Timer]
    complaints: Sequence[str]
    now: datetime


async def gathered(database: Database, rested_at: datetime | None = None) -> Evidence:
    """Everything the store holds; the time is when workers were last up with nothing else to do, now if not given."""
    async with await store.connect(database.url) as connection:
        ids = [game_id for (game_id,) in database.ask("select game_id from games order by game_id")]
        games = await game_rows(connection, ids)
        tails = await tails_of(connection, dict.fromkeys(ids, (0, 2**31 - 1)))
        timers = await store.rows(connection, "timers_of", {"games": ids}, class_row(Timer))
        complaints = [
            f"{replayed.game_id}: {fault}" async for replayed in replay_all(connection) for fault in replayed.faults
        ]
        cursor = connection.cursor(row_factory=class_row(Known))
        await cursor.execute(
            "select game_id, sender_id, key, submission_id, content, received_at, status, first_version, version,"
            " hash, refusal from submissions order by received_at, submission_id"
        )
        submissions: dict[UUID, list[Known]] = {game_id: [] for game_id in ids}
        for known in await cursor.fetchall():
            submissions.setdefault(known.game_id, []).append(known)
        ((now,),) = await store.rows(connection, "now")
    return Evidence(games, tails, submissions, timers, complaints, rested_at or now)
