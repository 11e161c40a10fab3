"""graphql-transport-ws, to the letter: every message, every code with which a connection closes, every limit."""

import asyncio
import json
import socket
from typing import Any

import pytest
from websockets.asyncio.client import connect

from domain.game import OpenGame
from schema.connections import Terms
from schema.sockets import ID_LENGTH_MAX
from service.hub import QUEUED_MAX
from service.seen import Visibility
from tests.following.hall import Hall, Served, game_id, served
from tests.following.speaking import PROTOCOL, Speaker, speaking, status_of
from tests.service.house import until

TYPENAME = "{ __typename }"
ENDLESS = "subscription { myGamesChanged { reason } }"


async def test_a_connection_begins_with_an_introduction_that_is_acknowledged(site: Served) -> None:
    async with speaking(site) as speaker:
        assert speaker.connection.subprotocol == PROTOCOL
        await speaker.introduce()


async def test_who_it_is_stands_in_the_introduction_or_else_in_the_header(hall: Hall, site: Served) -> None:
    ann, bob = await hall.pair()
    async with speaking(site, authorization=ann.authorization) as speaker:
        await speaker.introduce()
        await speaker.subscribe("1", "{ me { handle } }")
        assert await speaker.data("1") == {"me": {"handle": ann.player.handle}}
    async with speaking(site, authorization=ann.authorization) as speaker:
        await speaker.say({"type": "connection_init", "payload": {"authorization": bob.authorization}})
        await speaker.hear()
        await speaker.subscribe("1", "{ me { handle } }")
        assert await speaker.data("1") == {"me": {"handle": bob.player.handle}}


async def test_queries_and_mutations_are_answered_once(hall: Hall, site: Served) -> None:
    ann = await hall.person()
    async with speaking(site) as speaker:
        await speaker.introduce(ann)
        await speaker.subscribe("q", "query ($id: ID!) { game(id: $id) { version } }", id="game_of_nobody")
        assert await speaker.data("q") == {"game": None}
        assert await speaker.hear() == {"id": "q", "type": "complete"}
        opening = 'openGame(input: {key: "socket", ruleset: GRAVWELL, seats: 2}) { ... on Receipt { status } }'
        await speaker.subscribe("m", f"mutation {{ {opening} }}")
        assert await speaker.data("m") == {"openGame": {"status": "APPLIED"}}
        assert await speaker.hear() == {"id": "m", "type": "complete"}


async def test_a_game_is_followed_from_a_version_to_its_end(hall: Hall, site: Served) -> None:
    host = await hall.person()
    game = await hall.open(host.player, OpenGame("gravwell", 2))
    async with speaking(site) as speaker:
        await speaker.introduce(host)
        await speaker.follow("f", game, 1)
        update = (await speaker.data("f"))["gameUpdates"]
        assert update == {
            "version": 2,
            "events": [{"version": 2, "name": "game.seat_taken"}],
            "game": {"version": 2, "mySeat": 0},
        }
        await hall.leave(host, game)
        update = (await speaker.data("f"))["gameUpdates"]
        assert [event["name"] for event in update["events"]] == ["game.seat_left", "game.ended", "game.secret_opened"]
        assert await speaker.hear() == {"id": "f", "type": "complete"}


async def test_an_operation_completed_by_the_client_says_no_more(hall: Hall, site: Served) -> None:
    ann, bob = await hall.pair()
    game = await hall.game(ann, bob)
    async with speaking(site) as speaker:
        await speaker.introduce()
        await speaker.follow("f", game, 0)
        await speaker.data("f")
        await speaker.say({"type": "complete", "id": "f"})
        await speaker.say({"type": "complete", "id": "never begun"})
        await speaker.subscribe("q", TYPENAME)
        await speaker.data("q")
        assert await speaker.hear() == {"id": "q", "type": "complete"}
        await until(lambda: game not in hall.service._hub._tables)
        await speaker.follow("f", game, 0)  # the id is free again
        await speaker.data("f")


