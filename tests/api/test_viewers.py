"""Who sees what: whatever is asked, by whomever, no byte that leaves holds a secret that is not theirs."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any
from uuid import UUID

import httpx
import psycopg
import pytest
from graphql import (
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    build_client_schema,
    get_introspection_query,
    get_named_type,
)

from domain.stream import receipt_salt, salt_of
from schema import ids
from tests.api.asking import SUBMITTED, Person
from tests.api.server import Serving

SEATS = ("owner", "rival", "slow", "bot")
VIEWERS = ("owner", "rival", "host", "stranger", "anonymous")
FIRST, LATER, OTHERS = 1_300_000_001, 1_400_000_003, 1_500_000_007
"""What the owner hides, what the owner hides over it, and what the rival hides."""


@dataclass
class Scene:
    """A public game that waits for its slowest seat, a private one, and all that each viewer has been answered."""

    people: dict[str, Person]
    public: str
    private: str
    receipts: dict[str, str]
    heard: dict[str, bytes] = field(default_factory=dict)

    def listen(self) -> None:
        """Keep every byte of an answer from here on."""
        for name, person in self.people.items():
            self.heard[name] = b""
            person.event_hooks = {"response": [partial(self._hear, name)]}

    def _hear(self, name: str, answer: httpx.Response) -> None:
        self.heard[name] += b"\n".join(b": ".join(header) for header in answer.headers.raw) + answer.read()


@dataclass(frozen=True)
class Canary:
    """A text that only some may be sent."""

    what: str
    text: str
    allowed: frozenset[str]


@pytest.fixture(scope="module")
def scene(join: Callable[[str], Person], nobody: Person, api: Serving) -> Iterator[Scene]:
    """The games as they stand before the slowest seat has chosen."""
    people = {name: join(name) for name in ("owner", "rival", "slow", "host", "stranger")}
    host = people["host"]
    opening = {"ruleset": "VAULT", "sit": False}
    public = host.applied("openGame", **opening, seats=4, bots=1)["gameId"]
    private = host.applied("openGame", **opening, seats=2, visibility="PRIVATE")["gameId"]
    secret = host.game(private, "joinSecret")["joinSecret"]
    for name in SEATS[:3]:
        people[name].applied("takeSeat", gameId=public)
    for name in SEATS[:2]:
        people[name].applied("takeSeat", gameId=private, joinSecret=secret)
    receipts = {
        "first": people["owner"].applied("submitTurn", key="first", gameId=public, turn=hide(FIRST))["id"],
        "later": people["owner"].applied("submitTurn", gameId=public, turn=hide(LATER))["id"],
        "other": people["rival"].applied("submitTurn", gameId=public, turn=hide(OTHERS))["id"],
        "private": people["owner"].applied("submitTurn", gameId=private, turn=hide(FIRST + 1))["id"],
    }
    await_bot(host, public)
    with Person(api.address) as anonymous:
        scene = Scene({**people, "anonymous": anonymous}, public, private, receipts)
        scene.listen()
        yield scene


def await_bot(host: Person, game_id: str) -> None:
    """Wait until the house bot has taken its turn, and only the slowest seat is left."""
    for _ in range(400):
        if host.game(game_id, "awaiting")["awaiting"] == [SEATS.index("slow")]:
            return
        time.sleep(0.05)
    raise AssertionError("the house bot takes no turn")


def hide(number: int) -> dict[str, Any]:
    return {"vault": {"hide": {"number": number}}}


def canaries(api: Serving, scene: Scene) -> list[Canary]:
    """Every secret there is of the two games, as the store keeps it, and every token."""
    found = [
        Canary(f"token of {name}", person.token, frozenset()) for name, person in scene.people.items() if person.token
    ]
    with psycopg.connect(api.database_url) as database:
        for game_id in (scene.public, scene.private):
            game = ids.game_of(game_id)
            ((secret, join_secret),) = database.execute(
                "select secret, join_secret from games where game_id = %s", [game]
            ).fetchall()
            found.append(Canary("secret of a game", secret.hex(), frozenset()))
            if join_secret:
                found.append(Canary("join secret", join_secret, frozenset({"host", "owner", "rival"})))
            for name, receipt in scene.receipts.items():
                of, submission = ids.receipt_of(receipt) or (None, None)
                if submission is not None and of == game:
                    sender = "rival" if name == "other" else "owner"
                    salt = receipt_salt(secret, submission).hex()
                    found.append(Canary(f"salt of the receipt {name}", salt, frozenset({sender})))
            events = database.execute(
                "select version, public, secret from events where game_id = %s and secret is not null", [game]
            ).fetchall()
            for version, public, sealed in events:
                for name, value in json.loads(sealed).items():
                    allowed = frozenset(SEATS[seat] for seat in audience(json.loads(public), name))
                    salt = salt_of(secret, version, name).hex()
                    found.append(Canary(f"salt of {name} in event {version}", salt, allowed))
                    if isinstance(value, int):
                        found.append(Canary(f"{name} in event {version}", str(value), allowed))
    return found


def audience(public: dict[str, Any], name: str) -> list[int]:
    if name != "$command":
        seats: list[int] = public["sealed"][name]["to"]
        return seats
    return [] if public["cause"]["seat"] is None else [public["cause"]["seat"]]


def documents(scene: Scene, schema: GraphQLSchema, head: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every query of the schema, with every field that it has to offer for these games."""
    whole = partial(everything, schema)
    assert schema.query_type
    named = {scene.public: "Game", scene.private: "Game"} | dict.fromkeys(scene.receipts.values(), "Receipt")
    for name, query in schema.query_type.fields.items():
        fields = whole(query.type)
        if "first" in query.args:
            yield f"{{ {name}(first: 10) {{ {fields} }} }}", {}
        elif "at" in query.args:
            for text, at in product((scene.public, scene.private), (None, *range(1, head + 2))):
                yield (
                    f"query ($id: ID!, $at: Int) {{ {name}(id: $id, at: $at) {{ {fields} }} }}",
                    {"id": text, "at": at},
                )
                for since in range(1, head + 1):
                    asked = "$id: ID!, $at: Int, $from: Int!"
                    yield (
                        f"query ({asked}) {{ {name}(id: $id, at: $at) {{ diff(from: $from) }} }}",
                        {"id": text, "at": at, "from": since},
                    )
            for text in (scene.public, scene.private):
                yield (
                    f"query ($id: ID!, $at: DateTime) {{ {name}(id: $id, atTime: $at) {{ {fields} }} }}",
                    {"id": text, "at": "9999-01-01T00:00:00Z"},
                )
        elif "number" in query.args:
            yield f"{{ {name}(number: 1) {{ {fields} }} }}", {}
        elif "id" in query.args:
            for text, kind in named.items():
                if get_named_type(query.type).name in {kind, "Node"}:
                    selection = f"... on {kind} {{ {whole(schema.type_map[kind])} }}"
                    yield f"query ($id: ID!) {{ {name}(id: $id) {{ {selection} }} }}", {"id": text}
        else:
            assert not query.args, f"Query.{name} is not in the matrix"
            yield f"{{ {name} {{ {fields} }} }}", {}


