"""Hints over Redis pub/sub: `{game, version}` and nothing else. Losing any of them costs latency, never data."""

import asyncio
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

import redis.asyncio
import structlog
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

INBOX = "inbox:{0}"
"""The channel that says a game has pending submissions somebody should look at."""

TIMERS = "timers:{0}"
"""The channel that says a game has a timer that is due at once."""

PUBLISH = "for i = 1, #ARGV, 2 do redis.call('publish', ARGV[i], ARGV[i + 1]) end"
"""All hints of a flush as one command with one answer: as a command each, they cost four times as much."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Hint:
    """Something happened in a game, up to a version; `players` sit in it."""

    game_id: UUID
    version: int
    players: tuple[UUID, ...] = ()
    inbox: bool = False
    timers: bool = False


def game_channel(game_id: UUID) -> str:
    """The channel of a game: its hash tag keeps all there ever is of it on one node of a cluster."""
    return f"game:{{{game_id}}}"


def player_channel(player_id: UUID) -> str:
    """The channel of the games of a player."""
    return f"player:{{{player_id}}}"


def hint_of(body: bytes) -> Hint | None:
    """A hint as it travelled; None for what is none of ours, which still says that something happened."""
    try:
        said = json.loads(body)
        return Hint(UUID(said["game"]), int(said["version"]))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


class Hints:
    """One process's mouth to Redis; its ear is `channels.Channels`."""

    def __init__(self, url: str) -> None:
        never = Retry(NoBackoff(), 0)  # a hint that comes late is worth nothing
        self._redis = redis.asyncio.Redis.from_url(url, retry=never, socket_timeout=1.0, socket_connect_timeout=1.0)
        self._publish = self._redis.register_script(PUBLISH)
        self._untold: list[Hint] = []
        self._telling: asyncio.Task[None] | None = None

    def tell(self, hints: Iterable[Hint]) -> None:
        """Publish soon, without making anybody wait for it."""
        self._untold.extend(hints)
        if self._untold and (self._telling is None or self._telling.done()):
            self._telling = asyncio.create_task(self._tell_all())

    async def publish(self, hints: Iterable[Hint]) -> None:
        """Tell whoever listens. Redis away is no reason to fail: polls are the backstop."""
        try:
            await self._publish(args=[word for hint in hints for word in _words(hint)])
        except (RedisError, OSError) as error:
            log.warning("hints_lost", error=type(error).__name__)

    async def _tell_all(self) -> None:
        while self._untold:
            hints, self._untold = self._untold, []
            await self.publish(hints)

    async def close(self) -> None:
        """Tell what is left to tell, and hang up."""
        if self._telling is not None:
            await self._telling
        await self._redis.aclose()


def _words(hint: Hint) -> Iterator[str]:
    """A channel and what is said on it, by turns."""
    body = f'{{"game": "{hint.game_id}", "version": {hint.version}}}'
    yield from (game_channel(hint.game_id), body)
    for player in hint.players:
        yield from (player_channel(player), body)
    if hint.inbox:
        yield from (INBOX, body)
    if hint.timers:
        yield from (TIMERS, body)