async def test_a_ping_is_answered_before_and_after_the_introduction(site: Served) -> None:
    async with speaking(site) as speaker:
        await speaker.say({"type": "ping"})
        assert await speaker.hear() == {"type": "pong"}
        await speaker.introduce()
        await speaker.say({"type": "pong"})
        await speaker.say({"type": "pong", "payload": {"any": "thing"}})
        await speaker.say({"type": "ping", "payload": {"n": [1, "ä"]}})
        assert await speaker.hear() == {"type": "pong", "payload": {"n": [1, "ä"]}}


@pytest.mark.parametrize(
    ("query", "variables", "code"),
    [
        ("{", {}, "GRAPHQL_PARSE_FAILED"),
        ("{ nothing }", {}, "GRAPHQL_VALIDATION_FAILED"),
        ("subscription { gameUpdates(gameId: 1.5) { version } }", {}, "GRAPHQL_VALIDATION_FAILED"),
        ("subscription { a: myGamesChanged { reason } b: myGamesChanged { reason } }", {}, "GRAPHQL_VALIDATION_FAILED"),
        ("query A { __typename } query B { __typename }", {}, "UNKNOWN_OPERATION"),
        ("subscription ($g: ID!) { gameUpdates(gameId: $g) { version } }", {}, "BAD_USER_INPUT"),
        ("subscription ($g: ID!) { gameUpdates(gameId: $g) { version } }", {"g": "\0"}, "BAD_TEXT"),
        ('subscription { gameUpdates(gameId: "no id") { version } }', {}, "UNKNOWN_GAME"),
        ('subscription { receiptChanged(id: "no id") { status } }', {}, "UNKNOWN_RECEIPT"),
        (ENDLESS, {}, "NOT_SIGNED_IN"),
    ],
)  # fmt: skip
async def test_what_cannot_be_answered_ends_with_an_error_that_has_a_code(
    site: Served, query: str, variables: dict[str, Any], code: str
) -> None:
    async with speaking(site) as speaker:
        await speaker.introduce()
        await speaker.subscribe("1", query, **variables)
        assert (await speaker.error("1"))["code"] == code
        await speaker.subscribe("1", TYPENAME)  # nothing else is lost, and the id is free
        await speaker.data("1")


async def test_after_beyond_the_head_or_below_0_is_refused_with_the_bounds(hall: Hall, site: Served) -> None:
    game = await hall.open((await hall.person()).player, OpenGame("gravwell", 2))
    async with speaking(site) as speaker:
        await speaker.introduce()
        for after in (3, -1):
            await speaker.follow("1", game, after)
            assert await speaker.error("1") == {
                "code": "AFTER_OUT_OF_RANGE",
                "facts": {"given": after, "least": 0, "most": 2},
            }


async def test_who_loses_sight_of_a_game_is_told_so(hall: Hall, site: Served) -> None:
    host, guest = await hall.pair()
    game = await hall.open(host.player, OpenGame("gravwell", 3), Visibility.PRIVATE)
    await hall.sit(guest, game)
    async with speaking(site) as speaker:
        await speaker.introduce(guest)
        await speaker.follow("1", game, 0)
        await speaker.data("1")
        await hall.leave(guest, game)
        assert (await speaker.error("1"))["code"] == "ACCESS_LOST"


async def test_a_token_that_is_revoked_ends_what_is_for_its_owner_s_eyes(hall: Hall, site: Served) -> None:
    ann, bob = await hall.pair()
    game = await hall.game(ann, bob)
    async with speaking(site) as speaker:
        await speaker.introduce(ann)
        await speaker.follow("1", game, 0)
        await speaker.data("1")
        (token,) = await hall.service.accounts.tokens(ann.player)
        await hall.service.accounts.revoke_token(ann.player, token.id)
        await hall.turns(game, 1)
        assert (await speaker.error("1"))["code"] == "UNAUTHENTICATED"


