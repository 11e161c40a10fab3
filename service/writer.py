"""The writer: the one loop of a process that receives, resolves and commits, many games in one transaction."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from psycopg import AsyncConnection, DatabaseError, InterfaceError, OperationalError
from psycopg.errors import DeadlockDetected, SerializationFailure, UniqueViolation
from psycopg.rows import class_row

from service import store
from service.deciding import Change, Pending, Timer, fire, is_late, settle
from service.faults import reached
from service.hints import Hint, Hints
from service.logs import where
from service.metrics import timed
from service.overrun import Overrun, limited
from service.seen import Receipt, ReceiptStatus, Refusal
from service.streams import Stream, Streams
from service.texts import refusal_from, refusal_of

FLUSH_MAX: Final = 256
"""The most submissions one transaction receives."""

PENDING_MAX: Final = 16
"""The most submissions one sender may have pending in one game."""

TAKEN_MAX: Final = 64
"""The most pending submissions of one game that one transaction decides."""

FLUSH_SECONDS_MAX: Final = 30.0
"""How long a flush waits for a database that neither answers nor hangs up."""

DECISION_SECONDS_MAX: Final = 2.0

QUICK_SECONDS_MAX: Final = 0.2
"""How long a decision on the quick path may take: what takes longer is decided again on the ordinary way."""

RETRIES_MAX: Final = 5
AGAIN_SECONDS: Final = 0.02

log = structlog.get_logger()


class Unavailable(Exception):
    """The database is away: the submission either has a durable receipt or does not exist."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A submission on its way in: whose, for which game, under which key, and what it says; `command` is that, read."""

    game_id: UUID
    sender_id: UUID
    key: str
    submission_id: UUID
    content: str
    command: Any = None

    @property
    def scope(self) -> tuple[UUID, UUID, str]:
        """What a key is unique in."""
        return self.game_id, self.sender_id, self.key


@dataclass(frozen=True, slots=True)
class Known:
    """A submission as it stands in the store."""

    game_id: UUID
    sender_id: UUID
    key: str
    submission_id: UUID
    content: str
    received_at: datetime
    status: str
    first_version: int | None
    version: int | None
    hash: bytes | None
    refusal: str | None

    def receipt(self) -> Receipt:
        """What its sender holds."""
        return Receipt(
            id=self.submission_id,
            key=self.key,
            game_id=self.game_id,
            status=ReceiptStatus(self.status),
            received_at=self.received_at,
            first_version=self.first_version,
            version=self.version,
            hash=self.hash.hex() if self.hash else None,
            refusal=refusal_from(self.refusal) if self.refusal else None,
        )


Answer = Receipt | Refusal
"""A Receipt, or a Refusal: nothing was received."""


@dataclass(slots=True)
class _Arrival:
    """An incoming submission and who waits for what becomes of it."""

    incoming: Incoming
    answer: asyncio.Future[Answer]


@dataclass(slots=True)
class _Flush:
    """What one transaction found and did.

    Of the games, others hold the `skipped`, and of these something was `left` pending in some; in those `waiting` a
    submission came after a deadline that has not been acted on; the `unfinished` have more pending than was taken.
    """

    received: dict[UUID, datetime] = field(default_factory=dict)
    changes: dict[UUID, Change] = field(default_factory=dict)
    quarantined: dict[UUID, BaseException] = field(default_factory=dict)
    records: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    known: list[Known] = field(default_factory=list)
    skipped: set[UUID] = field(default_factory=set)
    left: set[UUID] = field(default_factory=set)
    waiting: set[UUID] = field(default_factory=set)
    unfinished: set[UUID] = field(default_factory=set)
    unfired: list[Timer] = field(default_factory=list)

    @property
    def bots_to_move(self) -> set[UUID]:
        """The games in which it is now for a house bot to move."""
        return {timer["game_id"] for timer in self.records.get("timers", ()) if timer["kind"] == "bot"}