def everything(schema: GraphQLSchema, kind: Any) -> str:
    """All fields of a type, and all of theirs; of types that differ by title, those of the vault."""
    kind = get_named_type(kind)
    match kind:
        case GraphQLObjectType():
            return selected(schema, kind, kind.fields)
        case GraphQLInterfaceType():
            own = (named for named in schema.get_possible_types(kind) if named.name.startswith(("Game", "Vault")))
            more = {named.name: selected(schema, named, named.fields.keys() - kind.fields.keys()) for named in own}
            parts = " ".join(f"... on {name} {{ __typename {fields} }}" for name, fields in more.items())
            return f"{selected(schema, kind, kind.fields)} {parts}"
        case GraphQLUnionType():
            own = (named for named in kind.types if named.name.startswith("Vault"))
            return "__typename " + " ".join(f"... on {named.name} {{ {everything(schema, named)} }}" for named in own)
    return ""


def selected(schema: GraphQLSchema, kind: GraphQLObjectType | GraphQLInterfaceType, names: Any) -> str:
    inner = {name: everything(schema, kind.fields[name].type) for name in sorted(names)}
    return " ".join(f"{name} {{ {fields} }}" if fields else name for name, fields in inner.items())


def troubles(scene: Scene) -> Iterator[tuple[str, dict[str, Any]]]:
    """Mutations that are refused to everybody, and documents that are in error, each naming what it is about."""
    turn = f"mutation ($input: SubmitTurnInput!) {{ submitTurn(input: $input) {{ {SUBMITTED} }} }}"
    seat = f"mutation ($input: SeatInput!) {{ takeSeat(input: $input) {{ {SUBMITTED} }} }}"
    for game_id in (scene.public, scene.private):
        given = {"key": "first", "gameId": game_id}
        yield turn, {"input": {**given, "turn": hide(5)}}
        yield turn, {"input": {**given, "key": "stale", "turn": hide(LATER + 1), "expectedVersion": 1}}
        yield turn, {"input": {**given, "key": "other", "turn": {"toy": {"guess": {"number": 5}}}}}
        yield turn, {"input": {**given, "turn": hide(2**31)}}
        yield turn, {"input": {**given, "key": "\u00e9", "turn": hide(FIRST)}}
        yield seat, {"input": {**given, "key": "sit", "joinSecret": "guessed"}}
        for name in ("leaveSeat", "startGame"):
            yield (
                f"mutation ($input: GameInput!) {{ {name}(input: $input) {{ {SUBMITTED} }} }}",
                {"input": {**given, "key": name}},
            )
        yield "query ($id: ID!) { game(id: $id) { history(first: 0) { edges { cursor } } } }", {"id": game_id}
        yield 'query ($id: ID!) { game(id: $id) { history(after: "x") { edges { cursor } } } }', {"id": game_id}
        yield "query ($id: ID!) { game(id: $id) { secret } }", {"id": game_id}
    yield 'mutation { register(input: {handle: "owner-1"}) { ... on Refusal { code message facts } } }', {}
    yield 'mutation { revokeToken(id: "token_AAAAAAAAAAAAAAAAAAAAAA") { ... on Refusal { code message facts } } }', {}