@pytest.mark.parametrize(
    "message",
    [
        "no JSON", "", "[]", "1", "null", "{}", '{"type": 1}', '{"type": "start"}', '{"type": "connection_ack"}',
        '{"type": "subscribe"}', '{"type": "subscribe", "id": "1"}', '{"type": "subscribe", "id": "1", "payload": {}}',
        '{"type": "subscribe", "id": 1, "payload": {"query": "{ __typename }"}}',
        '{"type": "subscribe", "id": "", "payload": {"query": "{ __typename }"}}',
        '{"type": "subscribe", "id": "\\ud800", "payload": {"query": "{ __typename }"}}',
        json.dumps({"type": "subscribe", "id": "x" * (ID_LENGTH_MAX + 1), "payload": {"query": TYPENAME}}),
        '{"type": "subscribe", "id": "1", "payload": {"query": 1}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "{ __typename }", "variables": []}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "{ __typename }", "operationName": 1}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "{ __typename }", "extensions": "x"}}',
        '{"type": "ping", "payload": "\\ud800"}', '{"type": "ping", "payload": NaN}', "[" * 100_000,
        '{"type": "ping", "payload": 1e999}',
        '{"type": "complete"}', '{"type": "complete", "id": 1}', b'{"type": "ping"}',
    ],
)  # fmt: skip
async def test_what_is_no_message_closes_with_4400(site: Served, message: str | bytes) -> None:
    async with speaking(site) as speaker:
        await speaker.introduce()
        await speaker.say(message)
        assert (await speaker.closed())[0] == 4400


@pytest.mark.parametrize("payload", ["x", [], 1, {"Authorization": 1}, {"authorization": ["Bearer x"]}])
async def test_an_introduction_that_makes_no_sense_closes_with_4400(site: Served, payload: object) -> None:
    async with speaking(site) as speaker:
        await speaker.say({"type": "connection_init", "payload": payload})
        assert (await speaker.closed())[0] == 4400


async def test_asking_before_the_introduction_closes_with_4401(site: Served) -> None:
    async with speaking(site) as speaker:
        await speaker.subscribe("1", TYPENAME)
        assert await speaker.closed() == (4401, "Unauthorized")


@pytest.mark.parametrize("authorization", ["Bearer nobody", "Basic eA==", "", "Bearer \ud800", "Bearer a\0b"])
async def test_a_token_that_is_not_valid_closes_with_4403(site: Served, authorization: str) -> None:
    async with speaking(site) as speaker:
        await speaker.say({"type": "connection_init", "payload": {"Authorization": authorization}})
        assert await speaker.closed() == (4403, "Forbidden")


@pytest.mark.parametrize("protocols", [(), ("graphql-ws",), ("chat", "soap")])
async def test_another_protocol_closes_with_4406(site: Served, protocols: tuple[str, ...]) -> None:
    async with connect(site.ws_url, subprotocols=protocols or None, compression=None) as connection:  # type: ignore[arg-type]
        assert await Speaker(connection).closed() == (4406, "Subprotocol not acceptable")


async def test_whoever_does_not_introduce_themselves_is_closed_with_4408(hall: Hall) -> None:
    async with served(hall.service, Terms(init_seconds=0.1)) as site:
        async with speaking(site) as speaker:
            await speaker.say({"type": "ping"})
            assert await speaker.hear() == {"type": "pong"}
            assert await speaker.closed() == (4408, "Connection initialisation timeout")
        async with speaking(site) as speaker:
            await speaker.introduce()
            await asyncio.sleep(0.2)
            await speaker.subscribe("1", TYPENAME)
            await speaker.data("1")


