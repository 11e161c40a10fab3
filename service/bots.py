"""House bots: each move is leased from the timers, thought out in a process of its own, and handed in like any turn."""

import asyncio
import secrets
import signal
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from math import ceil
from typing import Any, Final
from uuid import uuid4

import structlog
from anyio import BrokenWorkerProcess, create_task_group, fail_after, move_on_after, to_process
from psycopg import Error
from psycopg.rows import class_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from domain.chance import Draws, draws_from
from domain.game import legal
from service import store
from service.codec import codec_of
from service.deciding import Timer, content_of
from service.faults import reached
from service.logs import where
from service.seen import Receipt, ReceiptStatus
from service.streams import Stream, Streams, bot_id, game_rows
from service.writer import Incoming, Unavailable, Writer, known_under

THINK_SECONDS_MAX: Final = 2.0
PACE_SECONDS: Final = 0.1
"""A bot hands in at a whole multiple of this after its turn was found: the times in a stream are public, and how long a
bot thought would say something of its hand. It seldom thinks for half as long."""

LEASE: Final = timedelta(seconds=20)
LEASED_MAX: Final = 8
"""Few enough that the last of them is thought out before its lease is over, however long those before it take."""

GIVE_BACK_SECONDS_MAX: Final = 1.0
POLL_SECONDS: Final = 1.0

AWAY: Final = (PoolTimeout, Error, OSError, Unavailable, BrokenWorkerProcess)
"""What is raised where the database, or a process to think in, is not to be had."""

Think = Callable[[Any, tuple[Any, ...], Draws], Any]

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
            self._writer.timers_changed.clear()
            with suppress(*AWAY):
                moved = await self.move()
            if not moved:
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
        try:
            with suppress(*AWAY):  # then the lease runs out, and another worker moves this bot
                await self._thought_and_moved(timer)
        except asyncio.CancelledError:
            await self._give_back(timer)
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the affair of this bot: as above
            _log_failed(timer, error)

    async def _give_back(self, timer: Timer) -> None:
        """Leave a bot to the next worker at once: this one is told to stop."""
        with move_on_after(GIVE_BACK_SECONDS_MAX, shield=True), suppress(*AWAY):
            async with self._pool.connection() as connection:
                asked = {"game_id": timer.game_id, "seat": timer.seat, "version": timer.version}
                await store.start(connection, "give_back", asked)

    async def _thought_and_moved(self, timer: Timer) -> None:
        found = asyncio.get_running_loop().time()
        stream = await self._stream(timer)
        if (
            stream is None
            or timer.seat not in stream.game.awaiting
            or stream.game.turn_since[timer.seat] != timer.version
        ):
            return  # its moment has passed; the writer has set or will set the timer that holds now
        async with self._thinking:
            await to_process.run_sync(_awake)
            content = await _advice(stream, timer)
        await asyncio.sleep(rest_of_pace(asyncio.get_running_loop().time() - found))
        reached("advised")
        if content is None or not await self._handed_in(timer, content):
            self._writer.fire([timer])

    async def _stream(self, timer: Timer) -> Stream | None:
        async with self._pool.connection() as connection:
            (row,) = await game_rows(connection, [timer.game_id])
            loaded = await self._streams.load(connection, {row.game_id: row.version})
        stream = loaded[timer.game_id]
        return stream if isinstance(stream, Stream) else None

    async def _handed_in(self, timer: Timer, content: str) -> bool:
        """Hand in a bot's move; False if it, or one that was handed in before it, was refused."""
        incoming = Incoming(
            game_id=timer.game_id,
            sender_id=bot_id(timer.game_id, timer.seat),
            key=f"bot/{timer.version}",
            submission_id=uuid4(),
            content=content,
        )
        answer = await self._writer.submit(incoming)
        if isinstance(answer, Receipt):
            return answer.status is not ReceiptStatus.REFUSED
        # The key stands for another move: another worker was here first, and what became of that one counts.
        async with self._pool.connection() as connection:
            stands = await known_under(connection, *incoming.scope)
        return stands is None or stands.status != ReceiptStatus.REFUSED


def rest_of_pace(seconds: float) -> float:
    """How long a bot still waits that has had its turn for so many seconds."""
    return ceil(seconds / PACE_SECONDS) * PACE_SECONDS - seconds


def advise(think: Think, view: Any, turns: tuple[Any, ...], seed: bytes) -> Any:
    """What a title's bot would do, seeing only its view. Runs in a process of its own."""
    return think(view, turns, draws_from(seed))


def _awake() -> None:
    """Be there: a process that can has started, which is no part of a bot's time to think. A Ctrl-C is meant for us."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


async def _advice(stream: Stream, timer: Timer) -> str | None:
    """What the bot hands in; None if it took too long or failed."""
    game, seat = stream.game, timer.seat
    chance = secrets.token_bytes(32)  # a bot's own: the game's would tell it what is hidden
    try:
        think, view, turns = game.ruleset.advise, game.ruleset.view(game.state, seat), legal(game, seat)
        assert think is not None, "a bot sits where there is none"
        with fail_after(THINK_SECONDS_MAX):
            command = await to_process.run_sync(advise, think, view, turns, chance, cancellable=True)
        return content_of(codec_of(game.ruleset_name, game.rules).command_json(command), expected_version=None)
    except TimeoutError:
        log.warning("bot_too_slow", game=str(timer.game_id), seat=seat)
    except Exception as error:  # noqa: BLE001 - a bot's bug costs its seat a lapse, no more
        _log_failed(timer, error)
    return None


def _log_failed(timer: Timer, error: Exception) -> None:
    kind, places = type(error).__name__, where(error)
    log.error("bot_failed", game=str(timer.game_id), seat=timer.seat, error=kind, where=places)
