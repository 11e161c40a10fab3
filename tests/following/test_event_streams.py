"""graphql-sse in distinct connections: one request, one operation, one stream of events."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from domain.game import OpenGame
from schema import event_streams
from schema.connections import Terms
from tests.following.hall import PATIENCE_SECONDS, Hall, Person, Served, game_id, served
from tests.following.speaking import FOLLOW, speaking
from tests.service.house import until

EVENTS = {"Accept": "text/event-stream"}
ENDLESS = "subscription { myGamesChanged { reason } }"


class Events:
    """A response that goes on."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.aiter_lines()

    async def next(self) -> tuple[str, Any]:
        """The name and the data of the next event; comments are no events."""
        name = ""
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for line in self._lines:
                field, _, value = line.partition(":")
                if field == "event":
                    name = value.strip()
                elif field == "data":
                    assert name, "an event has a name before its data"
                    assert await anext(self._lines) == ""
                    return name, json.loads(value) if value.strip() else None
        raise EOFError

    async def data(self) -> Any:
        name, content = await self.next()
        assert name == "next"
        assert "errors" not in content, content
        return content["data"]

    async def error(self) -> dict[str, Any]:
        """The one error of an event, and that nothing comes after it."""
        name, content = await self.next()
        assert name == "next"
        (error,) = content["errors"]
        assert await self.next() == ("complete", None)
        extensions: dict[str, Any] = error["extensions"]
        return extensions

    async def over(self) -> None:
        """Wait for the end, before which nothing more is said."""
        with pytest.raises(EOFError):
            await self.next()


def headers_of(person: Person | None) -> dict[str, str]:
    return EVENTS if person is None else {**EVENTS, "Authorization": person.authorization}


@asynccontextmanager
async def asked(site: Served, query: str, person: Person | None = None, **variables: Any) -> AsyncIterator[Events]:
    body = {"query": query, "variables": variables}
    async with (
        httpx.AsyncClient(timeout=PATIENCE_SECONDS) as client,
        client.stream("POST", site.url, json=body, headers=headers_of(person)) as response,
    ):
        yield Events(response)


async def test_a_game_is_followed_to_its_end(hall: Hall, site: Served) -> None:
    host = await hall.person()
    game = await hall.open(host.player, OpenGame("gravwell", 2))
    async with asked(site, FOLLOW, host, game=game_id(game), after=1) as events:
        assert events.response.status_code == 200
        assert events.response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert "no-store" in events.response.headers["cache-control"]
        update = (await events.data())["gameUpdates"]
        assert (update["version"], update["game"]["mySeat"]) == (2, 0)
        await hall.leave(host, game)
        assert [event["version"] for event in (await events.data())["gameUpdates"]["events"]] == [3, 4, 5]
        assert await events.next() == ("complete", None)
        await events.over()


async def test_a_native_event_source_asks_by_get(hall: Hall, site: Served) -> None:
    game = await hall.open((await hall.person()).player, OpenGame("gravwell", 2))
    params = {"query": FOLLOW, "variables": json.dumps({"game": game_id(game), "after": 0})}
    async with httpx.AsyncClient() as client, client.stream("GET", site.url, params=params, headers=EVENTS) as response:
        assert (await Events(response).data())["gameUpdates"]["version"] == 2


async def test_a_query_is_answered_by_one_event_and_a_mutation_is_none_by_get(hall: Hall, site: Served) -> None:
    ann = await hall.person()
    async with asked(site, "{ me { handle } }", ann) as events:
        assert await events.data() == {"me": {"handle": ann.player.handle}}
        assert await events.next() == ("complete", None)
    opening = 'mutation { openGame(input: {key: "sse", ruleset: GRAVWELL, seats: 2}) { ... on Receipt { status } } }'
    async with asked(site, opening, ann) as events:
        assert await events.data() == {"openGame": {"status": "APPLIED"}}
    async with httpx.AsyncClient() as client:
        answer = await client.get(site.url, params={"query": opening}, headers=headers_of(ann))
    assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (405, "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("{", "GRAPHQL_PARSE_FAILED"),
        ("{ nothing }", "GRAPHQL_VALIDATION_FAILED"),
        ("subscription ($g: ID!) { gameUpdates(gameId: $g) { version } }", "BAD_USER_INPUT"),
        ('subscription { gameUpdates(gameId: "no id") { version } }', "UNKNOWN_GAME"),
        (ENDLESS, "NOT_SIGNED_IN"),
    ],
)
async def test_what_the_document_is_at_fault_for_is_told_as_an_event(site: Served, query: str, code: str) -> None:
    async with asked(site, query) as events:
        assert events.response.status_code == 200
        assert (await events.error())["code"] == code
        await events.over()


