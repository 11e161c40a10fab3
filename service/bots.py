"""House bots: each move is leased from the timers, thought out in a process of its own, and handed in like any turn."""

import asyncio
import secrets
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final
from uuid import uuid4

import structlog
from anyio import create_task_group, fail_after, to_process
from psycopg import Error
from psycopg.rows import class_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from domain.catalogue import CATALOGUE
from domain.chance import draws_from
from domain.game import legal
from service import store
from service.codec import codec_of
from service.deciding import Timer, content_of
from service.faults import reached
from service.seen import Receipt, ReceiptStatus
from service.streams import Stream, Streams, bot_id, game_rows
from service.writer import Incoming, Unavailable, Writer

THINK_SECONDS_MAX: Final = 2.0
LEASE: Final = timedelta(seconds=20)
LEASED_MAX: Final = 16
POLL_SECONDS: Final = 1.0

AWAY: Final = (PoolTimeout, Error, OSError, Unavailable)
"""What is raised where the database is away."""

log = structlog.get_logger()


class Bots:
    """Moves the house bots of every game whose turn comes to this worker."""

    def __init__(self, pool: AsyncConnectionPool, streams: Streams, writer: Writer) -> None:
        self._pool = pool
        self._streams = streams
        self._writer = writer
        self._thinking = asyncio.Lock()

    async def run(self) -> None:
        """Move bots as they become due, and go on when the database is away."""
        while True:
            moved = 0
            with suppress(*AWAY):
                moved = await self.move()
            if not moved:
                self._writer.timers_changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(POLL_SECONDS):
                        await self._writer.timers_changed.wait()

    async def move(self) -> int:
        """Move every bot that is due now; gives how many were found."""
        async with self._pool.connection() as connection:
            params = {"most": LEASED_MAX, "lease": LEASE}
            timers = await store.rows(connection, "lease_bots", params, class_row(Timer))
        reached("leased")
        async with create_task_group() as group:
            for timer in timers:
                group.start_soon(self._move_one, timer)
        return len(timers)

    async def _move_one(self, timer: Timer) -> None:
        with suppress(*AWAY):  # then the lease runs out, and another worker moves this bot
            await self._thought_and_moved(timer)

    async def _thought_and_moved(self, timer: Timer) -> None:
        stream = await self._stream(timer)
        if (
            stream is None
            or timer.seat not in stream.game.awaiting
            or stream.game.turn_since[timer.seat] != timer.version
        ):
            return  # its moment has passed; the writer has set or will set the timer that holds now
        async with self._thinking:
            command = await _advice(stream, timer)
        reached("advised")
        if command is None or not await self._handed_in(stream, timer, command):
            self._writer.fire([timer])

    async def _stream(self, timer: Timer) -> Stream | None:
        async with self._pool.connection() as connection:
            (row,) = await game_rows(connection, [timer.game_id])
            loaded = await self._streams.load(connection, {row.game_id: row.version})
        stream = loaded[timer.game_id]
        return stream if isinstance(stream, Stream) else None

    async def _handed_in(self, stream: Stream, timer: Timer, command: Any) -> bool:
        codec = codec_of(stream.game.ruleset_name, stream.game.rules)
        incoming = Incoming(
            game_id=timer.game_id,
            sender_id=bot_id(timer.game_id, timer.seat),
            key=f"bot/{timer.version}",
            submission_id=uuid4(),
            content=content_of(codec.command_json(command), expected_version=None),
        )
        answer = await self._writer.submit(incoming)
        # A key that stands for another move means that another worker was here first.
        return not (isinstance(answer, Receipt) and answer.status is ReceiptStatus.REFUSED)


def advise(ruleset: str, rules: int, view: Any, turns: tuple[Any, ...], seed: bytes) -> Any:
    """What a title's bot would do, seeing only its view. Runs in a process of its own."""
    think = CATALOGUE[ruleset, rules].advise
    assert think is not None, "a bot sits where there is none"
    return think(view, turns, draws_from(seed))


def _awake() -> None:
    """Nothing: a process that can do it has started, which is no part of a bot's time to think."""


async def _advice(stream: Stream, timer: Timer) -> Any | None:
    """The bot's command; None if it took too long or failed."""
    game = stream.game
    asked = (
        game.ruleset_name,
        game.rules,
        game.ruleset.view(game.state, timer.seat),
        legal(game, timer.seat),
        secrets.token_bytes(32),  # a bot's own chance: the game's would tell it what is hidden
    )
    try:
        await to_process.run_sync(_awake)
        with fail_after(THINK_SECONDS_MAX):
            return await to_process.run_sync(advise, *asked, cancellable=True)
    except TimeoutError:
        log.warning("bot_too_slow", game=str(timer.game_id), seat=timer.seat)
    except Exception as error:  # noqa: BLE001 - a bot's bug costs its seat a lapse, no more
        log.error("bot_failed", game=str(timer.game_id), seat=timer.seat, error=type(error).__name__)
    return None
