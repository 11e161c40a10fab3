"""The process that `tests.api.server` starts: the service over HTTP, with a toy as one title more."""

import asyncio
import socket
import sys
from pathlib import Path

import uvicorn

from domain import rulesets

PRIVATE_KEY = "5e" * 32
TITLES = Path(__file__).parent / "titles"


async def serve(database_url: str, redis_url: str, listening: socket.socket) -> None:
    """Serve until the standard input ends."""
    rulesets.__path__.append(str(TITLES))
    from schema.app import make_app
    from schema.wire import HttpProtocol
    from service.keyring import Keyring
    from service.process import running

    async with running(database_url, redis_url, keyring=Keyring(PRIVATE_KEY)) as service:
        config = uvicorn.Config(
            make_app(service), http=HttpProtocol, log_level="warning", access_log=False, lifespan="off"
        )
        server = uvicorn.Server(config)
        answering = asyncio.create_task(server.serve([listening]))
        await asyncio.to_thread(sys.stdin.read)
        server.should_exit = True
        await answering


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], sys.argv[2], socket.socket(fileno=int(sys.argv[3]))))
