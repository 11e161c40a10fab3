"""One running process of the service: its writer, and the sweeps and house bots of a worker."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from enum import StrEnum
from typing import Any, Final

import structlog
from psycopg import AsyncConnection
from redis.exceptions import RedisError

from service import store
from service.accounts import Accounts
from service.bots import Bots
from service.hints import INBOX, Hints
from service.slowlight import Slowlight
from service.streams import Streams
from service.timers import sweep_forever
from service.writer import Writer

POOL_SIZE: Final = 8
INBOX_AGAIN_SECONDS: Final = 1.0

log = structlog.get_logger()


class Role(StrEnum):
    """What a process does: `api` takes and resolves turns, `worker` minds timers, house bots and stragglers."""

    API = "api"
    WORKER = "worker"


@asynccontextmanager
async def running(
    database_url: str, redis_url: str, roles: frozenset[Role] = frozenset(Role)
) -> AsyncIterator[Slowlight]:
    """A process of the service, until the context is left; what had arrived is answered before it ends."""

    async def connect() -> AsyncConnection[Any]:
        return await store.connect(database_url, hot=True)

    pool, hints, streams = store.pool(database_url, POOL_SIZE), Hints(redis_url), Streams()
    writer = Writer(connect, streams, hints)
    await pool.open(wait=True)
    writing = asyncio.create_task(writer.run(), name="writer")
    minding = [asyncio.create_task(minded) for minded in _minded(roles, pool, hints, streams, writer)]
    try:
        yield Slowlight(pool, Accounts(pool), streams, writer, hints)
    finally:
        for task in minding:
            task.cancel()
        await asyncio.gather(*minding, return_exceptions=True)
        writer.stop()
        await writing
        await hints.close()
        await pool.close()


def _minded(
    roles: frozenset[Role], pool: Any, hints: Hints, streams: Streams, writer: Writer
) -> list[Coroutine[Any, Any, None]]:
    if Role.WORKER not in roles:
        return []
    return [sweep_forever(pool, writer), Bots(pool, streams, writer).run(), _listen(hints, writer)]


async def _listen(hints: Hints, writer: Writer) -> None:
    """Look at once where a hint says that another process left something to do."""
    while True:
        with suppress(RedisError, OSError):
            async for channel, game_id in hints.work():
                if channel == INBOX:
                    writer.nudge([game_id])
                else:
                    writer.timers_changed.set()
        await asyncio.sleep(INBOX_AGAIN_SECONDS)
