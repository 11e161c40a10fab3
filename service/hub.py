"""The hub, one a process: all who follow games here are woken by one ear and served by one read."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from random import uniform
from typing import Any, Final, TypeVar
from uuid import UUID

import structlog
from psycopg import AsyncConnection, InterfaceError, OperationalError
from psycopg_pool import AsyncConnectionPool

from domain.game import Game, Status
from domain.ruleset import EVENTS_A_DECISION_MAX
from domain.stream import Row
from service import store
from service.accounts import players_by_id
from service.channels import Channels, Ear
from service.hints import Hint, game_channel, player_channel
from service.seen import GameUpdate, Player, Refusal
from service.streams import GameRow, Stream, Streams, game_at, game_rows, tails_of
from service.texts import refusal_of
from service.viewing import as_it_was, as_of, event_seen, folded_to_head, game_seen, is_insider, may_see

QUEUED_MAX: Final = 32
"""The most updates that wait for one follower; one more, and it is ended as a laggard."""

PAGE_MAX: Final = 100
"""The most events of one update, unless a single decision has more."""

READ_MAX: Final = 256
"""The most games of one read."""

POLLED_MAX: Final = 1_000
"""The most games or players that one statement of a poll asks about."""

POLL_SECONDS: Final = 5.0
"""How often to look for what no hint told of."""

AWAY_SECONDS: Final = 1.0
"""How often that is while Redis is away, and how soon to try again where the database is."""

T = TypeVar("T")

log = structlog.get_logger()


class Following:
    """One follower of a game: its updates in order, and at last a Refusal if it was ended before the game.

    Whoever iterates closes it with `aclose` when they are done.
    """

    __slots__ = ("_hub", "_is_joined", "_queue", "_taken", "_waiting", "after", "game_id", "is_live", "player", "taker")

    def __init__(self, hub: "Hub", game_id: UUID, player: Player | None, after: int | None) -> None:
        self._hub = hub
        self._is_joined = False
        self._queue: deque[GameUpdate | Refusal | Exception | None] = deque()
        self._taken: int | None = None
        self._waiting: asyncio.Future[None] | None = None
        self.game_id = game_id
        self.player = player
        self.after = after  # the version of the last update that was queued; None until the head is known
        self.is_live = False  # whether it has been at the head: from then on updates come as they happen
        self.taker: Callable[[GameUpdate], bool] | None = None
        """Takes an update at once, without waking whoever iterates and waits; False if it cannot. It raises nothing."""

    def __aiter__(self) -> "Following":
        return self

    async def __anext__(self) -> GameUpdate | Refusal:
        """The next update, or why there is none."""
        if not self._is_joined:
            self._is_joined = True
            await self._hub.join(self)
        while not self._queue:
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        item = self._queue.popleft()
        if isinstance(item, GameUpdate):
            self._taken = item.version
            if not self._queue and not self.is_live:
                self._hub.look(self.game_id)
            return item
        await self.aclose()
        self._queue.append(None)
        if item is None:
            raise StopAsyncIteration
        if isinstance(item, Exception):
            raise item
        return item

    async def aclose(self) -> None:
        """Follow no more."""
        self._hub.leave(self)

    @property
    def taken(self) -> int | None:
        """The version of the last update that was taken, None before it is known where to begin."""
        return self._taken

    @property
    def takes(self) -> bool:
        """Whether it is to be given what there is: one that catches up says itself when it is ready for more."""
        return self.is_live or not self._queue

    def welcome(self, head: int) -> int | None:
        """The version it has been told of already; None, and it is ended, if it asked for what makes no sense."""
        if self.after is None:
            self.after = head
        if self._taken is None:
            if not 0 <= self.after <= head:
                self.end(refusal_of("AFTER_OUT_OF_RANGE", given=self.after, least=0, most=head))
                return None
            self._taken = self.after
        return self.after

    def show_out(self) -> None:
        """End it because the game is not, or no more, for its eyes."""
        self.end(refusal_of("UNKNOWN_GAME" if self._taken is None else "ACCESS_LOST"))

    def give(self, update: GameUpdate) -> None:
        """Queue the update that follows the last one, or end a laggard."""
        if len(self._queue) >= QUEUED_MAX:
            self.end(refusal_of("LAGGED", after=self._taken))
        else:
            self.after = update.version
            if self._is_waited_for and self.taker is not None and self.taker(update):
                self._taken = update.version
            else:
                self._put(update)

    def complete(self) -> None:
        """End it after what is queued: the game has had its last event."""
        self._hub.leave(self)
        self._put(None)

    def end(self, why: Refusal | Exception) -> None:
        """End it at once."""
        self._hub.leave(self)
        self._queue.clear()
        self._put(why)

    @property
    def _is_waited_for(self) -> bool:
        return not self._queue and self._waiting is not None and not self._waiting.done()

    def _put(self, item: GameUpdate | Refusal | Exception | None) -> None:
        self._queue.append(item)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class Watch:
    """Somebody who looks for themselves whenever there may be news."""

    def __init__(self) -> None:
        self._news = asyncio.Event()

    def hear(self, _hint: Hint | None = None) -> None:
        """There may be news."""
        self._news.set()

    async def news(self, seconds: float | None = None) -> None:
        """Wait until there may be news since the last time, for so long at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()
        self._news.clear()


