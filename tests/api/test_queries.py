"""What can be asked, of the real service: games and their histories by pages, ids, receipts, tokens, titles."""

import hashlib
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tests.api.asking import Person, Table, seated
from tests.api.server import Serving


def pages(person: Person, query: str, path: Callable[[Any], Any], **variables: Any) -> list[list[Any]]:
    """The nodes of a connection, a page each, from cursor to cursor until there is no next page."""
    found, cursor = [], None
    while True:
        connection = path(person.ask(query, cursor=cursor, **variables))
        found.append([edge["node"] for edge in connection["edges"]])
        page = connection["pageInfo"]
        assert page["hasPreviousPage"] is (cursor is not None)
        if connection["edges"]:
            assert page["startCursor"] == connection["edges"][0]["cursor"]
            assert page["endCursor"] == connection["edges"][-1]["cursor"]
        if not page["hasNextPage"]:
            return found
        cursor = page["endCursor"]


VERSIONS = "edges { cursor node { version } }"
PAGE = "edges { cursor node { %s } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }"


def test_a_history_is_read_forward_by_pages_without_a_gap(table: Table) -> None:
    table.play(7)
    query = "query ($id: ID!, $cursor: String) { game(id: $id) { history(first: 5, after: $cursor) { %s } } }"
    read = pages(
        table.people[0], query % (PAGE % "version"), lambda data: data["game"]["history"], id=table.game_id
    )  # fmt: skip
    assert [event["version"] for page in read for event in page] == list(range(1, table.version() + 1))
    assert {len(page) for page in read[:-1]} == {5}


def test_a_history_is_read_backward_from_its_end(table: Table) -> None:
    table.play(3)
    person, head = table.people[0], table.version()
    query = "query ($id: ID!, $cursor: String) { game(id: $id) { history(last: 4, before: $cursor) { %s } } }"
    query %= PAGE % "version"
    last = person.ask(query, id=table.game_id)["game"]["history"]
    assert [edge["node"]["version"] for edge in last["edges"]] == list(range(head - 3, head + 1))
    assert (last["pageInfo"]["hasPreviousPage"], last["pageInfo"]["hasNextPage"]) == (True, False)
    before = person.ask(query, id=table.game_id, cursor=last["pageInfo"]["startCursor"])["game"]["history"]
    assert [edge["node"]["version"] for edge in before["edges"]] == list(range(head - 7, head - 3))
    assert before["pageInfo"]["hasNextPage"] is True


def test_a_history_between_two_cursors_holds_what_lies_between(still: Table) -> None:
    person = still.people[0]
    edges = person.game(still.game_id, f"history(first: 100) {{ {VERSIONS} }}")["history"]["edges"]
    history = f"history(after: $after, before: $before) {{ {VERSIONS} }}"
    query = f"query ($id: ID!, $after: String, $before: String) {{ game(id: $id) {{ {history} }} }}"
    between = person.ask(query, id=still.game_id, after=edges[0]["cursor"], before=edges[-1]["cursor"])
    assert between["game"]["history"]["edges"] == edges[1:-1]


def test_events_are_chained_as_the_format_says(table: Table) -> None:
    table.play(3)
    fields = "history(first: 100) { edges { node { name version canonical prevHash hash recordedAt data sealed } } }"
    game = table.people[0].game(table.game_id, f"headHash {fields}")
    previous = None
    for edge in game["history"]["edges"]:
        event = edge["node"]
        assert previous in {None, event["prevHash"]}
        text = bytes.fromhex(event["prevHash"]) + event["canonical"].encode()
        assert event["hash"] == hashlib.sha256(text).hexdigest()
        public = json.loads(event["canonical"])
        assert (public["name"], public["version"], public["sealed"]) == (
            event["name"],
            event["version"],
            event["sealed"],
        )
        assert event["data"].items() >= public["data"].items()
        assert datetime.fromisoformat(event["recordedAt"]) == datetime.fromisoformat(public["at"])
        previous = event["hash"]
    assert previous == game["headHash"]


def test_a_game_at_a_version_is_what_its_viewer_knew_then(table: Table) -> None:
    fields = "version headHash status awaiting myTurnSince legalTurns view { ... on GravwellView { hand } }"
    known: dict[tuple[str, int], Any] = {}
    for _ in range(4):
        known |= {(person.handle, table.version()): person.game(table.game_id, fields) for person in table.people}
        table.play(1)
    query = f"query ($id: ID!, $at: Int) {{ game(id: $id, at: $at) {{ {fields} }} }}"
    for person in table.people:
        for handle, version in known:
            if handle == person.handle:
                assert person.ask(query, id=table.game_id, at=version)["game"] == known[handle, version]


