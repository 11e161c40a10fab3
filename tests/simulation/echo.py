"""Hints made worse: heard on every channel, and said again twice, late and out of order."""

import asyncio
from collections import Counter
from contextlib import suppress
from random import Random

import redis.asyncio
from redis.exceptions import RedisError


async def echo_forever(url: str, chance: Random) -> None:
    """Double and delay hints for as long as it is let; what was said by an echo is not echoed."""
    own: Counter[tuple[bytes, bytes]] = Counter()

    async def repeat(channel: bytes, hint: bytes) -> None:
        await asyncio.sleep(chance.expovariate(5.0))
        own[channel, hint] += 1
        with suppress(RedisError, OSError):
            await line.publish(channel, hint)

    while True:
        async with redis.asyncio.Redis.from_url(url) as line, asyncio.TaskGroup() as group:
            with suppress(RedisError, OSError):
                heard = line.pubsub(ignore_subscribe_messages=True)
                await heard.psubscribe("*")
                async for message in heard.listen():
                    said = message["channel"], message["data"]
                    if own[said]:
                        own[said] -= 1
                    elif chance.random() < 0.5:
                        group.create_task(repeat(*said))
        await asyncio.sleep(0.1)
