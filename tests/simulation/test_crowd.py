"""Nobody meets a game that is half made."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool
from structlog.testing import capture_logs

from service import store
from service.hints import Hints
from service.streams import Streams
from service.timers import sweep
from service.writer import Writer
from tests.simulation.checker import faults_of
from tests.simulation.database import Database
from tests.simulation.evidence import gathered
from tests.simulation.ledger import Ledger
from tests.simulation.nursery import Nursery
from tests.simulation.plan import Table
from tests.simulation.players import TIMEOUT_SECONDS, come, newcomers
from tests.simulation.processes import API, Part, processes
from tests.simulation.scenes import Stage
from tests.simulation.servers import Mortal
from tests.simulation.simulation import alarms_of

GAMES = 200
TURN_SECONDS = 1
STEP = timedelta(seconds=3)
STEPS_EVERY = 40
"""After how many sweeps the clock steps, and everything that is running is overdue."""

TABLES = (Table((0,), 1, TURN_SECONDS, start=True), Table((0, 1), 0, TURN_SECONDS, start=True))
"""One starts in the transaction that opens it, the other in the one that seats its last player."""


async def test_sweeps_in_a_tight_loop_while_200_games_start_meet_none_that_is_half_made(
    servers_to_kill: Mortal, born: Nursery, open_folder: Path
) -> None:
    database, ledger, folder, sweeps = servers_to_kill.new_database(), Ledger(), open_folder / "crowd", 0
    folder.mkdir()
    async with (
        processes({"desk": Part(API)}, born, database, servers_to_kill, folder) as places,
        httpx.AsyncClient(timeout=TIMEOUT_SECONDS) as http,
    ):
        players = await newcomers(2, database, ledger, http)
        stage = Stage(database, places, ledger, players, is_sound=True)
        await stage.come_up("desk")
        stage.go_to("desk")
        with capture_logs() as said:
            async with sweeper(database, servers_to_kill.servers.redis_url) as (pool, writer):
                starting = asyncio.create_task(come(players, TABLES * (GAMES // 2)))
                while not starting.done():
                    await sweep(pool, writer)
                    sweeps += 1
                    if sweeps % STEPS_EVERY == 0:
                        database.put_ahead(STEP)
                await starting
                rested_at = database.now()
    assert sweeps > GAMES
    assert database.ask("select count(*) from games where quarantined_at is null") == [(GAMES,)]
    assert len(database.ask("select from events where position('game.lapsed' in public) > 0")) > GAMES
    assert not [line for line in said if line["log_level"] in ("error", "critical")]
    assert not alarms_of(places["desk"])
    assert not faults_of(await gathered(database, rested_at), ledger)


@asynccontextmanager
async def sweeper(database: Database, redis_url: str) -> AsyncIterator[tuple[AsyncConnectionPool, Writer]]:
    """A worker without a rhythm of its own."""
    hints, pool = Hints(redis_url), store.pool(database.url, 2)

    async def connect() -> AsyncConnection[Any]:
        return await store.connect(database.url)

    writer = Writer(connect, Streams(), hints)
    writing = asyncio.create_task(writer.run())
    async with pool:
        yield pool, writer
    writer.stop()
    await writing
    await hints.close()
