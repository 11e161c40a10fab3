"""The process that an operator starts: `slowlight serve`."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from schema.connections import Connections, Terms
from tests.following.hall import PATIENCE_SECONDS, Served
from tests.service.database import Database


@dataclass(frozen=True, slots=True)
class Serving:
    """A running one, and where it answers."""

    process: Process
    site: Served

    async def ended(self) -> int:
        """Its exit status, once it has ended."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self.process.wait()


@asynccontextmanager
async def serving(database: Database, **settings: str) -> AsyncIterator[Serving]:
    """A process of the service on a database; `settings` are variables of its environment."""
    urls = {"SLOWLIGHT_DATABASE_URL": database.url, "SLOWLIGHT_REDIS_URL": database.redis_url}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "from service.main import cli; cli()", "serve", "--port", "0", "--only", "api",
        stdout=PIPE, env={**os.environ, **urls, **settings},
    )  # fmt: skip
    try:
        yield Serving(process, Served(await _port(process), Connections(Terms())))
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def _port(process: Process) -> int:
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (line := (await process.stdout.readline()).decode()).startswith("Slowlight is ready at"):
            assert line, "it ended before it was ready"
    port = urlsplit(line.split()[-1]).port
    assert port is not None
    return port
