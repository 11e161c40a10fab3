"""A running service and the people who play in it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any, Final
from uuid import UUID, uuid4

from psycopg_pool import AsyncConnectionPool

from domain.game import OpenGame, TakeSeat
from service import store, timers
from service.codec import codec_of
from service.deciding import content_of
from service.seen import GameSeen, Player, Receipt, ReceiptStatus, Refusal, Registered, Visibility
from service.slowlight import Slowlight
from service.writer import Incoming, Writer, _receive_params
from tests.service.database import Database

APPLIED: Final = ReceiptStatus.APPLIED
PENDING: Final = ReceiptStatus.PENDING
REFUSED: Final = ReceiptStatus.REFUSED

Another = Callable[..., AbstractAsyncContextManager["House"]]
"""Opens one more service, with these roles."""

_number = count(1)


@dataclass(frozen=True, slots=True)
class House:
    """A service on a database of the tests."""

    service: Slowlight
    database: Database

    @property
    def writer(self) -> Writer:
        return self.service._writer

    @property
    def pool(self) -> AsyncConnectionPool:
        return self.service._pool

    async def player(self) -> Player:
        """Somebody new."""
        registered = await self.service.accounts.register(f"player-{next(_number)}", None)
        assert isinstance(registered, Registered)
        return registered.player

    async def players(self, number: int) -> list[Player]:
        return [await self.player() for _ in range(number)]

    async def open(
        self, host: Player, command: OpenGame, visibility: Visibility = Visibility.PUBLIC, key: str | None = None
    ) -> UUID:
        """The id of a game that `host` opens."""
        receipt = await self.service.open_game(host, key or uuid4().hex, command, visibility, 2.0)
        assert isinstance(receipt, Receipt)
        assert receipt.status is APPLIED
        return receipt.game_id

    async def table(self, *players: Player, ruleset: str = "gravwell", turn_seconds: int | None = None) -> UUID:
        """The id of a game that has just started with these players, the first on seat 0."""
        host, *others = players
        game_id = await self.open(host, OpenGame(ruleset, len(players), turn_seconds=turn_seconds))
        for other in others:
            assert (await self.send(other, game_id, TakeSeat())).status is APPLIED
        return game_id

    async def send(
        self, player: Player, game_id: UUID, command: Any, *, key: str | None = None, wait: float = 2.0, **beside: Any
    ) -> Receipt:
        """Hand in a command that is received."""
        receipt = await self.service.submit(player, game_id, key or uuid4().hex, command, wait=wait, **beside)
        assert isinstance(receipt, Receipt), receipt
        return receipt

    async def refused(self, player: Player, game_id: UUID, command: Any, **beside: Any) -> str:
        """The code with which a command is refused, received or not."""
        answer = await self.service.submit(player, game_id, uuid4().hex, command, **beside)
        refusal = answer if isinstance(answer, Refusal) else answer.refusal
        assert refusal is not None
        return refusal.code

    async def seen(self, player: Player | None, game_id: UUID, at: int | None = None) -> GameSeen:
        """A game as somebody sees it who may."""
        seen = await self.service.game(player, game_id, at)
        assert seen is not None
        return seen

    async def turn(self, player: Player, game_id: UUID, **beside: Any) -> Receipt:
        """Take the first turn that is legal."""
        turns = (await self.seen(player, game_id)).legal_turns
        return await self.send(player, game_id, turns[0], **beside)

    async def awaited(self, game_id: UUID) -> Player:
        """The first of those whom a running game awaits."""
        seen = await self.seen(None, game_id)
        player = seen.players[seen.game.awaiting[0]]
        assert player is not None
        return player

    async def play(self, game_id: UUID, turns_max: int = 500) -> GameSeen:
        """Take first turns until the game is over, or so many."""
        for _ in range(turns_max):
            seen = await self.seen(None, game_id)
            if not seen.game.awaiting:
                break
            player = seen.players[seen.game.awaiting[0]]
            assert player is not None
            assert (await self.turn(player, game_id)).status is APPLIED
        return await self.seen(None, game_id)

    async def settled(self, player: Player, receipt: Receipt) -> Receipt:
        """A receipt once it is no promise any more."""

        async def decided() -> bool:
            return (await self.receipt(player, receipt)).status is not PENDING

        await until(decided)
        return await self.receipt(player, receipt)

    async def receipt(self, player: Player, receipt: Receipt) -> Receipt:
        """A receipt as it stands now."""
        now = await self.service.receipt(player, receipt.game_id, receipt.id)
        assert now is not None
        return now

    async def sweep(self) -> int:
        """Sweep as a worker does every second, and wait until what came of it is done."""
        fired = await timers.sweep(self.pool, self.writer)
        await self.quiet()
        return fired

    async def quiet(self) -> None:
        """Wait until the writer waits for work."""
        work = self.writer._work
        await until(lambda: not work.is_set() and bool(work._waiters))

    @asynccontextmanager
    async def stalling(self, player: Player, game_id: UUID, command: Any) -> AsyncIterator[tuple[UUID, datetime]]:
        """A submission, by its id and time, that some process has received but does not commit before the end."""
        async with await store.connect(self.database.url) as connection, connection.transaction():
            received = await store.rows(connection, "receive", _receive_params([incoming(player, game_id, command)]))
            yield received[0]


def incoming(player: Player, game_id: UUID, command: Any, key: str | None = None) -> Incoming:
    """A submission as it comes to the writer."""
    content = command if isinstance(command, str) else content_of(codec_of("gravwell", 1).command_json(command), None)
    return Incoming(game_id, player.id, key or uuid4().hex, uuid4(), content)


async def until(happened: Callable[[], bool | Awaitable[bool]], seconds_max: float = 10) -> None:
    """Wait for something that is to happen soon."""
    async with asyncio.timeout(seconds_max):
        while True:
            held = happened()
            if held if isinstance(held, bool) else await held:
                return
            await asyncio.sleep(0.005)