class Writer:
    """Receives submissions and due timers, and commits what follows from them.

    Each flush is one transaction: receive what arrived while the last one was in flight, lock what can be locked,
    then in a second look read heads and pending submissions, decide in memory, and write. `submit` answers once its
    submission is durable.
    """

    def __init__(self, connect: Callable[[], Awaitable[AsyncConnection[Any]]], streams: Streams, hints: Hints) -> None:
        self._connect = connect
        self._connection: AsyncConnection[Any] | None = None
        self._streams = streams
        self._hints = hints
        self._arrivals: list[_Arrival] = []
        self._nudged: set[UUID] = set()
        self._due: dict[tuple[UUID, str, int], Timer] = {}
        self._work = asyncio.Event()
        self._stopping = False
        self._read_time: tuple[datetime, float] | None = None
        self.timers_changed = asyncio.Event()

    async def submit(self, incoming: Incoming) -> Answer:
        """Receive a submission durably, and resolve it if its game is free. Raises Unavailable."""
        if self._stopping:
            raise Unavailable
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._arrivals.append(_Arrival(incoming, answer))
        self._work.set()
        with timed("turn"):
            return await answer

    def nudge(self, games: Iterable[UUID]) -> None:
        """Look at the pending submissions of these games."""
        self._nudged.update(games)
        if self._nudged:
            self._work.set()

    def fire(self, timers: Iterable[Timer]) -> None:
        """Do what these timers are for, if they still hold. Their time must surely have passed (see timers.py)."""
        self._due.update({timer.key: timer for timer in timers})
        if self._due:
            self._work.set()

    async def run(self) -> None:
        """Flush until stopped, and then what had already arrived."""
        while True:
            await self._work.wait()
            self._work.clear()
            while self._arrivals or self._nudged or self._due:
                await self._flush_next()
            if self._stopping:
                break
        await self._hang_up()

    def stop(self) -> None:
        """Take nothing more; `run` returns once everything that arrived is answered."""
        self._stopping = True
        self._work.set()

    async def _flush_next(self) -> None:
        batch, self._arrivals = self._arrivals[:FLUSH_MAX], self._arrivals[FLUSH_MAX:]
        nudged, self._nudged = self._nudged, set()
        due, self._due = self._due, {}
        try:
            async with asyncio.timeout(FLUSH_SECONDS_MAX):
                await self._flush(batch, nudged, due)
        except (OperationalError, InterfaceError, OSError) as error:  # a TimeoutError is an OSError
            log.error("database_away", error=type(error).__name__)
            await self._hang_up()
            self._fail(batch, Unavailable())
            await asyncio.sleep(0.1)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the affair of one of these, not of the loop
            log.error("flush_failed", error=_named(error), submissions=len(batch), games=len(nudged) + len(due))
            await self._flush_singly(batch, nudged, due)

    async def _flush_singly(
        self, batch: list[_Arrival], nudged: set[UUID], due: dict[tuple[UUID, str, int], Timer]
    ) -> None:
        """Try each alone what failed together, so that one bad row takes no other with it."""
        alone: list[tuple[list[_Arrival], set[UUID], dict[tuple[UUID, str, int], Timer]]] = [
            *(([arrival], set[UUID](), {}) for arrival in batch),
            *(([], {game_id}, {}) for game_id in nudged),
            *(([], set[UUID](), {key: timer}) for key, timer in due.items()),
        ]
        for one in alone:
            try:
                async with asyncio.timeout(FLUSH_SECONDS_MAX):
                    await self._flush(*one)
            except (OperationalError, InterfaceError, OSError):
                await self._hang_up()
                self._fail(one[0], Unavailable())
            except Exception as error:  # noqa: BLE001 - as above
                log.error("row_failed", error=_named(error), where=where(error))
                self._fail(one[0], error)

    async def _flush(self, batch: list[_Arrival], nudged: set[UUID], due: dict[tuple[UUID, str, int], Timer]) -> None:
        reached("arrived")
        first: dict[tuple[UUID, UUID, str], Incoming] = {}
        for arrival in batch:
            first.setdefault(arrival.incoming.scope, arrival.incoming)
        busy = nudged | {game for game, _, _ in due}
        await self._flush_quickly(batch, first, busy)
        games = {incoming.game_id for incoming in first.values()} | busy
        if not games:
            return
        for attempt in range(RETRIES_MAX):
            connection = await self._connected()
            try:
                flush = await self._transact(connection, list(first.values()), games, due)
                break
            except (SerializationFailure, DeadlockDetected):
                await connection.rollback()
                if attempt == RETRIES_MAX - 1:
                    raise
            except BaseException:
                self._streams.forget(games)
                with suppress(DatabaseError):
                    await connection.rollback()
                raise
        reached("committed")
        self._keep(flush)
        self._answer([arrival for arrival in batch if arrival.incoming.scope in first], flush)
        reached("told")
        self._hints.tell(self._hints_of(flush))

    async def _flush_quickly(
        self, batch: list[_Arrival], first: dict[tuple[UUID, UUID, str], Incoming], busy: set[UUID]
    ) -> None:
        """Try the common case: decide on heads in memory, then receive and write in one statement.

        What was written is answered and taken out of `first`; the rest goes the ordinary way.
        """
        with timed("decide"):
            flush = self._decided_in_memory(first.values(), busy)
        if not flush.changes:
            return
        connection = await self._connected()
        try:
            reached("decided")
            with timed("quick"):
                found = await store.rows(connection, "quick", _quick_params(flush))
        except (UniqueViolation, SerializationFailure, DeadlockDetected):
            return  # somebody else received one of these keys, or came in between, at this moment
        except BaseException:
            self._streams.forget(flush.changes)
            raise
        self._read_time = found[0][0], time.monotonic()
        held = {game_id for _, game_id in found}
        flush.changes = {game_id: change for game_id, change in flush.changes.items() if game_id in held}
        reached("committed")
        self._keep(flush)
        self._answer([arrival for arrival in batch if arrival.incoming.game_id in held], flush)
        reached("told")
        self._hints.tell(self._hints_of(flush))
        for scope in [scope for scope in first if scope[0] in held]:
            del first[scope]

    def _decided_in_memory(self, incoming: Iterable[Incoming], busy: set[UUID]) -> _Flush:
        flush, work = _Flush(), dict[UUID, list[Pending | Timer]]()
        if self._read_time is None:
            return flush
        read, when = self._read_time
        now = read + timedelta(seconds=time.monotonic() - when)
        for one in incoming:
            if one.game_id not in busy and self._streams.cached(one.game_id) is not None:
                pending = Pending(one.game_id, one.sender_id, one.key, one.submission_id, one.content, now, one.command)
                work.setdefault(one.game_id, []).append(pending)
                flush.received[one.submission_id] = now
        for game_id, items in work.items():
            stream = self._streams.cached(game_id)
            if stream is not None and len(items) <= PENDING_MAX:
                self._decide_game(flush, stream, items, now, QUICK_SECONDS_MAX)
        flush.quarantined.clear()  # the ordinary way decides again, under the lock, and sets aside for good
        flush.changes = {
            game_id: change
            for game_id, change in flush.changes.items()
            if change.is_quick and game_id not in flush.waiting
        }
        return flush

    async def _transact(
        self,
        connection: AsyncConnection[Any],
        incoming: list[Incoming],
        games: set[UUID],
        due: dict[tuple[UUID, str, int], Timer],
    ) -> _Flush:
        flush = _Flush()
        with timed("receive"):
            async with connection.pipeline():
                await connection.execute("begin", prepare=True)
                receiving = await store.start(connection, "receive", _receive_params(incoming)) if incoming else None
                locking = await store.start(connection, "lock", {"games": sorted(games)})
                flush.received = dict(await store.fetch(receiving)) if receiving else {}
                locked = [game_id for (game_id,) in await store.fetch(locking)]
        reached("received")
        unreceived = [one for one in incoming if one.submission_id not in flush.received]
        async with connection.pipeline():
            queueing = await store.start(
                connection, "pending", {"games": locked, "taken_max": TAKEN_MAX}, class_row(Pending)
            )
            # After what is pending, since its `now` must not lie before anything there was received.
            heading = await store.start(connection, "heads", {"games": sorted(games)})
            knowing = (
                await store.start(connection, "known", _keys(unreceived), class_row(Known)) if unreceived else None
            )
            queued = await store.fetch(queueing)
            heads = await store.fetch(heading)
            flush.known = await store.fetch(knowing) if knowing else []
        playable = {game_id: version for game_id, version, _, _, quarantined, _ in heads if not quarantined}
        free = {game_id: playable[game_id] for game_id in locked if game_id in playable}
        flush.skipped = playable.keys() - free.keys()
        flush.left = {one.game_id for one in incoming if one.submission_id in flush.received} & flush.skipped
        if free:
            streams = await self._streams.load(connection, free)
            read = heads[0][-1]
            self._read_time = read, time.monotonic()
            now = max([read, *(one.received_at for one in queued)])  # a stamp may be microseconds ahead
            with timed("decide"):
                self._decide(flush, streams, queued, due, now)
        flush.unfired = [timer for timer in due.values() if timer.game_id in flush.skipped | flush.unfinished]
        reached("decided")
        with timed("write"):
            async with connection.pipeline():
                await _write(connection, flush)
                await connection.execute("commit", prepare=True)
        return flush

    def _decide(
        self,
        flush: _Flush,
        streams: dict[UUID, Stream | Exception],
        queued: list[Pending],
        due: dict[tuple[UUID, str, int], Timer],
        now: datetime,
    ) -> None:
        pending: dict[UUID, list[Pending]] = {}
        for one in queued:
            pending.setdefault(one.game_id, []).append(one)
        taken_until = {game: taken[-1].received_at for game, taken in pending.items() if len(taken) >= TAKEN_MAX}
        work: dict[UUID, list[Pending | Timer]] = {game: [*taken] for game, taken in pending.items()}
        for timer in due.values():
            # All that was received by the deadline goes before the lapse.
            if timer.game_id not in taken_until or timer.due < taken_until[timer.game_id]:
                work.setdefault(timer.game_id, []).append(timer)
        for game_id, items in work.items():
            stream = streams.get(game_id)
            if isinstance(stream, Exception):
                flush.quarantined[game_id] = stream
            elif stream is not None:
                self._decide_game(flush, stream, sorted(items, key=_order), now, DECISION_SECONDS_MAX)
        flush.unfinished = taken_until.keys() - flush.waiting - flush.quarantined.keys()

    def _decide_game(
        self, flush: _Flush, stream: Stream, items: list[Pending | Timer], now: datetime, seconds_max: float
    ) -> None:
        change = Change(stream, stream)
        try:
            for item in items:
                if isinstance(item, Pending) and is_late(change.after, item):
                    flush.waiting.add(stream.game_id)  # with all after it, for the lapse that goes before it
                    break
                with limited(seconds_max):
                    if isinstance(item, Timer):
                        fire(change, item, now)
                    else:
                        settle(change, item, now)
        except (Exception, Overrun) as error:  # noqa: BLE001 - a bug is no outage: this one game is set aside
            flush.quarantined[stream.game_id] = error
        else:
            flush.changes[stream.game_id] = change

    def _keep(self, flush: _Flush) -> None:
        for change in flush.changes.values():
            self._streams.keep(change.after)
        for game_id, bug in flush.quarantined.items():
            log.critical("game_quarantined", game=str(game_id), cause=_cause(bug), where=where(bug))
        self._streams.forget(flush.quarantined)
        again = flush.skipped | flush.unfinished
        if again and not self._stopping:
            asyncio.get_running_loop().call_later(AGAIN_SECONDS, self.nudge, again)
            asyncio.get_running_loop().call_later(AGAIN_SECONDS, self.fire, flush.unfired)
        if flush.bots_to_move:
            self.timers_changed.set()

    def _answer(self, batch: list[_Arrival], flush: _Flush) -> None:
        settled = {one.pending.submission_id: one for change in flush.changes.values() for one in change.settled}
        known = {(one.game_id, one.sender_id, one.key): one for one in flush.known}
        received: dict[tuple[UUID, UUID, str], Known] = {}
        for arrival in batch:
            one = arrival.incoming
            if one.submission_id in flush.received:
                outcome = settled.get(one.submission_id)
                received[one.scope] = Known(
                    one.game_id,
                    one.sender_id,
                    one.key,
                    one.submission_id,
                    one.content,
                    flush.received[one.submission_id],
                    ReceiptStatus(outcome.status) if outcome else ReceiptStatus.PENDING,
                    outcome.first_version if outcome else None,
                    outcome.version if outcome else None,
                    outcome.hash if outcome else None,
                    outcome.refusal if outcome else None,
                )
        for arrival in batch:
            if arrival.answer.done():  # its sender has gone away
                continue
            stands = received.get(arrival.incoming.scope) or known.get(arrival.incoming.scope)
            arrival.answer.set_result(_answer_to(arrival.incoming, stands))

    def _hints_of(self, flush: _Flush) -> list[Hint]:
        moving = flush.bots_to_move
        decided = [
            Hint(
                game_id,
                change.after.head.version,
                _concerned(change),
                timers=game_id in moving,
            )
            for game_id, change in flush.changes.items()
        ]
        return decided + [Hint(game_id, 0, inbox=True) for game_id in flush.left]

    def _fail(self, batch: list[_Arrival], error: Exception) -> None:
        for arrival in batch:
            if not arrival.answer.done():
                arrival.answer.set_exception(error)

    async def _connected(self) -> AsyncConnection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = await self._connect()
        return self._connection

    async def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                await connection.close()


