"""Streams as folded from the store: a bounded cache of the newest states, which reads only what it has not seen."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

from psycopg import AsyncConnection
from psycopg.rows import class_row

from domain.game import Game, Sitter, Status, evolve, fold
from domain.ruleset import Seat
from domain.stream import Head, Row, decisions, uuid8
from service import store
from service.codec import codec_of
from service.overrun import Overrun, limited
from service.seen import Visibility

CACHED_GAMES_MAX = 4096

HOSTING: Final = 254
ELSEWHERE: Final = 255
"""Places in a game that are no seats: that of a host who does not sit, and that of anybody else."""


FOLD_SECONDS_MAX = 10.0
"""The most processor time that folding one game to its head may take."""


class Unending(Exception):
    """A game that had not been folded within FOLD_SECONDS_MAX."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """What stands in the store about a game beside its events: facts, head, summary, and who sits where."""

    game_id: UUID
    ruleset: str
    rules: int
    seats: int
    visibility: Visibility
    join_secret: str | None
    host_id: UUID
    secret: bytes
    created_at: datetime
    version: int
    head_hash: bytes
    head_at: datetime
    status: str
    awaiting: list[Seat]
    deadline: datetime | None
    quarantined: bool
    players: list[UUID | None]
    imported: bool

    @property
    def head(self) -> Head:
        """The head of the game's stream."""
        return Head(self.version, self.head_hash, self.head_at)


@dataclass(frozen=True, slots=True)
class Stream:
    """A game folded to its head, with what deciding it needs from beside the stream."""

    game_id: UUID
    secret: bytes
    host_id: UUID
    created_at: datetime
    head: Head
    game: Game
    players: tuple[UUID | None, ...]

    @property
    def present(self) -> frozenset[UUID]:
        """The people who sit on its seats; of a practice game its host."""
        sitting = (*self.players, self.host_id if self.game.fork is not None else None)
        return frozenset(player for player in sitting if player is not None)

    def seat_of(self, sender_id: UUID) -> Seat | None:
        """The seat a sender sits on: a player, a house bot by its own id, or nobody in a forgotten player's place."""
        if sender_id in self.players:
            return self.players.index(sender_id)
        sitting = ((seat, _IDS.get(sitter)) for seat, sitter in enumerate(self.game.sitters) if sitter is not None)
        return next((seat for seat, id_ in sitting if id_ is not None and id_(self.game_id, seat) == sender_id), None)

    def is_host(self, sender_id: UUID) -> bool:
        """Whether a sender hosts the game: the player who does, or nobody in their place."""
        return sender_id == self.host_id or (sender_id.version == 8 and sender_id == left_id(self.game_id, HOSTING))


class Streams:
    """The newest folded state of each game lately used in this process."""

    def __init__(self, games_max: int = CACHED_GAMES_MAX) -> None:
        self._games_max = games_max
        self._cached: OrderedDict[UUID, Stream] = OrderedDict()

    def keep(self, stream: Stream) -> None:
        """Remember a state that is committed, unless a newer one is known."""
        known = self._cached.get(stream.game_id)
        if known is None or known.head.version < stream.head.version:
            self._cached[stream.game_id] = stream
        self._cached.move_to_end(stream.game_id)
        while len(self._cached) > self._games_max:
            self._cached.popitem(last=False)

    def forget(self, games: Iterable[UUID]) -> None:
        """Drop what is no longer sure."""
        for game_id in games:
            self._cached.pop(game_id, None)

    def cached(self, game_id: UUID) -> Stream | None:
        """The state in memory, of whatever version."""
        return self._cached.get(game_id)

    async def load(
        self, connection: AsyncConnection[Any], versions: Mapping[UUID, int]
    ) -> dict[UUID, Stream | Exception]:
        """The games folded to these versions at least; an exception for one that does not fold."""
        loaded: dict[UUID, Stream | Exception] = {}
        behind: dict[UUID, int] = {}
        for game_id, version in versions.items():
            stream = self._cached.get(game_id)
            if stream is not None and stream.head.version >= version:
                loaded[game_id] = stream
            else:
                behind[game_id] = version
        if behind:
            loaded |= await self._read(connection, behind)
        for one in loaded.values():
            if isinstance(one, Stream):
                self.keep(one)
        return loaded

    async def _read(
        self, connection: AsyncConnection[Any], versions: Mapping[UUID, int]
    ) -> dict[UUID, Stream | Exception]:
        # Nobody need hold these games, and others work on the cache meanwhile: what is read is folded onto what was
        # known when it was asked for, up to the head that was found.
        known = {game_id: stream for game_id in versions if (stream := self._cached.get(game_id)) is not None}
        facts = {row.game_id: row for row in await game_rows(connection, list(versions))}
        after = {game_id: stream.head.version for game_id, stream in known.items()}
        wanted = {game_id: (after.get(game_id, 0), row.version) for game_id, row in facts.items()}
        tails = await tails_of(connection, wanted)
        read: dict[UUID, Stream | Exception] = {}
        for game_id in versions:
            await asyncio.sleep(0)  # between two games turns go on
            rows = tails.get(game_id, [])
            try:
                with limited(FOLD_SECONDS_MAX):
                    read[game_id] = _folded(facts[game_id], rows, known.get(game_id))
            except (Exception, Overrun) as error:  # noqa: BLE001 - a reducer's bug is this one game's affair
                ended = facts[game_id].status == Status.ENDED
                fault = error if isinstance(error, Exception) else Unending()
                read[game_id] = await life_of(connection, facts[game_id]) if ended else fault
        return read


