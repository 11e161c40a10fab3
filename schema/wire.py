"""How responses travel: the head of one together with its body."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD = b"HTTP/"


class HeadWithBody:
    """A transport that keeps the head of a response until there is something of its body, or nothing else to do.

    Uvicorn hands over the two apart, and uvloop sends at once whatever it is given: as two packets, of which each wakes
    the client. All else goes through as it comes.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self.bare = transport
        self._loop = loop
        self._head = b""

    def write(self, data: bytes) -> None:
        """Send this; a head, soon."""
        if not self._head and data.startswith(HEAD):
            self._head = data
            self._loop.call_soon(self.flush)
        else:
            self.flush(data)

    def flush(self, data: bytes = b"") -> None:
        """Send what is kept, and this."""
        kept, self._head = self._head, b""
        if kept or data:
            self.bare.write(kept + data)

    def close(self) -> None:
        """Send what is kept, and hang up."""
        self.flush()
        self.bare.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bare, name)


class HttpProtocol(HttpToolsProtocol):
    """Uvicorn's protocol over such a transport. A WebSocket gets the bare one: its frames are whole."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Speak over it."""
        super().connection_made(HeadWithBody(transport, self.loop))  # type: ignore[arg-type]

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to the protocol of WebSockets."""
        if isinstance(self.transport, HeadWithBody):
            self.transport.flush()
            self.transport = self.transport.bare
        super().handle_websocket_upgrade()