async def known_under(connection: AsyncConnection[Any], game_id: UUID, sender_id: UUID, key: str) -> Known | None:
    """The submission that stands under a key, if one does."""
    keys = store.as_json([{"game_id": game_id, "sender_id": sender_id, "key": key}])
    found = await store.rows(connection, "known", {"keys": keys}, class_row(Known))
    return found[0] if found else None


def _concerned(change: Change) -> tuple[UUID, ...]:
    """Whose games this is one of: those who sit there, those who just left, and the host."""
    sitting = (*change.before.players, *change.after.players, change.after.host_id)
    return tuple({player for player in sitting if player is not None})


def _answer_to(incoming: Incoming, stands: Known | None) -> Answer:
    if stands is None:
        return refusal_of("TOO_MANY_PENDING", most=PENDING_MAX)
    if stands.content != incoming.content:
        return refusal_of("KEY_REUSED", key=incoming.key)
    return stands.receipt()


def _order(item: Pending | Timer) -> tuple[datetime, int]:
    """Order of receipt; a lapse comes after everything received at or before its deadline."""
    return (item.due, 1) if isinstance(item, Timer) else (item.received_at, 0)


def _cause(error: BaseException) -> str:
    """What kind of bug it was. Never its message: that may hold what somebody must not know."""
    return type(error).__name__