def bot_id(game_id: UUID, seat: Seat) -> UUID:
    """The sender's id of the house bot on a seat."""
    return uuid8(sha256(b"slowlight/bot/1" + game_id.bytes + bytes([seat])).digest())


def left_id(game_id: UUID, place: int) -> UUID:
    """The id of nobody, in the place in a game of a player who was forgotten: a seat, HOSTING or ELSEWHERE.

    It is made of the game and the place alone, so that it leads back to nobody.
    """
    return uuid8(sha256(b"slowlight/left/1" + game_id.bytes + bytes([place])).digest())


_IDS: Final = {Sitter.BOT: bot_id, Sitter.PERSON: left_id}
"""The ids, other than a player's, of whoever sits on a seat."""


async def game_rows(connection: AsyncConnection[Any], games: list[UUID]) -> list[GameRow]:
    """What stands in the store about these games beside their events."""
    return await store.rows(connection, "games", {"games": games}, class_row(GameRow))


async def tails_of(connection: AsyncConnection[Any], wanted: Mapping[UUID, tuple[int, int]]) -> dict[UUID, list[Row]]:
    """The stored events of each game after one version up to another, in order."""
    games = list(wanted)
    asked = [
        {"place": place, "game_id": game, "after": after, "upto": upto}
        for place, (game, (after, upto)) in enumerate(wanted.items())
    ]
    async with connection.cursor(binary=True) as cursor:  # these may be many
        await cursor.execute(store.sql("tails"), {"wanted": store.as_json(asked)}, prepare=True)
        found = groupby(await cursor.fetchall(), key=itemgetter(0))
    return {games[place]: [Row._make(row[1:]) for row in tail] for place, tail in found}


def folded(ruleset: str, rules: int, tail: Iterable[Row], game: Game | None = None) -> Game:
    """The game after these stored events, whole decisions of them, from `game` or from the first."""
    return fold(decisions(map(codec_of(ruleset, rules).placed, tail)), game)


async def game_at(
    connection: AsyncConnection[Any], row: GameRow, tail: Sequence[Row], known: Game | None = None
) -> Game:
    """The game after these stored events, whole decisions of them, from `known` or from the first.

    Where they do not fold, it is the game by the events of its life alone.
    """
    try:
        with limited(FOLD_SECONDS_MAX):
            return folded(row.ruleset, row.rules, tail, known)
    except (Exception, Overrun):  # noqa: BLE001 - a reducer's bug is this one game's affair
        return (await life_of(connection, replace(row, version=tail[-1].version))).game


async def life_of(connection: AsyncConnection[Any], row: GameRow) -> Stream:
    """A game that its reducer does not fold, by the events of its life alone."""
    tail = (await tails_of(connection, {row.game_id: (0, row.version)})).get(row.game_id, [])
    game = _folded_life(row.ruleset, row.rules, tail)
    return Stream(row.game_id, row.secret, row.host_id, row.created_at, row.head, game, tuple(row.players))


def _folded(facts: GameRow, tail: list[Row], cached: Stream | None) -> Stream:
    game = folded(facts.ruleset, facts.rules, tail, cached.game if cached else None)
    if not tail or tail[-1].version != facts.version:
        raise AssertionError(f"the stream of {facts.game_id} does not reach its head {facts.version}")
    at = json.loads(tail[-1].public)["at"]
    head = Head(facts.version, tail[-1].hash, datetime.fromisoformat(at))
    return Stream(facts.game_id, facts.secret, facts.host_id, facts.created_at, head, game, tuple(facts.players))


def _folded_life(ruleset: str, rules: int, tail: Iterable[Row]) -> Game:
    """A game by the events of its life alone, without its ruleset's: what is left to see where those do not fold."""
    codec = codec_of(ruleset, rules)
    game: Game | None = None
    for row in tail:
        public = json.loads(row.public)
        if public["name"].startswith("game."):
            game = evolve(game, codec.event(row))
    assert game is not None, "a stream begins with game.opened"
    return game
