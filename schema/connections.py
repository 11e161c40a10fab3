"""Connections that stay open: the terms they are held to, and how all of them are sent away."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol
from uuid import UUID

from starlette.datastructures import Headers
from strawberry.http.websocket_origin import is_same_origin, normalize_allowed_origins, normalize_origin

from schema.errors import bad_request
from service.ending import ended
from service.seen import Player

FINISH_SECONDS_MAX: Final = 4.0
"""How long queries and mutations under way are waited for before a connection is sent away."""

DRAIN_SECONDS_MAX: Final = 5.0
"""How long whoever is connected may take to hear that it is over."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What is asked of whoever stays connected.

    `origins`: web pages other than our own that may connect, as `https://example.org`; `*` is all of them.
    `init_seconds`: within which a WebSocket must introduce itself. `operations_max`: at a time, on one WebSocket.
    `player_max`: connections of one player to this process; `process_max`: of everybody.
    """

    origins: tuple[str, ...] = ()
    init_seconds: float = 10.0
    operations_max: int = 64
    player_max: int = 32
    process_max: int = 16_384


class Connection(Protocol):
    """One that stays open until it is sent away."""

    async def send_away(self) -> None:
        """End it, saying that another process will serve."""


class Connections:
    """All that stay open in one process."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.is_draining = False
        self._origins = normalize_allowed_origins(terms.origins)
        self._open: set[Connection] = set()
        self._players: Counter[UUID] = Counter()

    @property
    def is_full(self) -> bool:
        """Whether this process takes no more. Nothing may be awaited between the answer and `holding`."""
        return self.is_draining or len(self._open) >= self.terms.process_max

    @contextmanager
    def holding(self, connection: Connection) -> Iterator[None]:
        """Count a connection as open, and send it away when all are."""
        self._open.add(connection)
        try:
            yield
        finally:
            self._open.discard(connection)

    def admit(self, player: Player | None) -> None:
        """Count one more connection of a player. Raises BadRequest if it is one too many."""
        if player is not None:
            most = self.terms.player_max
            if self._players[player.id] >= most:
                raise bad_request(429, "TOO_MANY_CONNECTIONS", most=most)
            self._players[player.id] += 1

    def dismiss(self, player: Player | None) -> None:
        """Count one less of those that were admitted."""
        if player is not None:
            self._players[player.id] -= 1
            if not self._players[player.id]:
                del self._players[player.id]

    def is_welcome(self, headers: Headers) -> bool:
        """Whether the page that connects may: ours, one of the terms' origins, or no page at all."""
        origin = headers.get("origin")
        if origin is None or is_same_origin(origin, headers.get("host")) or "*" in self._origins:
            return True
        return normalize_origin(origin) in self._origins

    async def drain(self) -> None:
        """Send all of them away, and let in nobody any more."""
        self.is_draining = True
        leaving = [asyncio.create_task(connection.send_away()) for connection in self._open]
        if leaving:
            _, late = await asyncio.wait(leaving, timeout=DRAIN_SECONDS_MAX)
            await ended(*late)
            await asyncio.gather(*leaving, return_exceptions=True)
