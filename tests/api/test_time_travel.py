"""Time travel: a game as it was at a version or a time, what changed between two, and its history by name and seat."""

import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.api.asking import Person, Table
from tests.api.test_queries import PAGE, pages
from tests.api.test_schema_contract import every_field

AT_TIME = "query ($id: ID!, $at: DateTime) { game(id: $id, atTime: $at) { %s } }"
FIELDS = "version headHash status awaiting myTurnSince legalTurns view { ... on GravwellView { hand } }"
DIFF = "query ($id: ID!, $from: Int!, $to: Int) { game(id: $id) { diff(from: $from, to: $to) } }"
EVENTS = "history(first: 100) { edges { node { version name actor recordedAt } } }"


def events(person: Person, game_id: str) -> list[dict[str, Any]]:
    return [edge["node"] for edge in person.game(game_id, EVENTS)["history"]["edges"]]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_a_game_at_a_time_is_what_its_viewer_knew_then(table: Table) -> None:
    known: dict[tuple[str, str], Any] = {}
    for _ in range(3):
        at = events(table.people[0], table.game_id)[-1]["recordedAt"]
        known |= {(person.handle, at): person.game(table.game_id, FIELDS) for person in table.people}
        time.sleep(0.01)
        table.play(1)
    for person in table.people:
        for (handle, at), seen in known.items():
            if handle == person.handle:
                assert person.ask(AT_TIME % FIELDS, id=table.game_id, at=at)["game"] == seen
                between = (moment(at) + timedelta(microseconds=1)).isoformat()
                assert person.ask(AT_TIME % FIELDS, id=table.game_id, at=between)["game"] == seen
                assert seen["view"]["hand"] is not None


def test_a_time_is_told_in_any_zone_and_without_one_in_utc(table: Table) -> None:
    person, last = table.people[0], events(table.people[0], table.game_id)[-1]
    at = moment(last["recordedAt"]).astimezone(UTC)
    texts = (at.isoformat(), at.replace(tzinfo=None).isoformat(), (at + timedelta(hours=5)).isoformat()[:-6] + "+05:00")
    for text in texts:
        game = person.ask(AT_TIME % "version", id=table.game_id, at=text)["game"]
        assert game == {"version": last["version"]}, text


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "2000-01-01T00:00:00Z"])
def test_before_its_first_event_there_is_no_game(still: Table, text: str) -> None:
    assert still.people[0].ask(AT_TIME % "version", id=still.game_id, at=text) == {"game": None}


def test_in_the_future_a_game_is_as_it_is_now(still: Table) -> None:
    game = still.people[0].ask(AT_TIME % "version", id=still.game_id, at="9999-12-31T23:59:59-14:00")["game"]
    assert game == {"version": still.version()}


def test_a_version_and_a_time_are_not_asked_for_together(still: Table) -> None:
    query = 'query ($id: ID!) { game(id: $id, at: 1, atTime: "2026-01-01T00:00:00Z") { version } }'
    assert still.people[0].error(query, id=still.game_id)["code"] == "AT_TWICE"


def test_whoever_had_not_come_yet_is_not_shown(ann: Person, bob: Person) -> None:
    game_id = ann.applied("openGame", ruleset="GRAVWELL", seats=2, start=False)["gameId"]
    bob.applied("takeSeat", gameId=game_id)
    bob.applied("leaveSeat", gameId=game_id)
    ann.applied("leaveSeat", gameId=ann.applied("openGame", ruleset="GRAVWELL", seats=2)["gameId"])
    query = "query ($id: ID!, $at: Int!) { game(id: $id, at: $at) { mySeat seats { player { handle } } } }"
    taken = next(event["version"] for event in events(ann, game_id)[::-1] if event["name"] == "game.seat_taken")
    bob.applied("takeSeat", gameId=game_id)
    before = bob.ask(query, id=game_id, at=taken - 1)["game"]
    assert before == {"mySeat": None, "seats": [{"player": {"handle": ann.handle}}, {"player": None}]}
    while_away = bob.ask(query, id=game_id, at=taken)["game"]
    assert while_away["mySeat"] is None, "who sat there then is not said to be who sits there now"


def test_a_difference_tells_what_the_viewer_saw_change(table: Table) -> None:
    table.play(1)
    before, person = table.version(), table.people[0]
    awaited = person.game(table.game_id, "awaiting")["awaiting"]
    table.play(1)
    versions = {"from": before, "to": table.version()}
    changes = person.ask(DIFF, id=table.game_id, **versions)["game"]["diff"]
    now = person.game(table.game_id, "awaiting")["awaiting"]
    assert awaited != now
    assert {"path": "awaiting[0]", "from": awaited[0], "to": now[0]} in changes
    assert any(change["path"].startswith("view.") for change in changes)
    assert not any(change["path"] == "status" for change in changes)
    back = person.ask(DIFF, id=table.game_id, **{"from": versions["to"], "to": before})["game"]["diff"]
    assert {"path": "awaiting[0]", "from": now[0], "to": awaited[0]} in back
    assert person.ask(DIFF, id=table.game_id, **{"from": before, "to": before}) == {"game": {"diff": []}}