@pytest.fixture(scope="module")
def asked(scene: Scene) -> Scene:
    """The scene after every viewer has asked for everything and tried all that is refused."""
    owner = scene.people["owner"]
    schema = build_client_schema(owner.ask(get_introspection_query()))
    head = owner.game(scene.public, "version")["version"]
    for viewer in VIEWERS:
        for document, variables in documents(scene, schema, head):
            answer = scene.people[viewer].send_query(document, variables).json()
            assert "errors" not in answer, answer["errors"]
        for game_id in (scene.public, scene.private):
            scene.people[viewer].get(f"/bundles/{game_id}.jsonl")
        for document, variables in troubles(scene):
            assert "INTERNAL" not in scene.people[viewer].send_query(document, variables).text
    assert owner.game(scene.public, "version")["version"] == head
    return scene


@pytest.mark.parametrize("viewer", VIEWERS)
def test_no_byte_that_leaves_holds_a_secret_that_is_not_the_viewers(api: Serving, asked: Scene, viewer: str) -> None:
    heard = asked.heard[viewer].decode()
    leaked = [canary.what for canary in canaries(api, asked) if canary.text in heard and viewer not in canary.allowed]
    assert leaked == []


@pytest.mark.parametrize("viewer", ["owner", "rival", "host"])
def test_everybody_is_shown_the_secrets_that_are_theirs(api: Serving, asked: Scene, viewer: str) -> None:
    """And so the search above would find a secret that leaks."""
    heard = asked.heard[viewer].decode()
    own = [canary for canary in canaries(api, asked) if viewer in canary.allowed]
    assert own
    assert [canary.what for canary in own if canary.text not in heard] == []


def test_nobody_outside_learns_that_a_private_game_exists(asked: Scene) -> None:
    for viewer in ("stranger", "anonymous"):
        heard = asked.heard[viewer].decode()
        submission = asked.receipts["private"].removeprefix("receipt_")
        for text in (asked.private, submission, str(ids.game_of(asked.private))):
            assert text not in heard


def test_no_secret_and_no_token_stands_in_the_log(api: Serving, asked: Scene) -> None:
    logged = api.log.read_text()
    assert [canary.what for canary in canaries(api, asked) if canary.text in logged] == []


def test_once_a_game_is_over_its_history_is_open_to_all_but_what_was_known_then_stays(
    api: Serving, asked: Scene
) -> None:
    before = asked.people["rival"].game(asked.public, "version")["version"]
    asked.people["slow"].applied("submitTurn", gameId=asked.public, turn=hide(2**30))
    asked.heard["anonymous"] = b""
    asked.people["anonymous"].game(asked.public, "history(first: 100) { edges { node { data opened } } }")
    heard = asked.heard["anonymous"].decode()
    sealed = [
        canary for canary in canaries(api, asked) if " in event" in canary.what or canary.what == "secret of a game"
    ]
    opened = {canary.text for canary in sealed if canary.text in heard}
    assert {str(number) for number in (FIRST, LATER, OTHERS)} <= opened
    with psycopg.connect(api.database_url) as database:
        game: UUID | None = ids.game_of(asked.public)
        ((secret,),) = database.execute("select secret from games where game_id = %s", [game]).fetchall()
    assert secret.hex() in opened
    then = "query ($id: ID!, $at: Int) { game(id: $id, at: $at) { view { ... on VaultView { hidden mine } } } }"
    for viewer, mine in (("rival", OTHERS), ("anonymous", None)):
        view = asked.people[viewer].ask(then, id=asked.public, at=before)["game"]["view"]
        assert view == {"hidden": [None, mine, None, None], "mine": mine}
