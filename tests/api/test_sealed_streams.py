"""Sealed streams under attack: all see one chain, and who guesses at what is sealed learns nothing from any byte."""

import hmac
import json
import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256, sha512
from itertools import combinations
from typing import Any
from uuid import UUID

import httpx
import psycopg
import pytest

from domain.canonical import canonical
from domain.rulesets.gravwell.board import Fuel
from domain.rulesets.gravwell.commands import Stop
from domain.stream import chain_start, commitment
from schema import ids
from tests.api.asking import SUBMITTED, Person, Table, seated
from tests.api.server import Serving

EVENTS = "history(first: 100) { edges { node { version canonical prevHash hash sealed opened data } } }"
FOLLOWED = 'subscription { gameUpdates(gameId: "nothing") { version } }'
HEXADECIMAL = re.compile(r"[0-9a-f]{32,128}")


def events(person: Person, table: Table) -> list[dict[str, Any]]:
    return [edge["node"] for edge in person.game(table.game_id, EVENTS)["history"]["edges"]]


@pytest.fixture(scope="module")
def race(join: Callable[[str], Person]) -> Table:
    """A race in which cards are dealt face down and both have chosen their first, or one of them has."""
    ann, bob = join("ann"), join("bob")
    table = seated(ann, bob)
    while "fuel_chosen" not in json.dumps([event["canonical"] for event in events(ann, table)]):
        table.play(1)
    return table


def chain_of(told: Iterable[dict[str, Any]], game_id: str) -> list[str]:
    """The hashes of a stream, made again from nothing but its public forms."""
    game = ids.game_of(game_id)
    assert game is not None
    prev_hash, hashes = chain_start(game), []
    for event in told:
        prev_hash = sha256(prev_hash + event["canonical"].encode()).digest()
        hashes.append(prev_hash.hex())
    return hashes


def test_spectator_seats_and_bundle_carry_one_chain_made_again_from_its_texts(race: Table, nobody: Person) -> None:
    told = {name: events(person, race) for name, person in zip("abn", (*race.people, nobody), strict=True)}
    for stream in told.values():
        assert [event["hash"] for event in stream] == chain_of(stream, race.game_id)
        assert [event["prevHash"] for event in stream[1:]] == [event["hash"] for event in stream[:-1]]
    assert len({json.dumps([event["canonical"] for event in stream]) for stream in told.values()}) == 1
    lines = nobody.get(f"/bundles/{race.game_id}.jsonl").text.splitlines()[1:-1]
    assert [canonical(json.loads(line)["public"]) for line in lines] == [event["canonical"] for event in told["n"]]
    assert len({json.dumps([event["opened"] for event in stream]) for stream in told.values()}) == 3


def test_the_open_stream_is_the_same_chain_and_opens_what_was_sealed(ann: Person, bob: Person, nobody: Person) -> None:
    table = seated(ann, bob)
    table.play(8)
    before = {person: events(person, table) for person in (ann, nobody)}
    bob.applied("resign", gameId=table.game_id)
    after = events(nobody, table)
    for stream in before.values():
        assert [event["hash"] for event in after[: len(stream)]] == [event["hash"] for event in stream]
    assert [event["hash"] for event in after] == chain_of(after, table.game_id)
    sealed = 0
    for event in after:
        public = json.loads(event["canonical"])
        commitments = {field: seal["c"] for field, seal in public["sealed"].items()}
        if "command" in public["cause"]:
            commitments["$command"] = public["cause"]["command"]
        assert commitments == {
            field: commitment(bytes.fromhex(one["salt"]), one["value"]) for field, one in event["opened"].items()
        }
        sealed += len(commitments)
    assert sealed > 8


