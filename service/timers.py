"""The sweep: finds what is due, waits until its time has surely passed, and hands it to the writer."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Final

from psycopg import Error
from psycopg.rows import class_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from service import store
from service.deciding import Timer
from service.faults import reached
from service.writer import Writer

GRACE: Final = timedelta(seconds=1)
"""How long after a deadline a lapse waits at least: clocks that step back a little do no harm."""

SWEEP_SECONDS: Final = 1.0
TIMERS_MAX: Final = 256
STRAGGLER_AGE: Final = timedelta(seconds=1)


async def sweep(pool: AsyncConnectionPool, writer: Writer) -> int:
    """Look once at what is due and at what was left pending. Gives how many timers were handed to the writer.

    A stamp is not a commit: a turn received in time may become visible late. The writer takes its transaction id
    before it stamps, so whatever was stamped by a deadline belongs to a transaction older than the first look after
    it (`fence`); once all of those have ended, everything received in time can be seen.
    """
    async with pool.connection() as connection:
        ((by,),) = await store.rows(connection, "clock")
        await store.start(connection, "first_look", {"most": TIMERS_MAX, "by": by})
        reached("looked")
        timers = await store.rows(connection, "past_fence", {"most": TIMERS_MAX, "grace": GRACE}, class_row(Timer))
        left = await store.rows(connection, "stragglers", {"most": TIMERS_MAX, "age": STRAGGLER_AGE})
    reached("due")
    writer.fire(timers)
    writer.nudge(game_id for (game_id,) in left)
    return len(timers)


async def sweep_forever(pool: AsyncConnectionPool, writer: Writer) -> None:
    """Sweep every second, and go on when the database is away."""
    while True:
        with suppress(PoolTimeout, Error, OSError):
            await sweep(pool, writer)
        await asyncio.sleep(SWEEP_SECONDS)
