"""What a follower has been told, held against what the store says."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from service.hub import Following
from service.seen import GameUpdate, Refusal
from tests.following.hall import PATIENCE_SECONDS
from tests.service.database import Database
from tests.service.house import until


def decision_ends(database: Database, game_id: UUID) -> set[int]:
    """The versions at which a decision of a game ends."""
    publics = [json.loads(public) for _, public, _ in database.events(game_id)]
    begins = {event["version"] for event in publics if "first" not in event["cause"]}
    return {version - 1 for version in begins if version > 1} | {len(publics)}


def versions(updates: Sequence[GameUpdate]) -> list[int]:
    """The versions of all events told, in order."""
    return [event.version for update in updates for event in update.events]


async def taken(stream: AsyncIterator[GameUpdate | Refusal], number: int | None = None) -> list[GameUpdate]:
    """So many updates of a stream, or all there are."""
    updates: list[GameUpdate] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        while len(updates) != number:
            update = await anext(stream, None)
            if update is None:
                break
            assert isinstance(update, GameUpdate), update
            updates.append(update)
    return updates


async def up_to(stream: AsyncIterator[GameUpdate | Refusal], version: int) -> list[GameUpdate]:
    """The updates of a stream up to a version."""
    updates: list[GameUpdate] = []
    while not updates or updates[-1].version < version:
        updates += await taken(stream, 1)
    return updates


class Told:
    """A follower that takes whatever comes."""

    def __init__(self, stream: Following, after: int) -> None:
        self.after = after
        self.updates: list[GameUpdate] = []
        self._stream = stream
        self._taking = asyncio.create_task(self._take())

    async def up_to(self, version: int) -> list[GameUpdate]:
        """All it was told, once that reaches a version; then it goes."""
        await until(lambda: self._taking.done() or self.version >= version, PATIENCE_SECONDS)
        self._taking.cancel()
        await asyncio.gather(self._taking, return_exceptions=True)
        await self._stream.aclose()
        return self.updates

    @property
    def version(self) -> int:
        """How far it has been told."""
        return self.updates[-1].version if self.updates else self.after

    async def _take(self) -> None:
        async for update in self._stream:
            assert isinstance(update, GameUpdate), update
            self.updates.append(update)


async def refused(stream: AsyncIterator[object]) -> Refusal:
    """Why a stream has no next item."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        item = await anext(stream)
        assert isinstance(item, Refusal), item
        assert await anext(stream, None) is None
    return item
