"""A bare WebSocket server: what one of its clients says, it says to all of them. It prints the port it listens on."""

import asyncio
import sys
from contextlib import suppress

import uvloop
from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed


async def main() -> None:
    """Serve until terminated."""
    connections: set[ServerConnection] = set()

    async def repeat(connection: ServerConnection) -> None:
        connections.add(connection)
        with suppress(ConnectionClosed):
            async for message in connection:
                broadcast(connections, message)
        connections.discard(connection)

    async with serve(repeat, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
        sys.stdout.write(f"listening on {next(iter(server.sockets)).getsockname()[1]}\n")
        sys.stdout.flush()
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    uvloop.run(main())