async def test_an_id_that_is_in_use_closes_with_4409(hall: Hall, site: Served) -> None:
    async with speaking(site) as speaker:
        await speaker.introduce(await hall.person())
        await speaker.subscribe("twice", ENDLESS)
        await speaker.subscribe("twice", TYPENAME)
        assert await speaker.closed() == (4409, "Subscriber for twice already exists")
    async with speaking(site) as speaker:  # a reason is short, whatever the id
        await speaker.introduce(await hall.person())
        for _ in range(2):
            await speaker.subscribe("é" * ID_LENGTH_MAX, ENDLESS)
        assert (await speaker.closed())[0] == 4409


async def test_a_second_introduction_closes_with_4429(site: Served) -> None:
    async with speaking(site) as speaker:
        await speaker.introduce()
        await speaker.say({"type": "connection_init"})
        assert await speaker.closed() == (4429, "Too many initialisation requests")


async def test_a_message_that_is_too_large_closes_with_1009(hall: Hall) -> None:
    async with served(hall.service) as site, speaking(site) as speaker:
        await speaker.introduce()
        await speaker.subscribe("1", "#" * 300_000 + TYPENAME)
        assert (await speaker.closed())[0] == 1009


async def test_a_bug_closes_with_4500_and_says_nothing(site: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_args: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr("schema.sockets.context_of", broken)
    async with speaking(site) as speaker:
        await speaker.say({"type": "connection_init"})
        assert await speaker.closed() == (4500, "Internal server error")


async def test_a_connection_carries_so_many_operations_at_a_time_and_no_more(hall: Hall) -> None:
    async with served(hall.service, Terms(operations_max=3)) as site, speaking(site) as speaker:
        await speaker.introduce(await hall.person())
        for operation_id in "abc":
            await speaker.subscribe(operation_id, ENDLESS)
        await speaker.subscribe("d", TYPENAME)
        assert await speaker.error("d") == {"code": "TOO_MANY_SUBSCRIPTIONS", "facts": {"most": 3}}
        await speaker.say({"type": "complete", "id": "a"})
        await speaker.subscribe("d", TYPENAME)
        await speaker.data("d")


async def test_who_asks_on_without_reading_the_answers_is_not_read_any_more(hall: Hall) -> None:
    asked, most, before = 20_000, 3, len(asyncio.all_tasks())
    async with served(hall.service, Terms(operations_max=most)) as site, speaking(site) as speaker:
        await speaker.introduce()
        transport: Any = speaker.connection.transport
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        transport.pause_reading()

        async def ask_on() -> None:
            for nth in range(asked):
                await speaker.subscribe(f"{nth:0250}", "{")

        asking, tasks = asyncio.create_task(ask_on()), 0
        for _ in range(100):
            await asyncio.wait([asking], timeout=0.02)
            tasks = max(tasks, len(asyncio.all_tasks()) - before)
        assert tasks < 2 * most + 12  # those of the server and of this test itself
        asking.cancel()
        transport.abort()


async def test_a_player_holds_so_many_connections_and_no_more(hall: Hall) -> None:
    ann, bob = await hall.pair()
    async with served(hall.service, Terms(player_max=2)) as site, speaking(site) as first:
        await first.introduce(ann)
        async with speaking(site) as second:
            await second.introduce(ann)
            async with speaking(site) as third:
                await third.say({"type": "connection_init", "payload": {"Authorization": ann.authorization}})
                assert await third.closed() == (4429, "Too many connections")
            for other in (bob, None):
                async with speaking(site) as another:
                    await another.introduce(other)
        await until(lambda: site.connections._players[ann.player.id] == 1)
        async with speaking(site) as another:
            await another.introduce(ann)


async def test_a_full_process_says_to_try_again_later(hall: Hall) -> None:
    async with served(hall.service, Terms(process_max=1)) as site:
        async with speaking(site) as only:
            await only.introduce()
            async with speaking(site) as other:
                assert await other.closed() == (1013, "Try again later")
        await until(lambda: not site.connections.is_full)
        async with speaking(site) as other:
            await other.introduce()


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:{port}", 101),
        ("https://127.0.0.1:{port}", 101),  # TLS may end before us
        ("https://play.example", 101),
        ("https://PLAY.example:443", 101),
        ("http://play.example", 403),
        ("https://play.example.evil.example", 403),
        ("http://127.0.0.1:1", 403),
        ("http://localhost:{port}", 403),
        ("null", 403),
        ("", 403),
    ],
)
async def test_a_page_of_another_origin_may_connect_only_if_it_is_listed(hall: Hall, origin: str, status: int) -> None:
    async with served(hall.service, Terms(origins=("https://play.example",))) as site:
        assert await status_of(site, origin=origin.format(port=site.port)) == status


