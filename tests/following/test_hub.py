"""The hub: every version once and in order, for whoever may see it, at the pace of whoever takes it."""

import asyncio
from random import Random

import pytest
import redis

from domain.game import OpenGame
from service.hub import PAGE_MAX, QUEUED_MAX, Following
from service.seen import GameUpdate, Visibility
from tests.following.hall import Hall
from tests.following.streams import Told, decision_ends, refused, taken, up_to, versions
from tests.service.house import until


async def test_whoever_comes_whenever_is_told_every_version_once_and_in_order(hall: Hall) -> None:
    ann, bob = await hall.pair()
    game_id = await hall.game(ann, bob)
    random, followers = Random(1), list[Told]()
    for _ in range(60):
        viewer = random.choice([ann.player, bob.player, None])
        after = random.randint(0, (await hall.seen(None, game_id)).version)
        followers.append(Told(hall.service.follow(viewer, game_id, after), after))
        for _ in range(random.randint(0, 4)):  # to be anywhere on its way to what there is
            await asyncio.sleep(0)
        await hall.turns(game_id, 1)
    last, ends = (await hall.seen(None, game_id)).version, decision_ends(hall.database, game_id)
    for follower in followers:
        updates = await follower.up_to(last)
        assert versions(updates) == list(range(follower.after + 1, last + 1))
        assert {update.version for update in updates} <= ends


async def test_an_update_holds_the_game_as_of_its_last_event(hall: Hall) -> None:
    ann, bob = await hall.pair()
    game_id = await hall.game(ann, bob)
    stream = hall.service.follow(ann.player, game_id, None)
    joined = asyncio.create_task(taken(stream, 3))
    await until(lambda: stream.is_live)
    await hall.turns(game_id, 3)
    for update in await joined:
        assert update.version == update.events[-1].version
        assert update.game == await hall.seen(ann.player, game_id, at=update.version)
    await stream.aclose()


async def test_without_after_a_stream_begins_now(hall: Hall) -> None:
    ann, bob = await hall.pair()
    game_id = await hall.game(ann, bob)
    before = (await hall.seen(None, game_id)).version
    stream = hall.service.follow(None, game_id, None)
    first = asyncio.create_task(taken(stream, 1))
    await until(lambda: stream.is_live)
    await hall.turns(game_id, 1)
    assert versions(await first)[0] == before + 1
    await stream.aclose()


async def test_a_stream_completes_after_the_last_event(hall: Hall) -> None:
    host = await hall.person()
    game_id = await hall.open(host.player, OpenGame("gravwell", 2))
    stream = hall.service.follow(None, game_id, 0)
    told = await taken(stream, 1)
    await hall.leave(host, game_id)
    told += await taken(stream)
    assert [event.name for update in told for event in update.events][-2:] == ["game.ended", "game.secret_opened"]
    assert await taken(hall.service.follow(None, game_id, None)) == []
    assert await taken(hall.service.follow(None, game_id, told[-1].version)) == []


async def test_after_is_a_version_there_is_or_0(hall: Hall) -> None:
    game_id = await hall.open((await hall.person()).player, OpenGame("gravwell", 2))
    for after in (-1, 3, 2**31 - 1):
        refusal = await refused(hall.service.follow(None, game_id, after))
        assert (refusal.code, refusal.facts) == ("AFTER_OUT_OF_RANGE", {"given": after, "least": 0, "most": 2})


async def test_a_private_game_of_others_is_as_unknown_as_none(hall: Hall) -> None:
    host, other = await hall.pair()
    game_id = await hall.open(host.player, OpenGame("gravwell", 2), Visibility.PRIVATE)
    for viewer in (other.player, None):
        assert (await refused(hall.service.follow(viewer, game_id, 0))).code == "UNKNOWN_GAME"
    assert (await refused(hall.service.follow(host.player, host.player.id, 0))).code == "UNKNOWN_GAME"
    unlisted = await hall.open(host.player, OpenGame("gravwell", 2), Visibility.UNLISTED)
    assert versions(await taken(hall.service.follow(None, unlisted, 0), 1)) == [1, 2]


async def test_whoever_loses_sight_of_a_game_is_shown_out(hall: Hall) -> None:
    host, guest = await hall.pair()
    game_id = await hall.open(host.player, OpenGame("gravwell", 3), Visibility.PRIVATE)
    await hall.sit(guest, game_id)
    streams = [hall.service.follow(person.player, game_id, 0) for person in (host, guest)]
    assert [versions(await taken(stream, 1)) for stream in streams] == [[1, 2, 3]] * 2
    await hall.leave(guest, game_id)
    assert (await refused(streams[1])).code == "ACCESS_LOST"
    assert versions(await taken(streams[0], 1)) == [4]
    await streams[0].aclose()


