"""One running process of the service: its writer, its hub, and the sweeps and house bots of a worker."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import Any, Final

import structlog
from psycopg import AsyncConnection

from service import store
from service.accounts import Accounts
from service.bots import Bots
from service.channels import Channels
from service.checkpoints import make_checkpoints_daily
from service.ending import ended
from service.forgetting import forget_forever
from service.hints import INBOX, TIMERS, Hint, Hints
from service.hub import POLL_SECONDS, Hub
from service.keyring import Keyring
from service.logs import innermost, where
from service.slowlight import Slowlight
from service.streams import Streams
from service.timers import sweep_forever
from service.writer import Writer

POOL_SIZE: Final = 8
AGAIN_SECONDS: Final = 1.0

Work = Callable[[], Coroutine[Any, Any, None]]

log = structlog.get_logger()


class Role(StrEnum):
    """What a process does: `api` takes and resolves turns, `worker` minds timers, house bots and stragglers."""

    API = "api"
    WORKER = "worker"


@asynccontextmanager
async def running(
    database_url: str,
    redis_url: str,
    roles: frozenset[Role] = frozenset(Role),
    *,
    stop: asyncio.Event | None = None,
    poll_seconds: float = POLL_SECONDS,
    keyring: Keyring | None = None,
) -> AsyncIterator[Slowlight]:
    """A process of the service, until the context is left; what had arrived is answered before it ends.

    Once `stop` is set it claims nothing new. `poll_seconds` is how often it looks for what no hint told of. Without a
    `keyring` nothing is signed.
    """
    keyring = keyring or Keyring()

    async def connect() -> AsyncConnection[Any]:
        return await store.connect(database_url)

    pool, hints, streams = store.pool(database_url, POOL_SIZE), Hints(redis_url), Streams()
    writer, channels = Writer(connect, streams, hints), Channels(redis_url)
    hub = Hub(channels, pool, streams, poll_seconds)
    await pool.open(wait=True)
    writing = asyncio.create_task(_for_ever("writer", writer.run), name="writer")
    listening = asyncio.create_task(_for_ever("followers", hub.run), name="hub")
    minded: dict[str, Work] = {}
    if Role.WORKER in roles:
        minded = {
            "timers": lambda: sweep_forever(pool, writer),
            "bots": Bots(pool, streams, writer).run,
            "forgotten": lambda: forget_forever(pool, writer),
            "hints": lambda: _hear_of_work(channels, writer),
            "checkpoints": lambda: make_checkpoints_daily(pool, keyring),
        }
    minding = asyncio.create_task(_mind(minded, stop or asyncio.Event()))
    try:
        yield Slowlight(pool, Accounts(pool), streams, writer, hints, hub, keyring)
    finally:
        await ended(minding)
        writer.stop()
        await writing
        await hints.close()
        await ended(listening)
        await pool.close()


async def _mind(minded: Mapping[str, Work], stop: asyncio.Event) -> None:
    tasks = [asyncio.create_task(_for_ever(name, work), name=name) for name, work in minded.items()]
    try:
        await stop.wait()
    finally:
        await ended(*tasks)


async def _for_ever(name: str, work: Work) -> None:
    """Do what ends when it is told to. Whatever else ends it is a bug: one alarm, and it begins again."""
    while True:
        try:
            return await work()
        except Exception as error:  # noqa: BLE001 - what is minded must not be left undone
            bug = innermost(error)
            log.critical("minding_failed", what=name, error=type(bug).__name__, where=where(bug))
        await asyncio.sleep(AGAIN_SECONDS)


async def _hear_of_work(channels: Channels, writer: Writer) -> None:
    """Look at once where a hint says that another process left something to do."""

    def inbox(hint: Hint | None) -> None:
        if hint is not None:
            writer.nudge([hint.game_id])

    def timers(_hint: Hint | None) -> None:
        writer.timers_changed.set()

    channels.listen(INBOX, inbox)
    channels.listen(TIMERS, timers)
    try:
        await asyncio.get_running_loop().create_future()
    finally:
        channels.leave(INBOX, inbox)
        channels.leave(TIMERS, timers)