async def test_what_does_not_fit_one_follower_s_question_is_their_affair_alone(hall: Hall, site: Served) -> None:
    """Who asks in the same text, and whoever else stands around the game, are told what happens."""
    ann, bob = await hall.pair()
    game = await hall.game(ann, bob)
    before = (await hall.seen(None, game)).version

    async def junk() -> None:
        async with asked(site, FOLLOW, game=game_id(game), after="junk") as events:
            assert (await events.error())["code"] == "BAD_USER_INPUT"

    async def told(query: str, before: asyncio.Event) -> int:
        async with asked(site, query, game=game_id(game), after=None) as events:
            before.set()
            return int((await events.data())["gameUpdates"]["version"])

    bystander = FOLLOW.replace("mySeat", "mySeat status")
    async with asyncio.TaskGroup() as tasks:
        followers, begun = list[asyncio.Task[int]](), list[asyncio.Event]()
        for query in (FOLLOW, bystander, FOLLOW, FOLLOW):
            tasks.create_task(junk())
            begun.append(asyncio.Event())
            followers.append(tasks.create_task(told(query, begun[-1])))
        async with speaking(site) as speaker:
            await speaker.introduce()
            tasks.create_task(junk())
            await speaker.follow("1", game)
            await asyncio.gather(*(one.wait() for one in begun))
            around = hall.service._hub._tables[game].followers
            await until(lambda: len(around) == len(followers) + 1 and all(one.is_live for one in around))
            await hall.turns(game, 1)
            assert (await speaker.data("1"))["gameUpdates"]["version"] > before
    assert all(follower.result() > before for follower in followers)


async def test_what_the_request_is_at_fault_for_is_told_by_its_status(site: Served) -> None:
    async with httpx.AsyncClient() as client:
        for content, headers, status, code in (
            (b"{", {}, 400, "BAD_JSON"),
            (b"[]", {}, 400, "BAD_REQUEST"),
            (b'{"query": "{ __typename }"}', {"Content-Type": "text/plain"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
            (b'{"query": "{ __typename }"}', {"Authorization": "Bearer nobody"}, 401, "UNAUTHENTICATED"),
            (b"x" * 300_000, {}, 413, "BODY_TOO_LARGE"),
        ):
            given = {"Content-Type": "application/json", **EVENTS, **headers}
            answer = await client.post(site.url, content=content, headers=given)
            assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (status, code)


async def test_a_subscription_whose_answer_may_not_be_a_stream_is_refused(site: Served) -> None:
    async with httpx.AsyncClient() as client:
        for accept in ("application/json", "*/*", "text/event-stream;q=0, application/json"):
            answer = await client.post(site.url, json={"query": ENDLESS}, headers={"Accept": accept})
            assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (406, "STREAM_ONLY")
        several = {"Accept": "application/json, text/event-stream"}
        async with client.stream("POST", site.url, json={"query": ENDLESS}, headers=several) as response:
            assert (await Events(response).error())["code"] == "NOT_SIGNED_IN"


async def test_whoever_hangs_up_is_no_follower_any_more(hall: Hall, site: Served) -> None:
    ann, bob = await hall.pair()
    game = await hall.game(ann, bob)
    async with asked(site, FOLLOW, ann, game=game_id(game), after=0) as events:
        await events.data()
        assert game in hall.service._hub._tables
        assert site.connections._players[ann.player.id] == 1
    await until(lambda: game not in hall.service._hub._tables and not site.connections._open)
    assert ann.player.id not in site.connections._players


async def test_a_player_holds_so_many_streams_and_no_more(hall: Hall) -> None:
    ann = await hall.person()
    async with served(hall.service, Terms(player_max=1, process_max=2)) as site:
        async with asked(site, ENDLESS, ann), httpx.AsyncClient() as client:
            answer = await client.post(site.url, json={"query": ENDLESS}, headers=headers_of(ann))
            assert (answer.status_code, answer.json()["errors"][0]["extensions"]["facts"]) == (429, {"most": 1})
            async with asked(site, ENDLESS, await hall.person()):
                answer = await client.post(site.url, json={"query": ENDLESS}, headers=headers_of(None))
                assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        await until(lambda: not site.connections._open)
        async with asked(site, ENDLESS, ann) as events:
            assert events.response.status_code == 200


async def test_a_stream_says_now_and_then_that_it_is_alive(
    hall: Hall, site: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_streams, "ALIVE_SECONDS", 0.05)
    ann = await hall.person()
    async with asked(site, ENDLESS, ann) as events, asyncio.timeout(PATIENCE_SECONDS):
        said = b""
        async for chunk in events.response.aiter_bytes():
            said += chunk
            if said.count(b":\n\n") > 3:
                break
    assert said.replace(b":\n\n", b"") == b""


PAGE = "https://play.example"


@pytest.mark.parametrize(
    ("origins", "allowed"), [((PAGE,), PAGE), (("*",), "*"), (("https://other.example",), None), ((), None)]
)
async def test_a_page_of_another_origin_may_ask_and_follow_if_it_is_listed(
    hall: Hall, origins: tuple[str, ...], allowed: str | None
) -> None:
    before_asking = {
        "Origin": PAGE,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    async with served(hall.service, Terms(origins=origins)) as site, httpx.AsyncClient() as client:
        preflight = await client.options(site.url, headers=before_asking)
        assert preflight.is_success == (allowed is not None)
        assert preflight.headers.get("access-control-allow-origin") == allowed
        asking = await client.post(site.url, json={"query": "{ __typename }"}, headers={"Origin": PAGE})
        assert asking.headers.get("access-control-allow-origin") == allowed
        body = {"query": ENDLESS, "variables": {}}
        person = await hall.person()
        async with client.stream("POST", site.url, json=body, headers={**headers_of(person), "Origin": PAGE}) as events:
            assert events.headers.get("access-control-allow-origin") == allowed