async def test_a_laggard_is_ended_and_goes_on_where_it_stood(hall: Hall) -> None:
    ann, bob = await hall.pair()
    game_id = await hall.game(ann, bob)
    laggard, other = (hall.service.follow(None, game_id, 0) for _ in range(2))
    stood = (await taken(laggard, 1))[-1].version
    waiting = asyncio.create_task(anext(laggard))
    await until(lambda: laggard.is_live)
    await hall.turns(game_id, 1)
    first = await waiting
    assert isinstance(first, GameUpdate)
    stood = first.version
    told = await up_to(other, stood)
    for _ in range(QUEUED_MAX + 1):
        await hall.turns(game_id, 1)
        told += await up_to(other, (await hall.seen(None, game_id)).version)
    refusal = await refused(laggard)
    assert (refusal.code, refusal.facts) == ("LAGGED", {"after": stood})
    resumed = hall.service.follow(None, game_id, stood)
    rest = await up_to(resumed, told[-1].version)
    assert versions(rest) == list(range(stood + 1, told[-1].version + 1))
    assert versions(told) == list(range(1, told[-1].version + 1))
    for stream in (resumed, other):
        await stream.aclose()


async def test_a_long_way_back_is_told_in_pages_each_with_the_game_as_it_was(hall: Hall) -> None:
    ann, bob = await hall.pair()
    game_id = await hall.game(ann, bob)
    last = (await hall.play(game_id)).version
    ends = decision_ends(hall.database, game_id)
    middle = next(version for version in range(10, last) if version not in ends)
    for after in (0, middle):  # from the middle of a decision, too
        pages = await taken(hall.service.follow(ann.player, game_id, after))
        assert versions(pages) == list(range(after + 1, last + 1))
        assert len(pages) > 2
        for page in pages:
            assert len(page.events) <= PAGE_MAX
            assert page.version in ends
            assert page.game == await hall.seen(ann.player, game_id, at=page.version)


async def test_all_who_see_alike_are_given_the_same_update(hall: Hall) -> None:
    ann, bob = await hall.pair()
    stranger = await hall.person()
    game_id = await hall.game(ann, bob)
    viewers = [None, stranger.player, None, ann.player, ann.player, bob.player]
    streams = [hall.service.follow(viewer, game_id, 0) for viewer in viewers]
    firsts = await asyncio.gather(*(taken(stream, 1) for stream in streams))
    waiting = [asyncio.create_task(taken(stream, 1)) for stream in streams]
    await until(lambda: all(stream.is_live for stream in streams))
    await hall.turns(game_id, 1)
    (public,), (strangers,), (third,), (anns,), (anns_too,), (bobs,) = [await update for update in waiting]
    assert public is strangers is third
    assert anns is anns_too
    assert [update.viewer for update in (public, anns, bobs)] == [None, ann.player, bob.player]
    assert [update.game.my_seat for update in (public, anns, bobs)] == [None, 0, 1]
    assert all(first[0].version == firsts[0][0].version for first in firsts)
    for stream in streams:
        await stream.aclose()


async def test_one_connection_to_redis_hears_for_all_of_a_process_as_long_as_anybody_follows(hall: Hall) -> None:
    ann, bob = await hall.pair()
    games = [await hall.game(ann, bob) for _ in range(2)]
    channels = [f"game:{{{game_id}}}" for game_id in games]
    with redis.Redis.from_url(hall.database.redis_url) as line:

        def listeners() -> list[int]:
            return [number for _, number in line.pubsub_numsub(*channels)]

        ears = {client["id"] for client in line.client_list(_type="pubsub")}
        assert listeners() == [0, 0]
        streams: list[Following] = []
        for nth in range(20):
            streams.append(hall.service.follow(None, games[nth % 2], 0))
            await taken(streams[-1], 1)
        assert listeners() == [1, 1]
        assert {client["id"] for client in line.client_list(_type="pubsub")} == ears
        for stream in streams[::2]:
            await stream.aclose()
        await until(lambda: listeners() == [0, 1])
        for stream in streams[1::2]:
            await stream.aclose()
        await until(lambda: listeners() == [0, 0])


@pytest.mark.parametrize("closes", [True, False])
async def test_a_follower_that_goes_while_it_joins_leaves_nothing_behind(hall: Hall, closes: bool) -> None:
    ann, bob = await hall.pair()
    game_id = await hall.game(ann, bob)
    hub = hall.service._hub
    stream = hall.service.follow(None, game_id, None)
    waiting = asyncio.create_task(anext(stream))
    await asyncio.sleep(0)
    assert game_id in hub._tables
    if closes:
        await stream.aclose()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await stream.aclose()
    assert game_id not in hub._tables
