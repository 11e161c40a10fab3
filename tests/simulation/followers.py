"""Followers of games, over WebSocket or server-sent events, who come back from wherever they were cut."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from tests.simulation.ledger import Followed, Ledger
from tests.simulation.players import AGAIN_SECONDS, TIMEOUT_SECONDS, Doors

FOLLOW: Final = """
subscription ($gameId: ID!, $after: Int) {
  gameUpdates(gameId: $gameId, after: $after) { version events { version hash } game { version } }
}"""
LEAVES: Final = 0.02
"""How often a follower leaves of itself after an update, to come back at once."""

GONE: Final = (OSError, httpx.TransportError, WebSocketException, TimeoutError)
TRANSIENT: Final = {"LAGGED", "TRY_LATER", "UNAVAILABLE"}

Update = dict[str, Any]


@dataclass(slots=True)
class Follower:
    """One who follows a game from its first event, signed in or not."""

    game_id: str
    token: str | None
    followed: Followed
    chance: Random
    doors: Doors
    ledger: Ledger
    http: httpx.AsyncClient

    async def follow(self) -> None:
        """Follow to the last event, and from the last update on wherever the line broke."""
        while not self.followed.completed:
            try:
                await self._follow_once()
            except GONE:
                await asyncio.sleep(AGAIN_SECONDS)

    async def _follow_once(self) -> None:
        door = self.doors[self.chance.choice(sorted(self.doors))]
        told = self._over_websocket(door) if self.chance.random() < 0.5 else self._over_event_stream(door)
        async with aclosing(told) as updates:
            async for update in updates:
                self._take(update)
                if self.chance.random() < LEAVES:
                    return

    def _take(self, payload: Update) -> None:
        if "errors" in payload:
            codes = {error["extensions"]["code"] for error in payload["errors"]}
            if not codes <= TRANSIENT:
                self.ledger.wrong.append(f"a follower of {self.game_id} was told {payload}")
            raise TimeoutError  # it is to come back
        update = payload["data"]["gameUpdates"]
        seen, given = len(self.followed.hashes), [event["version"] for event in update["events"]]
        if given != [*range(seen + 1, update["version"] + 1)] or update["game"]["version"] != update["version"]:
            self.ledger.wrong.append(f"a follower of {self.game_id} at {seen} was given {given} as {update['version']}")
        self.followed.hashes += [event["hash"] for event in update["events"]]
        self.followed.ends.append(update["version"])

    @property
    def _asked(self) -> dict[str, Any]:
        return {"query": FOLLOW, "variables": {"gameId": self.game_id, "after": len(self.followed.hashes)}}

    async def _over_event_stream(self, door: int) -> AsyncGenerator[Update, None]:
        headers = {"Accept": "text/event-stream"} | ({"Authorization": f"Bearer {self.token}"} if self.token else {})
        url, patience = f"http://127.0.0.1:{door}/graphql", httpx.Timeout(TIMEOUT_SECONDS, read=None)
        async with self.http.stream("POST", url, json=self._asked, headers=headers, timeout=patience) as response:
            if response.status_code != 200:
                yield json.loads(await response.aread())
                return
            kind = ""
            async for line in response.aiter_lines():
                name, _, value = line.partition(":")
                if name == "event":
                    kind = value.strip()
                    self.followed.completed = kind == "complete"
                elif name == "data" and kind == "next":
                    yield json.loads(value)

    async def _over_websocket(self, door: int) -> AsyncGenerator[Update, None]:
        url, protocol = f"ws://127.0.0.1:{door}/graphql", Subprotocol("graphql-transport-ws")
        async with connect(url, subprotocols=[protocol], open_timeout=TIMEOUT_SECONDS, close_timeout=1) as socket:
            payload = {"Authorization": f"Bearer {self.token}"} if self.token else {}
            await socket.send(json.dumps({"type": "connection_init", "payload": payload}))
            await socket.recv()
            await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": self._asked}))
            async for text in socket:
                message = json.loads(text)
                if message["type"] == "next":
                    yield message["payload"]
                elif message["type"] == "error":
                    yield {"errors": message["payload"]}
                elif message["type"] == "complete":
                    self.followed.completed = True
                    return
