"""A newcomer's first game: an account, a table with house bots, and a command to paste that takes the next turn."""

import asyncio
import json
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import httpx

from service.client import GAME, OPEN_GAME, SUBMIT_TURN, Client, Failed, curl

SEATS: Final = 4
TOLD_MAX: Final = 7
PATIENCE_SECONDS: Final = 20.0


async def welcome(url: str, kept: Path, tell: Callable[[str], None]) -> None:
    """Seat the newcomer of this folder (or find them where they were) and tell how to go on.

    What they hold is kept in the file `kept`, for their eyes only, so that a later start goes on with the same game.
    """
    async with httpx.AsyncClient(timeout=30.0) as http:
        client, game_id, game = await _found(Client(http, url), kept) or await _new(Client(http, url), kept)
        game = await _awaited(client, game_id, game)
        tell(f"Your game:   {game_id} (Gravwell, {SEATS} seats, house bots on the others)")
        tell(f"Your token:  {client.token}")
        if not game["legalTurns"]:
            tell("It is not your turn just now.")
            return
        key, since = f"turn-{game['version']}", game["myTurnSince"]
        turn, *others = game["legalTurns"]
        tell("Your turn. Paste this to take it:\n")
        tell(curl(client, SUBMIT_TURN, key=key, gameId=game_id, expectedVersion=since, turn=turn))
        tell('\nYour other choices now, each a value for "turn":')
        for other in others[:TOLD_MAX]:
            tell(f"  {json.dumps(other)}")
        if len(others) > TOLD_MAX:
            tell(f"  and {len(others) - TOLD_MAX} more, which the game's legalTurns has")


async def _found(stranger: Client, kept: Path) -> tuple[Client, str, dict[str, Any]] | None:
    """The newcomer's unfinished game of an earlier start."""
    held = _held(kept)
    if held is None:
        return None
    client = Client(stranger.http, stranger.url, held["token"])
    try:
        game = await client.ask(GAME, id=held["game"])
    except (Failed, ValueError):  # another database by now
        return None
    return None if game["status"] == "ENDED" else (client, held["game"], game)


async def _new(stranger: Client, kept: Path) -> tuple[Client, str, dict[str, Any]]:
    client = await stranger.registered(f"newcomer-{secrets.token_hex(4)}")
    opened = await client.ask(OPEN_GAME, key="first-game", ruleset="GRAVWELL", seats=SEATS, bots=SEATS - 1)
    _hold(kept, {"token": str(client.token), "game": opened["gameId"]})
    return client, opened["gameId"], await client.ask(GAME, id=opened["gameId"])


def _held(kept: Path) -> dict[str, str] | None:
    try:
        return dict(json.loads(kept.read_text()))
    except (FileNotFoundError, ValueError):  # none yet, or half written by a start that was killed
        return None


def _hold(kept: Path, held: dict[str, str]) -> None:
    descriptor = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(held, file)


async def _awaited(client: Client, game_id: str, game: dict[str, Any]) -> dict[str, Any]:
    """The game once it awaits the newcomer: the house bots move first where it is their turn."""
    until = asyncio.get_running_loop().time() + PATIENCE_SECONDS
    while game["mySeat"] not in game["awaiting"] and asyncio.get_running_loop().time() < until:
        await asyncio.sleep(0.1)
        game = await client.ask(GAME, id=game_id)
    return game