def test_a_difference_from_the_beginning_shows_the_start(table: Table) -> None:
    changes = table.people[0].game(table.game_id, "diff")["diff"]
    by_path = {change["path"]: change for change in changes}
    assert by_path["status"] == {"path": "status", "from": "OPEN", "to": "RUNNING"}
    assert by_path["view"]["from"] is None
    assert "hand" in by_path["view"]["to"]


@pytest.mark.parametrize("title", ["Gravwell", "Novagravity", "Exoplanets"])
def test_a_difference_has_the_names_and_values_that_the_view_has(ann: Person, bob: Person, title: str) -> None:
    """From nothing, before the start, it comes to all that the view of a game shows."""
    game_id = ann.applied("openGame", ruleset=title.upper(), seats=2)["gameId"]
    bob.applied("takeSeat", gameId=game_id)
    for person in (ann, bob):
        fields = f"diff view {{ ... on {title}View {{ {every_field(f'{title}View')} }} }}"
        game = person.game(game_id, fields)
        assert {"path": "view", "from": None, "to": game["view"]} in game["diff"]


@pytest.mark.parametrize(("since", "to"), [(0, 1), (1, 10_000), (-1, None), (10_000, 1)])
def test_between_versions_not_reached_there_is_no_difference(still: Table, since: int, to: int | None) -> None:
    answer = still.people[0].ask(DIFF, **{"id": still.game_id, "from": since, "to": to})
    assert answer == {"game": {"diff": None}}


def test_a_game_as_of_a_version_has_no_difference_from_later(still: Table) -> None:
    query = "query ($id: ID!) { game(id: $id, at: 2) { diff(from: 1, to: 3) } }"
    assert still.people[0].ask(query, id=still.game_id) == {"game": {"diff": None}}


def test_too_many_differences_are_not_asked_for_at_once(still: Table) -> None:
    query = "{ games(first: 100) { edges { node { diff } } } }"
    assert still.people[0].error(query)["code"] == "TOO_MANY_ITEMS"


@pytest.mark.parametrize(
    ("given", "takes"),
    [
        ('names: ["gravwell.stack_drafted"]', lambda event: event["name"] == "gravwell.stack_drafted"),
        ('names: ["game.opened", "game.started"]', lambda event: event["name"] in ("game.opened", "game.started")),
        ("seat: 1", lambda event: event["actor"] == 1),
        (
            'names: ["gravwell.stack_drafted"], seat: 0',
            lambda event: (event["name"], event["actor"]) == ("gravwell.stack_drafted", 0),
        ),
        ("names: []", lambda event: False),
        ('names: ["no.such_event"]', lambda event: False),
        ("seat: 7", lambda event: False),
    ],
)
def test_a_history_is_filtered_and_read_both_ways(table: Table, given: str, takes: Any) -> None:
    table.play(5)
    person = table.people[0]
    wanted = [event["version"] for event in events(person, table.game_id) if takes(event)]
    forward = "query ($id: ID!, $cursor: String) { game(id: $id) { history(%s, first: 2, after: $cursor) { %s } } }"
    read = pages(person, forward % (given, PAGE % "version"), lambda data: data["game"]["history"], id=table.game_id)
    assert [event["version"] for page in read for event in page] == wanted
    backward = "query ($id: ID!, $cursor: String) { game(id: $id) { history(%s, last: 2, before: $cursor) { %s } } }"
    backward %= given, PAGE % "version"
    found, cursor = list[int](), None
    while True:
        history = person.ask(backward, id=table.game_id, cursor=cursor)["game"]["history"]
        found = [edge["node"]["version"] for edge in history["edges"]] + found
        if not history["pageInfo"]["hasPreviousPage"]:
            break
        cursor = history["pageInfo"]["startCursor"]
    assert found == wanted


def test_a_filter_takes_only_so_many_names(still: Table) -> None:
    query = "query ($id: ID!, $names: [String!]) { game(id: $id) { history(names: $names) { edges { cursor } } } }"
    error = still.people[0].error(query, id=still.game_id, names=["x"] * 51)
    assert (error["code"], error["facts"]) == ("TOO_MANY_NAMES", {"most": 50})


def test_a_game_is_followed_by_names_and_seats(table: Table) -> None:
    document = (
        "subscription ($id: ID!, $names: [String!]) { gameUpdates(gameId: $id, after: 0) {"
        " version all: events { version name } some: events(names: $names) { version } one: events(seat: 1) { version }"
        " } }"
    )  # fmt: skip
    table.play(3)
    wanted = events(table.people[0], table.game_id)
    body = {"query": document, "variables": {"id": table.game_id, "names": ["gravwell.stack_drafted"]}}
    headers = {"Accept": "text/event-stream"}
    with table.people[0].stream("POST", "/graphql", json=body, headers=headers) as answer:
        line = next(line for line in answer.iter_lines() if line.startswith("data: "))
    update = json.loads(line.removeprefix("data: "))["data"]["gameUpdates"]
    assert [event["version"] for event in update["all"]] == [event["version"] for event in wanted]
    drafted = [{"version": event["version"]} for event in wanted if event["name"] == "gravwell.stack_drafted"]
    assert update["some"] == drafted
    assert drafted
    assert update["one"] == [{"version": event["version"]} for event in wanted if event["actor"] == 1]