class Listener:
    """Somebody who keeps every byte that an address sends."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.heard = b""
        self.answers: list[httpx.Response] = []
        person.event_hooks = {"response": [self._hear]}

    def _hear(self, answer: httpx.Response) -> None:
        self.answers.append(answer)
        self.heard += b"\n".join(b": ".join(header) for header in answer.headers.raw) + b"\n" + answer.read()


@pytest.fixture
def heard(race: Table, api: Serving) -> Iterator[bytes]:
    """Everything that a rival and a spectator get by asking, trying and exporting, and the log."""
    rival = race.people[1 - chooser(race)]
    with Person(api.address, rival.token) as seat, Person(api.address) as spectator:
        listeners = [Listener(seat), Listener(spectator)]
        for listener in listeners:
            attack(listener.person, race)
        yield b"\n".join(listener.heard for listener in listeners) + api.log.read_bytes()


def chooser(race: Table) -> int:
    """The seat that chose last."""
    public = next(
        public
        for event in reversed(events(race.people[0], race))
        if (public := json.loads(event["canonical"]))["name"] == "gravwell.fuel_chosen"
    )
    seat: int = public["data"]["seat"]
    return seat


def attack(person: Person, table: Table) -> None:
    """Ask for everything there is about a game, and try all that is refused."""
    events(person, table)
    person.game(
        table.game_id, "headHash legalTurns view { __typename } awaiting version myTurnSince outcome { reason }"
    )
    person.game(table.game_id, "seats { index awaited } export imported")
    person.get(f"/bundles/{table.game_id}.jsonl")
    turn = f"mutation ($input: SubmitTurnInput!) {{ submitTurn(input: $input) {{ {SUBMITTED} }} }}"
    receipts: list[str | None] = []
    for card in Fuel:
        for expected in (None, 1, 10_000):
            guess = {"gravwell": {"playFuel": {"card": card.name}}}
            given = {"key": f"guess-{card.name}-{expected}", "gameId": table.game_id, "turn": guess}
            if expected is not None:  # refused as stale, before anything is looked at
                answer = person.send_query(turn, {"input": {**given, "expectedVersion": expected}}).json()
                receipts.append((answer.get("data") or {}).get("submitTurn", {}).get("id"))
    signed = "signed { accepted { text signature } settled { text signature } opened }"
    for receipt in filter(None, receipts):
        person.send_query(f"query ($id: ID!) {{ receipt(id: $id) {{ {signed} }} }}", {"id": receipt})


def orders() -> list[dict[str, Any]]:
    """Every order that a seat could have sealed."""
    return [{"card": card.name, "stop": stop.name} for card in Fuel for stop in Stop]


def sealed_orders(race: Table, api: Serving) -> list[tuple[str, Any, str]]:
    """The commitments to orders of the race, with what was sealed and its salt, as only the store knows them."""
    found = []
    with psycopg.connect(api.database_url) as database:
        game: UUID | None = ids.game_of(race.game_id)
        for public, secret in database.execute(
            "select public, secret from events where game_id = %s and public like %s", [game, "%fuel_chosen%"]
        ):
            found.append((json.loads(public)["sealed"]["order"]["c"], json.loads(secret)["order"], secret))
    return found


def hits(heard: str, values: Iterable[Any], keys: Iterable[bytes]) -> set[str]:
    """The values of which some digest, plain or under one of the keys, stands among the bytes that were heard."""
    there = set(HEXADECIMAL.findall(heard))
    keys = list(keys)
    found = set()
    for value in values:
        text = canonical(value).encode()
        digests = {sha256(text).hexdigest(), sha512(text).hexdigest()}
        digests |= {hmac.digest(key, text, "sha256").hex() for key in keys}
        digests |= {sha256(key + text).hexdigest() for key in keys}
        if there & digests:
            found.add(text.decode())
    return found


def keys_in(heard: str, game_id: str) -> set[bytes]:
    """Whatever was heard that could be a salt: each digest, and what a careless service would have salted with."""
    game = ids.game_of(game_id)
    assert game is not None
    careless = [b"", b"slowlight/salt/1", game.bytes, str(game).encode(), game_id.encode()]
    careless += [number.to_bytes(8, "big") for number in range(200)]
    return {*careless, *map(bytes.fromhex, filter(lambda text: not len(text) % 2, set(HEXADECIMAL.findall(heard))))}


def test_a_card_of_twenty_six_is_not_guessed_from_anything_a_rival_or_a_spectator_is_sent(
    race: Table, heard: bytes, api: Serving
) -> None:
    text = heard.decode()
    sealed = sealed_orders(race, api)
    assert sealed
    assert all(sent in text for sent, _, _ in sealed), "the commitments themselves are public"
    chosen = [value for _, value, _ in sealed]
    wrapped = [{"play_fuel": order} for order in orders()]
    bare = [{"play_fuel": {"card": card.name}} for card in Fuel]
    own = {canonical(value) for value in opened_by(race)}
    found = hits(text, [*orders(), *wrapped, *bare, *(card.name for card in Fuel)], keys_in(text, race.game_id))
    assert found <= own
    assert canonical(chosen[-1]) not in found


def test_the_same_attack_succeeds_for_whoever_holds_the_salt(race: Table, heard: bytes) -> None:
    """And so the one above would have found a salt that leaks."""
    owner = race.people[chooser(race)]
    opened = [event["opened"]["order"] for event in events(owner, race) if "order" in event["opened"]]
    found = hits(heard.decode(), orders(), [bytes.fromhex(one["salt"]) for one in opened])
    assert found == {canonical(one["value"]) for one in opened}


def opened_by(race: Table) -> Iterator[Any]:
    """What the rival may open, being theirs: they need not guess it."""
    for event in events(race.people[1 - chooser(race)], race):
        yield from (one["value"] for one in event["opened"].values())


def test_a_hand_of_six_is_not_guessed_from_what_a_spectator_is_sent(ann: Person, bob: Person, api: Serving) -> None:
    table = seated(ann, bob, options={"random_deal": True})
    dealt = [event for event in events(ann, table) if "hand" in event["sealed"]]
    assert dealt
    with Person(api.address) as nobody:
        spectator = Listener(nobody)
        events(nobody, table)
        nobody.get(f"/bundles/{table.game_id}.jsonl")
    text = spectator.heard.decode()
    hands = ([card.name for card in hand] for hand in combinations(Fuel, 6))
    assert hits(text, hands, [b""]) == set()
    own = next(event["opened"]["hand"] for event in dealt if "hand" in event["opened"])
    assert hits(text, [own["value"]], [bytes.fromhex(own["salt"])]) == {canonical(own["value"])}


def test_what_a_rival_is_sent_is_the_same_whatever_was_sealed(join: Callable[[str], Person], api: Serving) -> None:
    """But for ids, times and digests: no length, no field and no header tells of the content."""

    def told(number: int) -> bytes:
        owner, rival = join("sealer"), join("rival")
        table = Table(owner.applied("openGame", ruleset="VAULT", seats=2)["gameId"], (owner, rival))
        rival.applied("takeSeat", gameId=table.game_id)
        owner.applied("submitTurn", gameId=table.game_id, turn={"vault": {"hide": {"number": number}}})
        with Person(api.address, rival.token) as seat, Person(api.address) as spectator:
            listeners = [Listener(seat), Listener(spectator)]
            for listener in listeners:
                events(listener.person, table)
                listener.person.get(f"/bundles/{table.game_id}.jsonl")
                listener.person.game(table.game_id, "view { ... on VaultView { hidden mine } } awaiting version")
        return masked(b"".join(listener.heard for listener in listeners), table.game_id)

    first, *others = (told(number) for number in (2**30, 2**30 + 1, 1_999_999_999, 2**31 - 1))
    assert others == [first] * len(others)


def masked(heard: bytes, game_id: str) -> bytes:
    """What was heard without what differs between any two games."""
    text = heard.replace(game_id.encode(), b"GAME")
    text = re.sub(rb"[0-9a-f]{64,128}", b"DIGEST", text)
    text = re.sub(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", b"UUID", text)
    text = re.sub(rb"\d{4}-\d\d-\d\dT[0-9:.]+Z", b"TIME", text)
    return re.sub(rb"date: [^\n]*", b"date: DATE", text)


def keepable(answers: Iterable[httpx.Response]) -> list[httpx.Response]:
    """The answers that a cache on the way, or of a browser that others use after, might keep and give to another."""
    return [answer for answer in answers if "no-store" not in answer.headers.get("cache-control", "").split(", ")]


def test_no_cache_on_the_way_may_keep_what_somebody_was_answered(race: Table, api: Serving) -> None:
    owner = race.people[chooser(race)]
    game = {"query": "query ($id: ID!) { game(id: $id) { legalTurns } }", "variables": json.dumps({"id": race.game_id})}
    with Person(api.address, owner.token) as seat, Person(api.address) as spectator:
        listeners = [Listener(seat), Listener(spectator)]
        for person in (seat, spectator):
            attack(person, race)
            person.get("/graphql", params=game)
            person.post("/graphql", content=b"no json")
            person.post("/graphql", json={"query": "{"})
            person.get("/bundles/nothing.jsonl")
            person.get(f"/checkpoints/newest/games/{race.game_id}.json")
            person.get("/.well-known/slowlight-keys.json")
            person.post("/graphql", json={"query": FOLLOWED}, headers={"Accept": "text/event-stream"})
        person.get("/graphql", params=game, headers={"Authorization": "Bearer nobody's"})
        answers = [answer for listener in listeners for answer in listener.answers]
    assert {200, 401, 404, 415} <= {answer.status_code for answer in answers}
    assert any('"legalTurns":[{' in answer.text for answer in answers), "one of them holds a hand"
    assert keepable(answers) == []


@pytest.mark.parametrize("header", [{}, {"Cache-Control": "private, max-age=60"}, {"ETag": "1"}])
def test_an_answer_that_might_be_kept_is_caught(header: dict[str, str]) -> None:
    answer = httpx.Response(200, headers=header)
    assert keepable([answer]) == [answer]
