"""What is nobody's bad input: a bug of ours, and a database that is away."""

import re
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit, urlunsplit

import psycopg
import pytest
from structlog.testing import capture_logs

from schema import ids
from schema.errors import failed
from service.servers import Servers
from tests.api.asking import INPUTS, SUBMITTED, Person, registered
from tests.api.server import Serving, new_database, serving

PATIENCE_SECONDS = 20


def test_a_bug_is_internal_and_found_in_the_log_by_its_id(api: Serving, ann: Person) -> None:
    game_id = ann.applied("openGame", ruleset="BROKEN", seats=2, bots=1, visibility="UNLISTED")["gameId"]
    answer = ann.send_query("query ($id: ID!) { game(id: $id) { status view { __typename } } }", {"id": game_id})
    content = answer.json()
    assert (answer.status_code, content["data"]) == (200, {"game": {"status": "RUNNING", "view": None}})
    (error,) = content["errors"]
    assert error["extensions"].keys() == {"code", "errorId"}
    assert error["extensions"]["code"] == "INTERNAL"
    assert error["path"] == ["game", "view"]
    assert "debugger" not in answer.text
    (line,) = (line for line in api.log.read_text().splitlines() if error["extensions"]["errorId"] in line)
    assert "KeyError" in line
    assert re.search(r"broken/__init__\.py:\d+", line)
    assert "debugger" not in line


def test_a_bug_that_ends_many_at_once_is_logged_once_under_one_id() -> None:
    bug, other = KeyError("the debugger"), KeyError("another")
    with capture_logs() as logged:
        told = [failed(error).errors[0]["extensions"]["errorId"] for error in (bug, bug, other, bug)]
    assert told[0] == told[1] == told[3] != told[2]
    assert [entry["error_id"] for entry in logged] == [told[0], told[2]]


class Cable:
    """A line between the service and its database that can be cut and mended."""

    def __init__(self, database_url: str) -> None:
        parts = urlsplit(database_url)
        at = parse_qs(parts.query)
        self._far = f"{at['host'][0]}/.s.PGSQL.{at['port'][0]}"
        self._near = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._whole = True
        host = f"{parts.username}@127.0.0.1:{self._near.getsockname()[1]}"
        self.url = urlunsplit(parts._replace(netloc=host, query=""))
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._whole = False
        for end in list(self._open):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._whole = True

    def close(self) -> None:
        self.cut()
        self._near.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._near.accept()
                if not self._whole:
                    near.close()
                    continue
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._far)
                self._open |= {near, far}
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._open.discard(source)
        source.close()


@pytest.fixture(scope="module")
def cable(servers: Servers) -> Iterator[Cable]:
    cable = Cable(new_database(servers, "cable"))
    yield cable
    cable.close()


@pytest.fixture(scope="module")
def afar(servers: Servers, cable: Cable, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A service whose database is at the other end of the cable."""
    log: Path = tmp_path_factory.mktemp("afar") / "log"
    with serving(cable.url, servers.redis_url, log) as started:
        yield started


@pytest.fixture
def guesser(afar: Serving, cable: Cable) -> Iterator[tuple[Person, str]]:
    """Somebody in a game of the toy in which every guess may be made anew, for the other seat makes none."""
    first, second = (registered_in_the_end(afar.address) for _ in "ab")
    game_id = first.applied("openGame", ruleset="TOY", seats=2)["gameId"]
    second.applied("takeSeat", gameId=game_id)
    yield first, game_id
    cable.mend()
    first.close()
    second.close()


def registered_in_the_end(address: str) -> Person:
    """Somebody new, as soon as the service has found its database again: lines that were cut are noticed in use."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return registered(address, f"cut-{time.monotonic_ns() % 10**12}")
        except AssertionError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def guess(person: Person, game_id: str, key: str) -> Any:
    """The whole answer to a guess."""
    query = f"mutation ($input: {INPUTS['submitTurn']}!) {{ submitTurn(input: $input, wait: 5) {{ {SUBMITTED} }} }}"
    given = {"key": key, "gameId": game_id, "turn": {"toy": {"guess": {"number": 5}}}}
    return person.send_query(query, {"input": given})


def test_without_its_database_the_service_says_when_to_come_back(cable: Cable, guesser: tuple[Person, str]) -> None:
    person, game_id = guesser
    cable.cut()
    for answer in (
        person.send_query("query ($id: ID!) { game(id: $id) { id } }", {"id": game_id}),
        guess(person, game_id, "while-away"),
        person.post("/graphql", json={"query": "{ me { id } }"}, headers={"Authorization": "Bearer never-seen"}),
    ):
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1
        (error,) = answer.json()["errors"]
        assert error["extensions"]["code"] == "UNAVAILABLE"
    cable.mend()
    assert guess(person, game_id, "back-again").json()["data"]["submitTurn"]["status"] == "APPLIED"


def test_a_submission_has_a_durable_receipt_or_does_not_exist(
    afar: Serving, cable: Cable, guesser: tuple[Person, str]
) -> None:
    person, game_id = guesser
    keys = (f"guess-{n}" for n in count())
    answers: dict[str, Any] = {}
    until = time.monotonic() + 4

    def keep_guessing(_: int) -> None:
        while time.monotonic() < until:
            key = next(keys)
            answers[key] = guess(person, game_id, key)

    with ThreadPoolExecutor(4) as guessers:
        running = [guessers.submit(keep_guessing, n) for n in range(4)]
        for pause in (0.3, 0.2, 0.5):
            time.sleep(pause)
            cable.cut()
            time.sleep(0.2)
            cable.mend()
        for done in running:
            done.result()

    receipts = {
        key: answer.json()["data"]["submitTurn"] for key, answer in answers.items() if answer.status_code == 200
    }
    assert receipts
    assert {answer.status_code for answer in answers.values()} == {200, 503}
    kept = settled(afar, game_id)
    assert all(kept[key] == receipt["version"] for key, receipt in receipts.items() if receipt["status"] == "APPLIED")
    assert receipts.keys() <= kept.keys() <= answers.keys()
    assert len(set(kept.values())) == len(kept)
    for key in answers.keys() - kept.keys():
        assert guess(person, game_id, key).json()["data"]["submitTurn"]["status"] == "APPLIED"


def settled(afar: Serving, game_id: str) -> dict[str, int]:
    """The version that each guess of the store led to, once none is pending any more."""
    query = "select key, version from submissions where game_id = %s and key like 'guess-%%'"
    for _ in range(200):
        with psycopg.connect(afar.database_url) as database:
            rows: dict[str, int] = dict(database.execute(query, [ids.game_of(game_id)]).fetchall())
        if None not in rows.values():
            return rows
        time.sleep(0.1)
    raise AssertionError(f"still pending: {rows}")