def _named(error: Exception) -> str:
    """An error by its class, and code where it is the database's. Its message may quote the row, secrets and all."""
    return f"{type(error).__name__} {error.sqlstate}" if isinstance(error, DatabaseError) else type(error).__name__


def _receive_params(incoming: list[Incoming]) -> dict[str, Any]:
    records = [
        {
            "place": place,
            "game_id": one.game_id,
            "sender_id": one.sender_id,
            "key": one.key,
            "submission_id": one.submission_id,
            "content": one.content,
        }
        for place, one in enumerate(incoming)
    ]
    return {"incoming": store.as_json(records), "pending_max": PENDING_MAX}


def _keys(incoming: list[Incoming]) -> dict[str, Any]:
    keys = [{"game_id": one.game_id, "sender_id": one.sender_id, "key": one.key} for one in incoming]
    return {"keys": store.as_json(keys)}


def _quick_params(flush: _Flush) -> dict[str, Any]:
    flush.records = {name: [] for name in ("heads", "events", "outcomes", "timers")}
    for change in flush.changes.values():
        for name, some in change.quick_records().items():
            flush.records[name].extend(some)
    return {name: store.as_json(some) for name, some in flush.records.items()}


async def _write(connection: AsyncConnection[Any], flush: _Flush) -> None:
    for change in flush.changes.values():
        for name, some in change.records().items():
            flush.records.setdefault(name, []).extend(some)
    if any(flush.records.values()):
        await write(connection, flush.records)
    for game_id, bug in flush.quarantined.items():
        await store.start(connection, "quarantine", {"game_id": game_id, "cause": _cause(bug)})


async def write(connection: AsyncConnection[Any], records: dict[str, list[dict[str, Any]]]) -> None:
    """Run the statement `write`, which raises if a head had moved or a submission was settled already."""
    params: dict[str, Any] = {name: store.as_json(some) for name, some in records.items()}
    params |= {"heads_count": len(records["heads"]), "outcomes_count": len(records["outcomes"])}
    await store.start(connection, "write", params)
