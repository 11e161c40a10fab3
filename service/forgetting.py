"""Forgetting a player: the account goes, their games get nobody in their place, and nobody leaves or resigns."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from psycopg import AsyncConnection, Error
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from domain.game import LeaveSeat, Resign, Status
from domain.ruleset import Seat
from service import store
from service.codec import codec_of
from service.deciding import content_of
from service.seen import Forgotten
from service.streams import ELSEWHERE, HOSTING, GameRow, game_rows, left_id
from service.writer import Writer

LINGER: Final = timedelta(minutes=1)
"""After this no process believes a token any more that was good when its player was forgotten (`BEARER_SECONDS`)."""

LOOK_SECONDS: Final = 5.0
PLAYERS_MAX: Final = 16


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a player was in a game: the seat, if they sat, and whether they hosted it."""

    game: GameRow
    seat: Seat | None
    hosts: bool

    @property
    def sender_id(self) -> UUID:
        """Who sent what the player sent: nobody, but from the same place."""
        return left_id(self.game.game_id, self._place)

    @property
    def farewell(self) -> tuple[type, ...]:
        """What nobody asks for from there; of two, one is refused: the game may begin before it comes to them."""
        if self.seat is None:
            return (Resign,) if self.hosts and self.game.status == Status.RUNNING else ()  # a practice game ends
        return {Status.OPEN: (LeaveSeat, Resign), Status.RUNNING: (Resign,)}.get(Status(self.game.status), ())

    @property
    def _place(self) -> int:
        if self.seat is not None:
            return self.seat
        return HOSTING if self.hosts else ELSEWHERE

    def record(self) -> dict[str, Any]:
        """Among the parameters of the statement `disown`."""
        return {
            "game_id": self.game.game_id,
            "seat": self.seat,
            "hosts": self.hosts,
            "sender_id": self.sender_id,
            "host_id": left_id(self.game.game_id, HOSTING),
        }

    def leaving(self) -> list[dict[str, Any]]:
        """Among the parameters of the statement `leave`."""
        codec = codec_of(self.game.ruleset, self.game.rules)
        return [
            {
                "game_id": self.game.game_id,
                "sender_id": self.sender_id,
                "submission_id": uuid4(),
                "content": content_of(codec.command_json(command()), None),
            }
            for command in self.farewell
        ]


async def forget(connection: AsyncConnection[Any], player_id: UUID) -> Forgotten | None:
    """Forget a player, in one transaction; None if there is none. What is to be decided of it is left pending."""
    async with connection.transaction():
        await store.start(connection, "leaving", {"player_id": player_id})
        await store.start(connection, "forget_tokens", {"player_id": player_id})
        if not await store.rows(connection, "forget_player", {"player_id": player_id}):
            await store.start(connection, "gone", {"player_id": player_id})
            return None
        places = await _disowned(connection, player_id)
    statuses = [place.game.status for place in places if place.farewell]
    games = frozenset(place.game.game_id for place in places if place.farewell)
    return Forgotten(statuses.count(Status.RUNNING), statuses.count(Status.OPEN), games)


async def forget_again(connection: AsyncConnection[Any]) -> frozenset[UUID]:
    """Look once more for those forgotten a while ago, and then forget that; gives the games with something pending."""
    found = await store.rows(connection, "left_for_good", {"age": LINGER, "most": PLAYERS_MAX})
    games: set[UUID] = set()
    for (player_id,) in found:
        async with connection.transaction():
            await store.start(connection, "gone", {"player_id": player_id})
            games.update(place.game.game_id for place in await _disowned(connection, player_id))
    return frozenset(games)


async def forget_forever(pool: AsyncConnectionPool, writer: Writer) -> None:
    """Look every few seconds for whom to look for once more, and go on when the database is away."""
    while True:
        with suppress(PoolTimeout, Error, OSError):
            async with pool.connection() as connection:
                writer.nudge(await forget_again(connection))
        await asyncio.sleep(LOOK_SECONDS)


async def _disowned(connection: AsyncConnection[Any], player_id: UUID) -> list[_Place]:
    """Put nobody in a player's place wherever they were, and let nobody leave; gives the places."""
    found = await store.rows(connection, "games_touched_by", {"player_id": player_id})
    games = sorted(game_id for (game_id,) in found)
    await store.rows(connection, "hold_all", {"games": games})
    places = list(_places(await game_rows(connection, games), player_id))
    records = store.as_json([place.record() for place in places])
    await store.start(connection, "disown", {"player_id": player_id, "places": records})
    leaving = [one for place in places for one in place.leaving()]
    await store.start(connection, "leave", {"leaving": store.as_json(leaving)})
    return places


def _places(rows: Iterable[GameRow], player_id: UUID) -> Iterable[_Place]:
    for row in rows:
        seat = row.players.index(player_id) if player_id in row.players else None
        yield _Place(row, seat, hosts=row.host_id == player_id)
