"""What stands between a client and a server: a relay that can be cut, and one that mangles the hints of Redis."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Final, Literal, Self
from urllib.parse import unquote, urlsplit

BYTES_MAX: Final = 65536

Mangling = Literal["dropped", "doubled", "delayed", "reordered", "mixed"]
"""What becomes of every hint; mixed: one of these, or nothing."""


class Relay:
    """Passes on what comes from either side, until it is cut."""

    def __init__(self, target: str) -> None:
        self._target = urlsplit(target)
        self._held: list[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = []
        self.port = 0

    @property
    def held(self) -> int:
        """How many connections it holds."""
        return len(self._held)

    def cut(self, number: int | None = None, random: Random | None = None) -> int:
        """Tear down so many connections, or all, without a word to either side; gives how many there were."""
        cut = list(self._held) if random is None else random.sample(self._held, min(number or 0, self.held))
        for pair in cut:
            self._held.remove(pair)
            for writer in pair:
                writer.transport.abort()
        return len(cut)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Self]:
        """Listen, for as long as the context is open."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            self.cut()
            await server.wait_closed()

    async def upstream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """From the client to the server."""
        while chunk := await reader.read(BYTES_MAX):
            writer.write(chunk)
            await writer.drain()

    async def downstream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """From the server to the client."""
        await self.upstream(reader, writer)

    async def _serve(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        try:
            server, to_server = await self._dialled()
        except OSError:
            to_client.transport.abort()
            return
        pair = to_client, to_server
        self._held.append(pair)
        ways = [
            asyncio.create_task(self.upstream(client, to_server)),
            asyncio.create_task(self.downstream(server, to_client)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            if pair in self._held:
                self._held.remove(pair)
            for writer in pair:
                with suppress(OSError):
                    writer.close()

    async def _dialled(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._target.scheme == "unix":
            return await asyncio.open_unix_connection(unquote(self._target.path))
        assert self._target.hostname is not None
        assert self._target.port is not None
        return await asyncio.open_connection(self._target.hostname, self._target.port)


class HintRelay(Relay):
    """Between a service and its Redis: everything passes but for the messages of channels, which are mangled."""

    def __init__(self, target: str, mangling: Mangling, random: Random) -> None:
        super().__init__(target)
        self._mangling = mangling
        self._random = random
        self.mangled = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    async def downstream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        held: list[bytes] = []
        while frame := await _frame(reader):
            if not frame.startswith(b"*3\r\n$7\r\nmessage\r\n"):
                writer.write(frame)
                continue
            self.mangled += 1
            mangling = self._mangling
            if mangling == "mixed":
                mangling = self._random.choice(("dropped", "doubled", "delayed", "reordered"))
            match mangling:
                case "dropped":
                    pass
                case "doubled":
                    writer.write(frame * 2)
                case "delayed":
                    asyncio.get_running_loop().call_later(self._random.uniform(0, 0.1), _written, writer, frame)
                case "reordered":
                    held.append(frame)
                    if len(held) == 3:
                        self._random.shuffle(held)
                        writer.write(b"".join(held))
                        held.clear()


def _written(writer: asyncio.StreamWriter, frame: bytes) -> None:
    if not writer.is_closing():
        writer.write(frame)


async def _frame(reader: asyncio.StreamReader) -> bytes:
    """One reply of Redis (RESP2), whole; nothing at the end."""
    line = await reader.readline()
    kind, rest = line[:1], line[1:].strip()
    if kind == b"$" and rest != b"-1":
        return line + await reader.readexactly(int(rest) + 2)
    if kind == b"*":
        return line + b"".join([await _frame(reader) for _ in range(int(rest))])
    return line