def test_a_game_at_its_first_version_is_open_and_has_no_view(table: Table) -> None:
    query = (
        "query ($id: ID!) { game(id: $id, at: 1) { version status view { __typename } legalTurns"
        " history(first: 100) { edges { node { __typename version } } } } }"
    )
    assert table.people[0].ask(query, id=table.game_id)["game"] == {
        "version": 1,
        "status": "OPEN",
        "view": None,
        "legalTurns": [],
        "history": {"edges": [{"node": {"__typename": "GameOpened", "version": 1}}]},
    }


def test_a_game_tells_who_sits_where(ann: Person, bob: Person) -> None:
    game_id = ann.applied("openGame", ruleset="GRAVWELL", seats=4, bots=1)["gameId"]
    bob.applied("takeSeat", gameId=game_id, seat=2)
    fields = "mySeat seats { index bot player { handle } awaited retired }"
    free = {"bot": False, "player": None, "awaited": False, "retired": False}
    assert bob.game(game_id, fields) == {
        "mySeat": 2,
        "seats": [
            {**free, "index": 0, "player": {"handle": ann.handle}},
            {**free, "index": 1},
            {**free, "index": 2, "player": {"handle": bob.handle}},
            {**free, "index": 3, "bot": True},
        ],
    }


def test_every_turn_that_is_offered_is_taken_as_it_stands(table: Table) -> None:
    for _ in range(12):
        person, turns = table.awaited()
        offered = person.game(table.game_id, "myTurnSince legalTurns")
        person.applied(
            "submitTurn", gameId=table.game_id, turn=turns[-1], expectedVersion=offered["myTurnSince"]
        )  # fmt: skip


def test_a_receipt_tells_its_sender_what_came_of_the_submission(table: Table) -> None:
    person, turns = table.awaited()
    receipt = person.applied("submitTurn", key="tell", gameId=table.game_id, turn=turns[2])
    fields = "key gameId status version hash receivedAt events { __typename version actor summary } refusal { code }"
    found = person.ask(f"query ($id: ID!) {{ receipt(id: $id) {{ {fields} }} }}", id=receipt["id"])["receipt"]
    (event,) = found["events"]
    assert event["__typename"] == "GravwellStackDrafted"
    assert (event["version"], event["actor"]) == (found["version"], person.game(table.game_id, "mySeat")["mySeat"])
    assert (found["key"], found["gameId"], found["status"]) == ("tell", table.game_id, "APPLIED")
    assert found["hash"] == person.game(table.game_id, "headHash")["headHash"]


def test_whatever_has_an_id_is_found_by_it(table: Table) -> None:
    person, turns = table.awaited()
    receipt = person.applied("submitTurn", gameId=table.game_id, turn=turns[0])
    player = person.ask("{ me { id } }")["me"]
    for found in (receipt, player, {"id": table.game_id}):
        kind = "Receipt" if found is receipt else "Player" if found is player else "Game"
        answer = person.ask("query ($id: ID!) { node(id: $id) { __typename id } }", id=found["id"])["node"]
        assert answer == {"__typename": kind, "id": found["id"]}


def test_public_games_are_listed_newest_first_by_pages(join: Callable[[str], Person]) -> None:
    host = join("host")
    opened = [host.applied("openGame", ruleset="TOY", seats=2)["gameId"] for _ in range(5)]
    hidden = [
        host.applied("openGame", ruleset="TOY", seats=2, visibility=way)["gameId"] for way in ("UNLISTED", "PRIVATE")
    ]
    query = "query ($cursor: String) { games(status: OPEN, ruleset: TOY, first: 2, after: $cursor) { %s } }"
    read = pages(join("looker"), query % (PAGE % "id status ruleset { name }"), lambda data: data["games"])
    listed = [game["id"] for page in read for game in page]
    assert [game_id for game_id in listed if game_id in opened] == opened[::-1]
    assert not set(hidden) & set(listed)
    assert all(game["status"] == "OPEN" and game["ruleset"]["name"] == "TOY" for page in read for game in page)


def test_an_unlisted_game_is_seen_by_who_has_its_id(ann: Person, nobody: Person) -> None:
    game_id = ann.applied("openGame", ruleset="GRAVWELL", seats=2, visibility="UNLISTED")["gameId"]
    assert nobody.game(game_id, "visibility joinSecret") == {"visibility": "UNLISTED", "joinSecret": None}


