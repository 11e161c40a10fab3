"""Hints may be lost, doubled, late and out of order: followers see the same stream, only later."""

from dataclasses import replace
from random import Random
from typing import get_args

import pytest
import redis.asyncio

from service.hints import hint_of
from tests.following.hall import Hall, hall_on
from tests.following.relay import HintRelay, Mangling
from tests.following.streams import Told, versions
from tests.service.database import Database

JUNK = (b"", b"junk", b"[]", b'{"game":1,"version":2}', b'{"version":"x"}', b'{"game":"x","version":9}')


@pytest.mark.parametrize("mangling", get_args(Mangling))
async def test_whatever_becomes_of_every_hint_the_stream_is_the_same(database: Database, mangling: Mangling) -> None:
    random = Random(2)
    async with (
        HintRelay(database.redis_url, mangling, random).open() as relay,
        hall_on(replace(database, redis_url=relay.url), poll_seconds=0.2) as hall,
    ):
        ann, bob = await hall.pair()
        game_id = await hall.game(ann, bob)
        followers = []
        for _ in range(10):
            after = random.randint(0, (await hall.seen(None, game_id)).version)
            viewer = random.choice([ann.player, bob.player, None])
            followers.append(Told(hall.service.follow(viewer, game_id, after), after))
            await hall.turns(game_id, 2)
        last = (await hall.seen(None, game_id)).version
        for follower in followers:
            assert versions(await follower.up_to(last)) == list(range(follower.after + 1, last + 1))
        assert relay.mangled > 0


@pytest.mark.parametrize("body", JUNK)
def test_what_is_no_hint_says_nothing(body: bytes) -> None:
    assert hint_of(body) is None


async def test_what_is_no_hint_does_no_harm(hall: Hall) -> None:
    ann, bob = await hall.pair()
    game_id = await hall.game(ann, bob)
    follower = Told(hall.service.follow(None, game_id, 0), 0)
    async with redis.asyncio.Redis.from_url(hall.database.redis_url) as line:
        for body in JUNK:
            await line.publish(f"game:{{{game_id}}}", body)
            await hall.turns(game_id, 1)
    last = (await hall.seen(None, game_id)).version
    assert versions(await follower.up_to(last)) == list(range(1, last + 1))


async def test_a_hint_says_which_game_and_which_version_and_nothing_else(hall: Hall) -> None:
    ann, bob = await hall.pair()
    game_id = await hall.game(ann, bob)
    async with redis.asyncio.Redis.from_url(hall.database.redis_url) as line, line.pubsub() as pubsub:
        await pubsub.psubscribe("*")
        await hall.turns(game_id, 1)
        bodies: dict[str, bytes] = {}
        channels = {f"game:{{{game_id}}}", *(f"player:{{{person.player.id}}}" for person in (ann, bob))}
        while bodies.keys() != channels:
            message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=10)
            if message is not None and message["channel"].decode() in channels:
                bodies[message["channel"].decode()] = message["data"]
    version = (await hall.seen(None, game_id)).version
    assert set(bodies.values()) == {f'{{"game": "{game_id}", "version": {version}}}'.encode()}