async def test_no_origin_is_no_page_and_may_connect_and_a_star_lists_all(hall: Hall, site: Served) -> None:
    assert await status_of(site) == 101
    assert await status_of(site, origin="https://play.example") == 403
    async with served(hall.service, Terms(origins=("*",))) as open_site:
        assert await status_of(open_site, origin="https://play.example") == 101


async def test_a_connection_that_does_not_keep_up_is_told_where_to_go_on(hall: Hall, site: Served) -> None:
    ann, bob = await hall.pair()
    game = await hall.game(ann, bob)
    rules = " ".join(f"r{nth}: ruleset {{ rules }}" for nth in range(30))
    bulky = f"subscription ($game: ID!) {{ gameUpdates(gameId: $game, after: 0) {{ version game {{ {rules} }} }} }}"
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    narrow.connect(("127.0.0.1", site.port))
    async with connect(site.ws_url, sock=narrow, subprotocols=[PROTOCOL], compression=None, max_queue=1) as connection:
        speaker = Speaker(connection)
        await speaker.introduce()
        await speaker.subscribe("slow", bulky, game=game_id(game))
        seen = (await speaker.data("slow"))["gameUpdates"]["version"]
        connection.transport.pause_reading()
        hub = hall.service._hub
        while game in hub._tables:
            await hall.turns(game, 1)
        connection.transport.resume_reading()
        while (message := await speaker.hear())["type"] == "next":
            assert message["payload"]["data"]["gameUpdates"]["version"] > seen
            seen = message["payload"]["data"]["gameUpdates"]["version"]
        (error,) = message["payload"]
        assert error["extensions"] == {"code": "LAGGED", "facts": {"after": seen}}
        await speaker.follow("again", game, seen)
        update = (await speaker.data("again"))["gameUpdates"]
        assert update["events"][0]["version"] == seen + 1
        assert update["version"] - seen > QUEUED_MAX


async def test_what_is_asked_with_other_variables_has_its_own_answer(hall: Hall, site: Served) -> None:
    """Followers who ask alike share an answer; whoever differs in a variable that matters does not."""
    ann, bob = await hall.pair()
    game = await hall.game(ann, bob)
    query = """subscription ($game: ID!, $after: Int, $first: Int, $seats: Boolean!) {
        gameUpdates(gameId: $game, after: $after) {
          version game { history(first: $first) { edges { cursor } } seats @include(if: $seats) { index } } } }"""
    before = (await hall.seen(None, game)).version
    async with speaking(site) as speaker:
        await speaker.introduce()
        asked = ("a", 0, 1, True), ("b", 1, 2, True), ("c", 2, 1, False), ("d", 0, 2, True)
        for operation_id, after, first, seats in asked:
            await speaker.subscribe(operation_id, query, game=game_id(game), after=after, first=first, seats=seats)
            await speaker.data(operation_id)
        await hall.turns(game, 1)
        messages = [await speaker.hear() for _ in asked]
    told = {message["id"]: message["payload"]["data"]["gameUpdates"] for message in messages}
    sizes = {operation_id: len(update["game"]["history"]["edges"]) for operation_id, update in told.items()}
    assert sizes == {"a": 1, "b": 2, "c": 1, "d": 2}
    assert {operation_id for operation_id, update in told.items() if "seats" in update["game"]} == {"a", "b", "d"}
    assert all(update["version"] > before for update in told.values())
