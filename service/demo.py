"""A whole game of Gravwell over the public API: four clients, every event told, and the history folded again."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, TypeAlias
from uuid import UUID

import httpx
from psycopg import AsyncConnection

from domain.ruleset import Outcome
from domain.stream import chain_start, chained
from service.client import GAME, HISTORY, OPEN_GAME, SUBMIT_TURN, TAKE_SEAT, Client
from service.replaying import Replayed, replay

SEATS: Final = 4
TURNS_MAX: Final = 1000

Told: TypeAlias = dict[str, Any]
"""An event as the API gave it, with its cursor."""


class DemoFailed(Exception):
    """Something the demo is there to show did not hold."""


async def play(url: str, connection: AsyncConnection[Any], tell: Callable[[str], None]) -> None:
    """Play one game at the API under `url`, tell it line by line, and fold it again. Raises DemoFailed and Failed."""
    async with httpx.AsyncClient(timeout=30.0) as http:
        tag = secrets.token_hex(3)
        stranger = Client(http, url)
        players = [await stranger.registered(f"demo-{tag}-{seat}") for seat in range(SEATS)]
        game_id = await _seated(players)
        tell(f"Four players sit in game {game_id}.")
        told = await _played(players, game_id, tell)
        game = await players[0].ask(GAME, id=game_id)
    tell(f"Result: {game['outcome']['reason']}; ranking, best first: {game['outcome']['ranking']}.")
    tell(f"{game['version']} events.")
    replayed = await replay(connection, _checked(told, game))
    _compare(game, replayed)
    tell("The history, folded again from the database, gives the same state.")


async def _seated(players: list[Client]) -> str:
    opener, *others = players
    opened = await opener.ask(OPEN_GAME, key="demo", ruleset="GRAVWELL", seats=SEATS, bots=0)
    for player in others:
        await player.ask(TAKE_SEAT, key="sit", gameId=opened["gameId"], entropy=secrets.token_hex(16))
    return str(opened["gameId"])


async def _played(players: list[Client], game_id: str, tell: Callable[[str], None]) -> list[Told]:
    """Let everyone who is awaited take a turn of theirs, until the game is over; gives all events in order."""
    seats = {(await player.ask(GAME, id=game_id))["mySeat"]: player for player in players}
    told: list[Told] = []
    for _ in range(TURNS_MAX):
        game = await players[0].ask(GAME, id=game_id)
        await asyncio.gather(*(_take_turn(seats[seat], game_id) for seat in game["awaiting"]))
        async for event in _news(players[0], game_id, told):
            tell(f"{event['version']:5}  {event['summary']}")
            told.append(event)
        if game["status"] == "ENDED":
            return told
    raise DemoFailed(f"the game did not end within {TURNS_MAX} turns")


async def _take_turn(player: Client, game_id: str) -> None:
    game = await player.ask(GAME, id=game_id)
    if not game["legalTurns"] or game["mySeat"] not in game["awaiting"]:
        return
    turn = secrets.choice(game["legalTurns"])
    key, since = f"turn-{game['version']}", game["myTurnSince"]
    await player.ask(SUBMIT_TURN, key=key, gameId=game_id, expectedVersion=since, turn=turn)


async def _news(player: Client, game_id: str, told: list[Told]) -> AsyncIterator[Told]:
    """The events after those already told."""
    cursor, more = (told[-1]["cursor"] if told else None), True
    while more:
        page = (await player.ask(HISTORY, id=game_id, after=cursor))["history"]
        for edge in page["edges"]:
            yield edge["node"] | {"cursor": edge["cursor"]}
        cursor, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]


def _checked(told: list[Told], game: dict[str, Any]) -> UUID:
    """The game these events say they are of, once their chain is seen to be whole and to end in the game's head."""
    game_id = UUID(json.loads(told[0]["canonical"])["game"])
    at = chain_start(game_id)
    for event in told:
        at = chained(at, event["canonical"])
    if at.hex() != game["headHash"] or len(told) != game["version"]:
        raise DemoFailed("the events that were told are not the whole stream")
    return game_id


def _compare(game: dict[str, Any], replayed: Replayed | None) -> None:
    if replayed is None or replayed.game is None:
        raise DemoFailed("the history does not fold")
    if replayed.faults:
        raise DemoFailed("; ".join(replayed.faults))
    outcome = Outcome(game["outcome"]["reason"], tuple(map(tuple, game["outcome"]["ranking"])))
    if (replayed.events, replayed.game.outcome) != (game["version"], outcome):
        raise DemoFailed("the history, folded again, gives another state than the API")
