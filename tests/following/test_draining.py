"""SIGTERM: followers are sent elsewhere, what is under way is answered, and nothing new is begun."""

import asyncio
import signal
from typing import Any
from uuid import UUID

import httpx
import pytest

from domain.game import OpenGame
from service.process import Role, running
from service.seen import Player
from tests.following.hall import PATIENCE_SECONDS, Hall, Person, Served, game_id, served
from tests.following.serving import serving
from tests.following.speaking import FOLLOW, speaking
from tests.following.test_event_streams import asked
from tests.service.database import Database
from tests.service.house import APPLIED, until

RESIGN = (
    'mutation ($game: ID!) { resign(input: {key: "resign", gameId: $game}, wait: 1.5) { ... on Receipt { status } } }'
)


async def streamed_answer(site: Served, person: Person, game: UUID) -> list[tuple[str, Any]]:
    async with asked(site, RESIGN, person, game=game_id(game)) as events:
        return [await events.next(), await events.next()]


async def test_followers_are_sent_away_and_what_is_under_way_is_answered(hall: Hall, database: Database) -> None:
    ann, bob = await hall.pair()
    game = await hall.game(ann, bob)
    cleo = await hall.person()
    another = await hall.game(cleo, ann)
    async with (
        serving(database) as process,
        speaking(process.site) as idle,
        speaking(process.site) as speaker,
        asked(process.site, FOLLOW, bob, game=game_id(game), after=0) as events,
        httpx.AsyncClient(timeout=PATIENCE_SECONDS) as client,
    ):
        await idle.introduce()
        await speaker.introduce(ann)
        await speaker.follow("f", game, 0)
        await speaker.data("f")
        await events.data()
        with hall.database.holding(game), hall.database.holding(another):
            await speaker.subscribe("m", RESIGN, game=game_id(game))
            body = {"query": RESIGN, "variables": {"game": game_id(game)}}
            answering = asyncio.create_task(
                client.post(process.site.url, json=body, headers={"Authorization": bob.authorization})
            )
            streamed = asyncio.create_task(streamed_answer(process.site, cleo, another))
            asked_for = "select count(*) from submissions where game_id = any(%s) and key = 'resign'"
            await until(lambda: hall.database.ask(asked_for, [game, another]) == [(3,)])
            process.process.send_signal(signal.SIGTERM)
            assert await speaker.data("m") == {"resign": {"status": "PENDING"}}
            assert await speaker.hear() == {"id": "m", "type": "complete"}
            assert await streamed == [("next", {"data": {"resign": {"status": "PENDING"}}}), ("complete", None)]
            answer = await answering
            assert answer.json() == {"data": {"resign": {"status": "PENDING"}}}
        assert await idle.closed() == (1001, "Going away")
        assert await speaker.closed() == (1001, "Going away")
        await events.over()  # without the word that it is complete: the client asks again, elsewhere
        assert await process.ended() == 0


async def test_whoever_comes_while_it_drains_is_sent_on(hall: Hall, site: Served) -> None:
    site.connections.is_draining = True
    try:
        async with speaking(site) as speaker:
            assert await speaker.closed() == (1001, "Going away")
        async with asked(site, FOLLOW, game="any") as events:
            assert events.response.status_code == 503
            assert events.response.headers["retry-after"] == "1"
    finally:
        site.connections.is_draining = False


async def test_whoever_is_just_coming_in_as_it_drains_is_sent_on_too(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, may_go_on, asked_for = await hall.person(), asyncio.Event(), asyncio.Event()
    player_of = hall.service.accounts.player_of

    async def slowly(token: str) -> Player | None:
        asked_for.set()
        await may_go_on.wait()
        return await player_of(token)

    monkeypatch.setattr(hall.service.accounts, "player_of", slowly)
    game = await hall.open(ann.player, OpenGame("gravwell", 2))

    async def comes(site: Served) -> int:
        async with asked(site, FOLLOW, ann, game=game_id(game)) as events:
            return events.response.status_code

    async with served(hall.service) as site:
        coming = asyncio.create_task(comes(site))
        await asked_for.wait()
        draining = asyncio.create_task(site.connections.drain())
        await until(lambda: site.connections.is_draining)
        may_go_on.set()
        assert await coming == 503
        await draining
        assert not site.connections._open


async def test_a_process_told_to_stop_claims_nothing_new(database: Database) -> None:
    stop = asyncio.Event()
    async with running(database.url, database.redis_url, frozenset(Role), stop=stop) as service:
        hall = Hall(service, database)
        host = await hall.person()
        stop.set()
        minding = [task for task in asyncio.all_tasks() if task.get_name() in {"timers", "bots"}]
        assert len(minding) == 2
        await until(lambda: all(task.done() for task in minding))
        game = await hall.open(host.player, OpenGame("gravwell", 2, bots=1))
        for turn in (await hall.seen(host.player, game)).legal_turns[:1]:  # if the host is the one to begin
            assert (await hall.send(host.player, game, turn)).status is APPLIED
        version = (await hall.seen(None, game)).version
    assert database.ask("select leased_until from timers where game_id = %s and kind = 'bot'", game) == [(None,)]
    async with running(database.url, database.redis_url, frozenset(Role)):
        await until(lambda: database.ask("select version from games where game_id = %s", game) > [(version,)])
