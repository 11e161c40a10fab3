"""The ear of a process: one connection to Redis for every channel that somebody here listens on."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import uniform
from typing import Any, Final

import redis.asyncio
import structlog
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from service.hints import Hint, hint_of

Ear = Callable[[Hint | None], None]
"""Called with each hint of a channel; with None where hints may have been missed, so that somebody looks."""

CONFIRM_SECONDS_MAX: Final = 1.0
"""How long to wait for Redis to confirm a subscription, before going on without: polls are the backstop."""

QUIET_SECONDS: Final = 10.0
ANSWER_SECONDS_MAX: Final = 2.0
"""After how much silence to ask whether Redis is still there, and how long to wait for its answer."""

AGAIN_SECONDS: Final = (0.2, 1.0)
"""Between which two to wait before connecting anew, so that a herd of processes does not come back in step."""

NAMES_A_COMMAND_MAX: Final = 1_000

log = structlog.get_logger()


@dataclass(slots=True)
class _Channel:
    ears: list[Ear] = field(default_factory=list)
    confirmed: asyncio.Event = field(default_factory=asyncio.Event)


class Channels:
    """Channels by name, each subscribed to as long as anybody listens.

    Whenever a subscription is confirmed, be it the first or one after the line broke, its ears are called with None:
    whoever looks at every call misses nothing.
    """

    def __init__(self, url: str) -> None:
        # To come back is our affair: the client's own way would hide that hints were lost. So is how long to wait for
        # it: its `socket_timeout` rests on `wait_for`, which up to Python 3.11 may swallow that we are cancelled.
        never = Retry(NoBackoff(), 0)
        self._redis = redis.asyncio.Redis.from_url(url, protocol=2, retry=never, socket_timeout=None)
        self._channels: dict[str, _Channel] = {}
        self._changed: set[str] = set()
        self._to_say = asyncio.Event()
        self.lost = asyncio.Event()
        """Set for as long as there is no connection."""

        self.lost.set()

    def listen(self, name: str, ear: Ear) -> None:
        """Listen on a channel from soon on; `confirmed` waits for it."""
        channel = self._channels.get(name)
        if channel is None:
            channel = self._channels[name] = _Channel()
            self._say(name)
        channel.ears.append(ear)

    async def confirmed(self, name: str) -> None:
        """Wait until Redis has confirmed that it is listened to; not long, and not at all while Redis is away."""
        if not self.lost.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(CONFIRM_SECONDS_MAX):
                    await self._channels[name].confirmed.wait()

    def leave(self, name: str, ear: Ear) -> None:
        """Listen no more."""
        channel = self._channels[name]
        channel.ears.remove(ear)
        if not channel.ears:
            del self._channels[name]
            self._say(name)

    async def run(self) -> None:
        """Listen for ever, connecting anew whenever the line breaks."""
        try:
            while True:
                try:
                    await self._session()
                except* (RedisError, OSError) as broken:
                    log.warning("channels_lost", error=type(broken.exceptions[0]).__name__)
                await asyncio.sleep(uniform(*AGAIN_SECONDS))  # noqa: S311
        finally:
            await self._redis.aclose()

    def _say(self, name: str) -> None:
        """Note that what Redis was told of a channel may have to change."""
        self._changed.add(name)
        self._to_say.set()

    async def _session(self) -> None:
        pubsub = self._redis.pubsub()
        try:
            async with asyncio.TaskGroup() as tasks:
                async with asyncio.timeout(ANSWER_SECONDS_MAX):
                    await pubsub.connect()  # type: ignore[no-untyped-call]
                self.lost.clear()
                tasks.create_task(self._speak(pubsub))
                tasks.create_task(self._listen(pubsub))
        finally:
            self.lost.set()
            for channel in self._channels.values():
                channel.confirmed.clear()
            await pubsub.aclose()  # type: ignore[no-untyped-call]

    async def _speak(self, pubsub: PubSub) -> None:
        """Tell a new connection of every channel, and then of each that is joined for the first or left for good."""
        told: set[str] = set()
        self._changed = set(self._channels)
        while True:
            changed, self._changed = self._changed, set()
            for name in changed & told & self._channels.keys():  # left and joined again, before this was looked at
                self._confirm(name)
            joined = list(changed & self._channels.keys() - told)
            left = list(changed & told - self._channels.keys())
            told.difference_update(left)
            told.update(joined)
            async with asyncio.timeout(ANSWER_SECONDS_MAX):
                for some in _commands(left):
                    await pubsub.unsubscribe(*some)
                for some in _commands(joined):
                    await pubsub.subscribe(*some)
            self._to_say.clear()
            if not self._changed:
                await self._to_say.wait()

    async def _listen(self, pubsub: PubSub) -> None:
        while True:
            message = await pubsub.get_message(timeout=QUIET_SECONDS)
            if message is None:
                async with asyncio.timeout(ANSWER_SECONDS_MAX):
                    await pubsub.ping()
                message = await pubsub.get_message(timeout=ANSWER_SECONDS_MAX)
                if message is None:
                    raise redis.exceptions.TimeoutError("Redis is silent")
            self._hear(message)

    def _hear(self, message: dict[str, Any]) -> None:
        if message["type"] == "subscribe":
            self._confirm(message["channel"].decode())
        elif message["type"] == "message":
            self._tell(message["channel"].decode(), hint_of(message["data"]))

    def _confirm(self, name: str) -> None:
        if name in self._channels:
            self._channels[name].confirmed.set()
            self._tell(name, None)

    def _tell(self, name: str, hint: Hint | None) -> None:
        if name in self._channels:  # else everybody left while it was on its way
            for ear in tuple(self._channels[name].ears):
                ear(hint)


def _commands(names: list[str]) -> list[list[str]]:
    return [names[start : start + NAMES_A_COMMAND_MAX] for start in range(0, len(names), NAMES_A_COMMAND_MAX)]
