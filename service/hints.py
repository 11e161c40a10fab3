"""Hints over Redis pub/sub: `{game, version}` and nothing else. Losing any of them costs latency, never data."""

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from uuid import UUID

import redis.asyncio
import structlog
from redis.exceptions import RedisError

INBOX = "inbox:{0}"
"""The channel that says a game has pending submissions somebody should look at."""

TIMERS = "timers:{0}"
"""The channel that says a game has a timer that is due at once."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Hint:
    """Something happened in a game, up to a version; `players` sit in it."""

    game_id: UUID
    version: int
    players: tuple[UUID, ...] = ()
    inbox: bool = False
    timers: bool = False


class Hints:
    """One process's line to Redis."""

    def __init__(self, url: str) -> None:
        self._redis = redis.asyncio.Redis.from_url(url, socket_timeout=1.0, socket_connect_timeout=1.0)

    async def publish(self, hints: Iterable[Hint]) -> None:
        """Tell whoever listens. Redis away is no reason to fail: polls are the backstop."""
        pipeline = self._redis.pipeline(transaction=False)
        for hint in hints:
            body = json.dumps({"game": str(hint.game_id), "version": hint.version})
            pipeline.publish(f"game:{{{hint.game_id}}}", body)
            for player in hint.players:
                pipeline.publish(f"player:{{{player}}}", body)
            if hint.inbox:
                pipeline.publish(INBOX, body)
            if hint.timers:
                pipeline.publish(TIMERS, body)
        try:
            await pipeline.execute()
        except (RedisError, OSError) as error:
            log.warning("hints_lost", error=type(error).__name__)

    async def work(self) -> AsyncIterator[tuple[str, UUID]]:
        """The channels INBOX and TIMERS with the game each hint names; ends with RedisError when the line breaks."""
        pubsub = self._redis.pubsub(ignore_subscribe_messages=True)
        try:
            await pubsub.subscribe(INBOX, TIMERS)
            while True:
                message = await pubsub.get_message(timeout=None)
                if message is not None:
                    yield message["channel"].decode(), UUID(json.loads(message["data"])["game"])
        finally:
            await pubsub.aclose()  # type: ignore[no-untyped-call]

    async def close(self) -> None:
        """Hang up."""
        await self._redis.aclose()