@dataclass(slots=True)
class _Table:
    """A followed game: who stands around it, and what was last seen there."""

    ear: Ear
    followers: dict[Following, None] = field(default_factory=dict)
    head: int = 0
    past: dict[int, Game] = field(default_factory=dict)  # folded states at which somebody is who catches up


@dataclass(slots=True)
class _Seat:
    """A player whose games are watched: by whom, and what stood for those games when last polled."""

    watches: list[Watch] = field(default_factory=list)
    stirring: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Whole:
    """A game with nothing hidden, as of one head, from which each viewer is given their part."""

    row: GameRow
    stream: Stream
    people: Mapping[UUID, Player]


@dataclass(frozen=True, slots=True)
class _Page:
    """What an update tells: stored events up to the end of a decision, and the game then, None for the head."""

    rows: Sequence[Row]
    game: Game | None


class Hub:
    """Followers and watchers of one process. Hints say when to look; what there is to see, Postgres says."""

    def __init__(
        self, channels: Channels, pool: AsyncConnectionPool, streams: Streams, poll_seconds: float = POLL_SECONDS
    ) -> None:
        self._channels = channels
        self._pool = pool
        self._streams = streams
        self._poll_seconds = poll_seconds
        self._tables: dict[UUID, _Table] = {}
        self._players: dict[UUID, _Seat] = {}
        self._to_read: dict[UUID, None] = {}
        self._work = asyncio.Event()

    async def run(self) -> None:
        """Serve until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._channels.run())
            tasks.create_task(self._read_forever())
            tasks.create_task(self._poll_forever())

    def follow(self, player: Player | None, game_id: UUID, after: int | None) -> Following:
        """Follow a game from after a version on, or from now. Nothing happens before the first item is asked for."""
        return Following(self, game_id, player, after)

    @asynccontextmanager
    async def watch_game(self, game_id: UUID) -> AsyncIterator[Watch]:
        """Watch for whatever is decided in a game, be it a refusal."""
        async with self._watch(game_channel(game_id)) as watch:
            yield watch

    @asynccontextmanager
    async def watch_player(self, player_id: UUID) -> AsyncIterator[Watch]:
        """Watch the games of a player."""
        async with self._watch(player_channel(player_id)) as watch:
            seat = self._players.setdefault(player_id, _Seat())
            seat.watches.append(watch)
            try:
                yield watch
            finally:
                seat.watches.remove(watch)
                if not seat.watches:
                    del self._players[player_id]

    async def join(self, follower: Following) -> None:
        """Stand a follower at its game; it is given what there is once the channel is confirmed."""
        game_id = follower.game_id
        table = self._tables.get(game_id)
        if table is None:
            table = self._tables[game_id] = _Table(lambda hint: self._heard(game_id, hint))
            self._channels.listen(game_channel(game_id), table.ear)
        table.followers[follower] = None
        await self._channels.confirmed(game_channel(game_id))
        self.look(game_id)

    def leave(self, follower: Following) -> None:
        """Let a follower go, if it is there."""
        table = self._tables.get(follower.game_id)
        if table is not None and follower in table.followers:
            del table.followers[follower]
            if not table.followers:
                del self._tables[follower.game_id]
                self._channels.leave(game_channel(follower.game_id), table.ear)

    @property
    def followers(self) -> int:
        """How many follow games here."""
        return sum(len(table.followers) for table in self._tables.values())

    @property
    def lag(self) -> int:
        """How many versions the one furthest behind has not taken."""
        behind = (
            table.head - follower.taken
            for table in self._tables.values()
            for follower in table.followers
            if follower.taken is not None
        )
        return max(behind, default=0)

    def look(self, game_id: UUID) -> None:
        """Read a game soon, and give its followers what they have not had."""
        self._to_read[game_id] = None
        self._work.set()

    @asynccontextmanager
    async def _watch(self, channel: str) -> AsyncIterator[Watch]:
        watch = Watch()
        self._channels.listen(channel, watch.hear)
        try:
            await self._channels.confirmed(channel)
            yield watch
        finally:
            self._channels.leave(channel, watch.hear)

    def _heard(self, game_id: UUID, hint: Hint | None) -> None:
        if hint is None or hint.version > self._tables[game_id].head:
            self.look(game_id)

    async def _read_forever(self) -> None:
        while True:
            await self._work.wait()
            self._work.clear()
            while self._to_read:
                games = list(self._to_read)[:READ_MAX]
                for game_id in games:
                    del self._to_read[game_id]
                try:
                    await self._read_each(games)
                except (OperationalError, InterfaceError, OSError) as error:
                    log.warning("followers_wait", error=type(error).__name__)
                    self._to_read |= dict.fromkeys(games)
                    await asyncio.sleep(AWAY_SECONDS)

    async def _read_each(self, games: Sequence[UUID]) -> None:
        """Read these games, alone where one of them is broken, so that it takes no other with it."""
        try:
            await self._read(games)
        except (OperationalError, InterfaceError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - a bug of one title is the affair of those who follow it
            if len(games) > 1:
                for game_id in games:
                    await self._read_each([game_id])
            elif (table := self._tables.get(games[0])) is not None:
                for follower in tuple(table.followers):
                    follower.end(error)

    async def _read(self, games: Sequence[UUID]) -> None:
        """Look once at these games. Who comes meanwhile is not served: they may know more than is read here."""
        present = {game_id: tuple(table.followers) for game_id in games if (table := self._tables.get(game_id))}
        async with self._pool.connection() as connection:
            rows = {row.game_id: row for row in await game_rows(connection, list(present))}
            streams = await folded_to_head(connection, self._streams, rows.values())
            rows = {game_id: as_of(row, streams[game_id]) for game_id, row in rows.items()}
            pages = await self._pages(connection, rows, present)
            seated = {player_id for stream in streams.values() for player_id in stream.present}
            people = await players_by_id(connection, list(seated))
        for game_id, followers in present.items():
            if game_id in rows:
                whole = _Whole(rows[game_id], streams[game_id], people)
                self._deliver(whole, followers, {at: page for (game, at), page in pages.items() if game == game_id})
            else:
                for follower in followers:
                    follower.show_out()

    async def _pages(
        self,
        connection: AsyncConnection[Any],
        rows: Mapping[UUID, GameRow],
        present: Mapping[UUID, Iterable[Following]],
    ) -> dict[tuple[UUID, int], _Page]:
        """What follows in each game on each version at which somebody waits for more."""
        wanted = {
            (game_id, follower.after)
            for game_id, row in rows.items()
            for follower in present[game_id]
            if follower.after is not None and 0 <= follower.after < row.version and follower.takes
        }
        if not wanted:
            return {}
        asked = [
            {"game_id": game_id, "after": at, "upto": min(rows[game_id].version, at + PAGE_MAX + EVENTS_A_DECISION_MAX)}
            for game_id, at in wanted
        ]
        stretches: dict[tuple[UUID, int], list[Row]] = {}
        for game_id, at, *stored in await store.rows(connection, "spans", {"wanted": store.as_json(asked)}):
            stretches.setdefault((game_id, at), []).append(Row(*stored))
        return {
            (game_id, at): await self._page(connection, rows[game_id], at, stretch)
            for (game_id, at), stretch in stretches.items()
        }

    async def _page(self, connection: AsyncConnection[Any], row: GameRow, at: int, stretch: list[Row]) -> _Page:
        page = _whole_decisions(stretch, row.version)
        end = page[-1].version
        if end == row.version:
            return _Page(page, None)
        table = self._tables.get(row.game_id)
        past = table.past if table is not None else {}
        if end not in past:
            known = past.get(at)
            begun = page if known else (await tails_of(connection, {row.game_id: (0, end)}))[row.game_id]
            past[end] = await game_at(connection, row, begun, known)
        return _Page(page, past[end])

    def _deliver(self, whole: _Whole, followers: Iterable[Following], pages: Mapping[int, _Page]) -> None:
        head, updates = whole.row.version, dict[tuple[int, UUID | None], GameUpdate]()
        for follower in followers:
            if not may_see(whole.row, follower.player):
                follower.show_out()
                continue
            at = follower.welcome(head)
            if at is None:
                continue
            if at in pages and follower.takes:
                viewer = follower.player if is_insider(whole.row, follower.player) else None
                key = at, viewer.id if viewer else None
                if key not in updates:
                    updates[key] = _update(whole, pages[at], viewer)
                follower.give(updates[key])
            follower.is_live = follower.after == head
            if not follower.is_live and follower.takes:  # it took a page at once
                self.look(follower.game_id)
            if follower.is_live and whole.row.status == Status.ENDED:
                follower.complete()
        if (table := self._tables.get(whole.row.game_id)) is not None:
            table.head = head
            kept = {follower.after for follower in table.followers}
            table.past = {version: game for version, game in table.past.items() if version in kept}

    async def _poll_forever(self) -> None:
        while True:
            some = uniform(0.75, 1.25)  # noqa: S311
            if self._channels.lost.is_set():
                await asyncio.sleep(some * min(AWAY_SECONDS, self._poll_seconds))
            else:
                with suppress(TimeoutError):
                    async with asyncio.timeout(some * self._poll_seconds):
                        await self._channels.lost.wait()
            with suppress(OperationalError, InterfaceError, OSError):
                await self._poll()

    async def _poll(self) -> None:
        """Look for what no hint told of."""
        for games in _some_of(self._tables):
            async with self._pool.connection() as connection:
                found = await store.rows(connection, "versions", {"games": games})
            for game_id, version in found:
                if (table := self._tables.get(game_id)) is not None and version > table.head:
                    self.look(game_id)
        for players in _some_of(self._players):
            async with self._pool.connection() as connection:
                stirring = {
                    player_id: tuple(rest)
                    for player_id, *rest in await store.rows(connection, "stirrings", {"players": players})
                }
            for player_id in players:
                seat = self._players.get(player_id)
                if seat is not None and seat.stirring != stirring.get(player_id, ()):
                    seat.stirring = stirring.get(player_id, ())
                    for watch in seat.watches:
                        watch.hear()


def _whole_decisions(stretch: list[Row], head: int) -> list[Row]:
    """As many decisions as one update tells: all up to the head, or those of a page, but one at least."""
    if len(stretch) <= PAGE_MAX and stretch[-1].version == head:
        return stretch
    ends = [place for place, row in enumerate(stretch) if place and _begins_decision(row)]
    if stretch[-1].version == head:
        ends.append(len(stretch))
    return stretch[: max((end for end in ends if end <= PAGE_MAX), default=ends[0])]


def _begins_decision(row: Row) -> bool:
    return "first" not in json.loads(row.public)["cause"]


def _update(whole: _Whole, page: _Page, viewer: Player | None) -> GameUpdate:
    row = whole.row
    game = game_seen(row, whole.stream, whole.people, viewer)
    if page.game is not None:
        game = as_it_was(game, page.game, page.rows[-1])
    return GameUpdate(viewer, tuple(event_seen(row, stored, game.my_seat) for stored in page.rows), game)


def _some_of(keys: Iterable[T]) -> Iterable[list[T]]:
    listed = list(keys)
    return (listed[start : start + POLLED_MAX] for start in range(0, len(listed), POLLED_MAX))
