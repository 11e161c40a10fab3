"""What is published for whoever checks us: keys, checkpoints, proofs, and receipts signed when they are asked for."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import psycopg
import pytest

from domain.merkle import Span, grown
from domain.stream import Row
from schema import ids
from service import store
from service.anchors import anchored, checkpoint_in, grew
from service.checkpoints import make_checkpoint
from service.keyring import Keyring
from service.receipts import vouched
from service.signing import keys_in
from tests.api.asking import Person, Table
from tests.api.serve import PRIVATE_KEY
from tests.api.server import Serving

KEYS = "/.well-known/slowlight-keys.json"
ANCHOR = "anchor { version hash place path checkpoint { number text signature } }"
SIGNED = "signed { accepted { text key signature } settled { text key signature } opened }"


def got(person: Person, path: str) -> Any:
    answer = person.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["access-control-allow-origin"] == "*"
    return answer.json()


async def checkpoint_now(api: Serving) -> int:
    async with await store.connect(api.database_url) as connection:
        made = await make_checkpoint(connection, Keyring(PRIVATE_KEY))
    assert made is not None
    return made.number


def game_of(text: str) -> UUID:
    game = ids.game_of(text)
    assert game is not None
    return game


def stream(api: Serving, game_id: str) -> list[Row]:
    query = "select version, public, null, prev_hash, hash from events where game_id = %s order by version"
    with psycopg.connect(api.database_url) as connection:
        return [Row(*row) for row in connection.execute(query, (game_of(game_id),)).fetchall()]


def test_the_keys_stand_at_the_well_known_address_and_in_the_api(nobody: Person) -> None:
    document = got(nobody, KEYS)
    assert keys_in(document) == {one["key"]: None for one in document["keys"]}
    listed = nobody.ask("{ keys { keys { key since until by endorsement } signed { text key signature } } }")["keys"]
    assert [one["key"] for one in listed["keys"]] == [one["key"] for one in document["keys"]]
    assert keys_in(listed["signed"]) == keys_in(document)
    assert PRIVATE_KEY not in json.dumps([document, listed])


def test_a_receipt_is_signed_when_it_is_asked_for(api: Serving, nobody: Person, table: Table) -> None:
    person, turns = table.awaited()
    keys = keys_in(got(nobody, KEYS))
    mutation = "mutation ($input: SubmitTurnInput!) { submitTurn(input: $input) { ... on Receipt { id version %s } } }"
    given = {"key": "signed", "gameId": table.game_id, "turn": turns[0]}
    receipt = person.ask(mutation % SIGNED, input=given)["submitTurn"]
    again = person.ask(f"query ($id: ID!) {{ receipt(id: $id) {{ {SIGNED} }} }}", id=receipt["id"])["receipt"]
    assert receipt["signed"] == again["signed"]
    version = vouched(receipt["signed"], keys, game_of(table.game_id), stream(api, table.game_id))
    assert version == receipt["version"]
    other = next(one for one in table.people if one is not person)
    answer = other.ask(f"query ($id: ID!) {{ receipt(id: $id) {{ {SIGNED} }} }}", id=receipt["id"])
    assert answer == {"receipt": None}


async def test_a_game_is_anchored_in_the_newest_checkpoint(api: Serving, nobody: Person, table: Table) -> None:
    assert table.people[0].game(table.game_id, ANCHOR) == {"anchor": None}
    number = await checkpoint_now(api)
    keys = keys_in(got(nobody, KEYS))
    rows, game = stream(api, table.game_id), game_of(table.game_id)
    for anchor in (
        nobody.game(table.game_id, ANCHOR)["anchor"],
        got(nobody, f"/checkpoints/newest/games/{table.game_id}.json"),
        got(nobody, f"/checkpoints/{number}/games/{table.game_id}.json"),
    ):
        found = anchored(anchor, keys, game, rows)
        assert (found.version, found.checkpoint.number) == (len(rows), number)


async def test_the_log_is_shown_to_have_grown(api: Serving, nobody: Person, table: Table) -> None:
    keys = keys_in(got(nobody, KEYS))
    numbers = []
    for _ in range(3):
        numbers.append(await checkpoint_now(api))
        table.play(1)
    older, newer = (checkpoint_in(got(nobody, f"/checkpoints/{number}.json"), keys) for number in numbers[::2])
    path = got(nobody, f"/checkpoints/{newer.number}/consistency/{older.number}.json")["path"]
    grew(older, newer, path)
    query = "query ($number: Int, $since: Int) { checkpoint(number: $number) { size consistency(since: $since) } }"
    answer = nobody.ask(query, number=newer.number, since=older.number)["checkpoint"]
    assert answer == {"size": newer.size, "consistency": path}
    assert nobody.ask(query)["checkpoint"]["size"] == newer.size


async def test_the_root_is_computed_from_the_published_leaves(api: Serving, nobody: Person, table: Table) -> None:
    await checkpoint_now(api)
    newest = nobody.ask("{ checkpoint { number size root leaves } }")["checkpoint"]
    leaves = [bytes.fromhex(leaf) for leaf in newest["leaves"]]
    assert len(leaves) == newest["size"]
    assert Span(0, len(leaves)).hash(grown(0, {}, leaves)).hex() == newest["root"]
    rest = got(nobody, f"/checkpoints/{newest['number']}/leaves/1.json")
    assert rest == {"start": 1, "size": newest["size"], "leaves": newest["leaves"][1:]}


async def test_a_private_game_is_anchored_for_those_who_may_see_it(
    api: Serving, nobody: Person, join: Callable[[str], Person]
) -> None:
    host = join("host")
    game_id = host.applied("openGame", ruleset="GRAVWELL", seats=2, visibility="PRIVATE")["gameId"]
    await checkpoint_now(api)
    path = f"/checkpoints/newest/games/{game_id}.json"
    found = anchored(got(host, path), keys_in(got(nobody, KEYS)), game_of(game_id), stream(api, game_id))
    assert found.version == host.game(game_id, "version")["version"]
    for person in (nobody, join("stranger")):
        assert person.get(path).status_code == 404
        missing = person.get("/checkpoints/newest/games/game_AAAAAAAAAAAAAAAAAAAAAA.json")
        assert person.get(path).content == missing.content


@pytest.mark.parametrize(
    "path",
    [
        "/checkpoints/0.json",
        "/checkpoints/99999.json",
        "/checkpoints/-1.json",
        "/checkpoints/99999999999.json",
        "/checkpoints/x.json",
        "/checkpoints/newest/consistency/0.json",
        "/checkpoints/newest/consistency/99999.json",
        "/checkpoints/newest/leaves/x.json",
        "/checkpoints/newest/games/x.json",
        "/checkpoints/1/games/game_AAAAAAAAAAAAAAAAAAAAAA.json",
    ],
)
def test_what_is_not_there_is_not_found(nobody: Person, path: str) -> None:
    answer = nobody.get(path)
    assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (404, "NOT_FOUND")


def test_a_token_that_is_not_valid_is_refused_here_too(api: Serving, still: Table) -> None:
    with Person(api.address, "no token") as person:
        answer = person.get(f"/checkpoints/newest/games/{still.game_id}.json")
    assert answer.status_code == 401


def test_nothing_published_takes_anything_but_a_get(nobody: Person) -> None:
    assert nobody.post(KEYS).status_code == 405
