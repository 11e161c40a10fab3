"""The line to a database, which can be made to lose what the database says."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

SOCKET = ".s.PGSQL.5432"
BYTES_MAX = 65536


class Line:
    """Passes on what either side says.

    While `deaf`, what the database says is lost, and then the connection is; while `silent`, it is kept back.
    """

    def __init__(self, url: str, folder: Path) -> None:
        (self._database,) = parse_qs(urlsplit(url).query)["host"]
        self._folder = folder
        query = f"host={quote(str(folder), safe='')}&port=5432"
        self.url = urlunsplit(urlsplit(url)._replace(query=query))
        self.deaf = False
        self.silent = False

    @asynccontextmanager
    async def laid(self) -> AsyncIterator[Self]:
        """The line, until the context is left."""
        async with await asyncio.start_unix_server(self._connected, self._folder / SOCKET):
            yield self

    async def _connected(self, asking: asyncio.StreamReader, answering: asyncio.StreamWriter) -> None:
        answers, questions = await asyncio.open_unix_connection(f"{self._database}/{SOCKET}")
        there = asyncio.create_task(self._passed(asking, questions, losing=False))
        back = asyncio.create_task(self._passed(answers, answering, losing=True))
        await asyncio.wait([there, back])

    async def _passed(self, heard: asyncio.StreamReader, said: asyncio.StreamWriter, *, losing: bool) -> None:
        try:
            while (some := await heard.read(BYTES_MAX)) and not (losing and self.deaf):
                while losing and self.silent:  # noqa: ASYNC110 - a test says when
                    await asyncio.sleep(0.05)
                said.write(some)
                await said.drain()
        except ConnectionError:
            pass
        finally:
            said.close()
