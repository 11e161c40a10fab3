"""A service that people follow games in: behind a real HTTP server, with accounts that hold tokens."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from uuid import UUID, uuid4

import uvicorn

from domain.game import LeaveSeat, OpenGame, TakeSeat
from schema import ids
from schema.app import make_app
from schema.connections import Connections, Terms
from schema.wire import HttpProtocol
from service.process import Role, running
from service.seen import Player, Receipt, Registered, Visibility
from service.slowlight import Slowlight
from tests.service.database import Database
from tests.service.house import APPLIED, House, until

_NUMBERS = count(1)

SELDOM = 3600.0
"""A poll that comes too late for any test: what arrives before it was hinted at."""

PATIENCE_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account, and how they prove it."""

    player: Player
    token: str

    @property
    def authorization(self) -> str:
        return f"Bearer {self.token}"


class Hall(House):
    """A service and those who come to it."""

    async def person(self) -> Person:
        registered = await self.service.accounts.register(f"follower-{next(_NUMBERS)}", None)
        assert isinstance(registered, Registered)
        return Person(registered.player, registered.token)

    async def pair(self) -> tuple[Person, Person]:
        return await self.person(), await self.person()

    async def game(self, *people: Person, visibility: Visibility = Visibility.PUBLIC) -> UUID:
        """A game of Gravwell that has just begun, the first of these people on seat 0."""
        host, *others = people
        game_id = await self.open(host.player, OpenGame("gravwell", len(people)), visibility)
        for other in others:
            assert (await self.sit(other, game_id)).status is APPLIED
        return game_id

    async def sit(self, person: Person, game_id: UUID) -> Receipt:
        secret = self.database.ask("select join_secret from games where game_id = %s", game_id)[0][0]
        return await self.send(person.player, game_id, TakeSeat(), join_secret=secret)

    async def leave(self, person: Person, game_id: UUID) -> Receipt:
        return await self.send(person.player, game_id, LeaveSeat())

    async def turns(self, game_id: UUID, number: int) -> None:
        """So many turns, by whoever is awaited."""
        for _ in range(number):
            assert (await self.turn(await self.awaited(game_id), game_id)).status is APPLIED


@asynccontextmanager
async def hall_on(database: Database, poll_seconds: float = SELDOM) -> AsyncIterator[Hall]:
    """A service without a worker, so that nothing happens by itself."""
    async with running(database.url, database.redis_url, frozenset({Role.API}), poll_seconds=poll_seconds) as service:
        yield Hall(service, database)


@dataclass(frozen=True, slots=True)
class Served:
    """Where a service answers, and who is connected to it."""

    port: int
    connections: Connections

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/graphql"

    @property
    def ws_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/graphql"


@asynccontextmanager
async def served(service: Slowlight, terms: Terms | None = None) -> AsyncIterator[Served]:
    """The service behind HTTP and WebSocket, in this very process."""
    connections = Connections(terms or Terms())
    config = uvicorn.Config(
        make_app(service, connections),
        http=HttpProtocol,
        port=0,
        lifespan="off",
        log_config=None,
        ws_per_message_deflate=False,
    )
    server, socket = uvicorn.Server(config), config.bind_socket()
    serving = asyncio.create_task(server._serve([socket]))
    await until(lambda: server.started)
    try:
        yield Served(socket.getsockname()[1], connections)
    finally:
        await connections.drain()
        server.should_exit = True
        await serving


def key() -> str:
    """A key nobody has used."""
    return uuid4().hex


def game_id(game: UUID) -> str:
    """A game's id as the API has it."""
    return str(ids.game_id(game))
