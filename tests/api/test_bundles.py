"""Bundles over HTTP: where a game says its bundle is, whoever may see the game gets it, and it verifies."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.bundle import read
from schema import ids
from service.verifying import verify
from tests.api.asking import Person, Table, seated
from tests.verifier import second


def address_of(person: Person, game_id: str) -> str:
    address: str = person.game(game_id, "export")["export"]
    return address


def test_a_game_that_goes_on_is_had_in_its_public_form_by_everybody_alike(still: Table, nobody: Person) -> None:
    answers = [person.get(address_of(person, still.game_id)) for person in (*still.people, nobody)]
    assert {answer.status_code for answer in answers} == {200}
    (data,) = {answer.content for answer in answers}
    bundle = read(data)
    assert all(event.secret is None for event in bundle.events)
    assert bundle.head.row.hash.hex() == nobody.game(still.game_id, "headHash")["headHash"]
    assert str(bundle.header.game) == str(ids.game_of(still.game_id))
    verify(bundle)
    second.found_in(data)


def test_it_comes_as_a_file_of_json_lines_that_nobody_keeps(still: Table, nobody: Person) -> None:
    answer = nobody.get(address_of(nobody, still.game_id))
    assert answer.headers["content-type"].split(";")[0] == "application/jsonl"
    assert answer.headers["content-disposition"] == f'attachment; filename="{still.game_id}.jsonl"'
    assert answer.headers["cache-control"] == "no-store"


def test_a_game_that_has_ended_is_had_whole_and_verifies(table: Table, nobody: Person) -> None:
    table.play(10)
    table.people[0].applied("resign", gameId=table.game_id)
    data = nobody.get(address_of(nobody, table.game_id)).content
    verified = verify(read(data))
    assert verified.judged
    outcome = nobody.game(table.game_id, "outcome { reason ranking }")["outcome"]
    assert second.found_in(data).ending == (outcome["reason"], outcome["ranking"])
    openings = {(one.version, one.field): (one.value, one.salt) for one in second.found_in(data).openings}
    history = nobody.game(table.game_id, "history(first: 100) { edges { node { version opened } } }")["history"]
    told: dict[Any, Any] = {
        (edge["node"]["version"], field): (one["value"], one["salt"])
        for edge in history["edges"]
        for field, one in edge["node"]["opened"].items()
    }
    assert openings == told


def test_a_private_game_is_had_by_those_who_may_see_it_alone(
    join: Callable[[str], Person], ann: Person, nobody: Person
) -> None:
    game_id = ann.applied("openGame", ruleset="GRAVWELL", seats=2, visibility="PRIVATE")["gameId"]
    address = address_of(ann, game_id)
    assert ann.get(address).status_code == 200
    for stranger in (join("stranger"), nobody):
        answer = stranger.get(address)
        assert answer.status_code == 404
        assert answer.json()["errors"][0]["extensions"]["code"] == "UNKNOWN_GAME"
        assert game_id not in answer.text


@pytest.mark.parametrize(
    "name", ["game_AAAA.jsonl", "x", ".jsonl", "game_AAAAAAAAAAAAAAAAAAAAAA.jsonl", "%2e%2e.jsonl"]
)
def test_what_is_no_game_is_not_found(nobody: Person, name: str) -> None:
    assert nobody.get(f"/bundles/{name}").status_code == 404


def test_a_token_that_is_not_valid_is_refused_and_nothing_can_be_sent(still: Table, api: Any, nobody: Person) -> None:
    address = address_of(nobody, still.game_id)
    with Person(api.address, "not-a-token") as forger:
        assert forger.get(address).status_code == 401
    assert nobody.post(address).status_code == 405


def test_a_game_that_was_played_here_is_not_an_imported_one(ann: Person, bob: Person) -> None:
    assert ann.game(seated(ann, bob).game_id, "imported") == {"imported": False}