def test_ones_own_games_are_those_one_sits_in_or_hosts(join: Callable[[str], Person]) -> None:
    host, guest = join("host"), join("guest")
    hosted = host.applied("openGame", ruleset="GRAVWELL", seats=2, sit=False, visibility="PRIVATE")["gameId"]
    shared = seated(host, guest).game_id
    alone = host.applied("openGame", ruleset="GRAVWELL", seats=2)["gameId"]
    query = "query ($cursor: String, $me: Boolean) { myGames(awaitingMe: $me, first: 1, after: $cursor) { %s } }"
    query %= PAGE % "id"

    def mine(person: Person, *, me: bool | None = None) -> list[str]:
        return [game["id"] for page in pages(person, query, lambda data: data["myGames"], me=me) for game in page]

    assert mine(host) == [alone, shared, hosted]
    assert mine(guest) == [shared]
    awaited, other = (host, guest) if host.turns(shared) else (guest, host)
    assert mine(awaited, me=True) == [shared]
    assert shared not in mine(other, me=True)


def test_nobody_has_no_games_and_no_tokens(nobody: Person) -> None:
    assert nobody.ask(
        "{ me { id } myTokens { id } myGames { edges { cursor } pageInfo { hasNextPage endCursor } } }"
    ) == {
        "me": None,
        "myTokens": [],
        "myGames": {"edges": [], "pageInfo": {"hasNextPage": False, "endCursor": None}},
    }


def test_the_titles_are_listed_with_their_rules(nobody: Person) -> None:
    titles = nobody.ask("{ rulesets { name title version minSeats maxSeats summary rules } }")["rulesets"]
    assert [title["name"] for title in titles] == sorted(title["name"] for title in titles)
    gravwell = next(title for title in titles if title["name"] == "GRAVWELL")
    assert (gravwell["title"], gravwell["minSeats"], gravwell["maxSeats"]) == ("Gravwell", 2, 4)
    assert "Emergency Stop" in gravwell["rules"]


def test_a_token_is_made_listed_used_and_revoked(ann: Person, api: Serving) -> None:
    query = 'mutation { createToken(name: "my bot") { ... on TokenCreated { token entry { id name lastUsedAt } } } }'
    made = ann.ask(query)["createToken"]
    assert made["entry"]["name"] == "my bot"
    listed = ann.ask("{ myTokens { id name lastUsedAt } }")["myTokens"]
    assert [token["name"] for token in listed] == ["first", "my bot"]
    assert made["token"] not in json.dumps(listed)
    with Person(api.address, made["token"]) as bot:
        assert bot.ask("{ me { handle } }")["me"] == {"handle": ann.handle}
        revoked = ann.ask(
            "mutation ($id: ID!) { revokeToken(id: $id) { __typename ... on TokenRevoked { id } } }",
            id=made["entry"]["id"],
        )
        assert revoked["revokeToken"] == {"__typename": "TokenRevoked", "id": made["entry"]["id"]}
        assert bot.send_query("{ me { handle } }").status_code == 401
    assert ann.ask("{ me { handle } }")["me"] == {"handle": ann.handle}


@pytest.mark.parametrize("text", ["", "token_AAAAAAAAAAAAAAAAAAAAAA", "nonsense"])
def test_only_ones_own_tokens_are_revoked(ann: Person, bob: Person, text: str) -> None:
    theirs = bob.ask("{ myTokens { id } }")["myTokens"][0]["id"]
    query = "mutation ($id: ID!) { revokeToken(id: $id) { __typename ... on Refusal { code } } }"
    for token_id in (text, theirs):
        assert ann.ask(query, id=token_id)["revokeToken"] == {"__typename": "Refusal", "code": "UNKNOWN_TOKEN"}
    assert bob.ask("{ me { handle } }")["me"] == {"handle": bob.handle}


def test_registering_again_with_the_key_gives_a_new_token_until_one_is_used(nobody: Person, api: Serving) -> None:
    wanted = "... on Registered { token player { id } } ... on Refusal { code }"
    query = f'mutation {{ register(input: {{handle: "twice", key: "k"}}) {{ {wanted} }} }}'
    first, second = (nobody.ask(query)["register"] for _ in range(2))
    assert first["player"] == second["player"]
    assert first["token"] != second["token"]
    with Person(api.address, second["token"]) as twice:
        assert twice.ask("{ me { id } }")["me"] == first["player"]
    assert nobody.ask(query)["register"] == {"code": "HANDLE_TAKEN"}
