"""A proxy for one line of one process, which can be cut, stalled or left off the hook."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

Address = Path | int
"""A unix socket, or a TCP port of this machine."""

CHUNK_BYTES: Final = 65536


class Proxy:
    """Connections made at one address go on to another, for as long as they are let."""

    def __init__(self, upstream: Address) -> None:
        self._upstream = upstream
        self._open: set[StreamWriter] = set()
        self._carrying: set[asyncio.Task[None] | None] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._refusing = False

    def cut(self) -> None:
        """Break every connection there is, in the midst of whatever it carries."""
        for writer in self._open:
            writer.transport.abort()

    async def stall(self, seconds: float) -> None:
        """Let nothing through for a while; nothing is lost."""
        self._flowing.clear()
        await asyncio.sleep(seconds)
        self._flowing.set()

    async def refuse(self, seconds: float) -> None:
        """Be away for a while: what is open is cut, what is new is hung up at once."""
        self._refusing = True
        self.cut()
        await asyncio.sleep(seconds)
        self._refusing = False

    async def connected(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Carry one connection to its end."""
        self._carrying.add(asyncio.current_task())
        try:
            if self._refusing:
                return
            upstream_reader, upstream_writer = await _opened(self._upstream)
        except OSError:
            return
        else:
            self._open |= {writer, upstream_writer}
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pumped(reader, upstream_writer))
                group.create_task(self._pumped(upstream_reader, writer))
            self._open -= {writer, upstream_writer}
        finally:
            writer.transport.abort()
            self._carrying.discard(asyncio.current_task())

    async def ended(self) -> None:
        """Break everything, and wait until that is done."""
        self._flowing.set()
        self._refusing = True
        while self._carrying:
            self.cut()
            await asyncio.sleep(0.01)

    async def _pumped(self, reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK_BYTES):
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def proxied(address: Address, upstream: Address) -> AsyncIterator[Proxy]:
    """A proxy that listens at `address` until the context is left."""
    proxy = Proxy(upstream)
    server = await _listening(proxy, address)
    try:
        yield proxy
    finally:
        server.close()
        await proxy.ended()


async def _opened(address: Address) -> tuple[StreamReader, StreamWriter]:
    if isinstance(address, Path):
        return await asyncio.open_unix_connection(address)
    return await asyncio.open_connection("127.0.0.1", address)


async def _listening(proxy: Proxy, address: Address) -> asyncio.Server:
    if isinstance(address, Path):
        return await asyncio.start_unix_server(proxy.connected, address)
    return await asyncio.start_server(proxy.connected, "127.0.0.1", address)
