"""Speaking graphql-transport-ws by hand, one message at a time."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from tests.following.hall import PATIENCE_SECONDS, Person, Served, game_id

PROTOCOL = Subprotocol("graphql-transport-ws")

FOLLOW = """
subscription ($game: ID!, $after: Int) {
  gameUpdates(gameId: $game, after: $after) { version events { version name } game { version mySeat } }
}"""


class Speaker:
    """One connection."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def say(self, message: Any) -> None:
        await self.connection.send(message if isinstance(message, str | bytes) else json.dumps(message))

    async def hear(self) -> dict[str, Any]:
        """The next message."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            message: dict[str, Any] = json.loads(await self.connection.recv())
        return message

    async def introduce(self, person: Person | None = None) -> None:
        """Say who it is, and be acknowledged."""
        payload = {} if person is None else {"Authorization": person.authorization}
        await self.say({"type": "connection_init", "payload": payload})
        assert await self.hear() == {"type": "connection_ack"}

    async def subscribe(self, operation_id: str, query: str, **variables: Any) -> None:
        payload = {"query": query, "variables": variables}
        await self.say({"type": "subscribe", "id": operation_id, "payload": payload})

    async def follow(self, operation_id: str, game: UUID, after: int | None = None) -> None:
        await self.subscribe(operation_id, FOLLOW, game=game_id(game), after=after)

    async def data(self, operation_id: str) -> Any:
        """What the next answer to an operation holds."""
        message = await self.hear()
        assert message["type"] == "next", message
        assert message["id"] == operation_id
        assert "errors" not in message["payload"], message
        return message["payload"]["data"]

    async def error(self, operation_id: str) -> Mapping[str, Any]:
        """The extensions of the error that ends an operation."""
        message = await self.hear()
        assert (message["type"], message["id"]) == ("error", operation_id), message
        (error,) = message["payload"]
        extensions: Mapping[str, Any] = error["extensions"]
        return extensions

    async def closed(self) -> tuple[int, str]:
        """With which code and reason the server closes, whatever it says before."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.connection.wait_closed()
        assert self.connection.close_code is not None
        return self.connection.close_code, self.connection.close_reason or ""


@asynccontextmanager
async def speaking(
    site: Served, *, origin: str | None = None, authorization: str | None = None
) -> AsyncIterator[Speaker]:
    """A connection that is accepted."""
    async with connect(
        site.ws_url,
        subprotocols=[PROTOCOL],
        additional_headers={} if authorization is None else {"Authorization": authorization},
        origin=None if origin is None else Origin(origin),
        compression=None,
    ) as connection:
        yield Speaker(connection)


async def status_of(site: Served, origin: str | None = None) -> int:
    """The HTTP status with which a page of this origin is refused; 101 if it is accepted."""
    try:
        async with speaking(site, origin=origin):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code
