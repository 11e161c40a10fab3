"""The stored form of a stream, against a game that an independent program worked out, and who may open what."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import pytest

from domain.game import OpenGame, TakeSeat
from domain.game.events import Ended, Opened, SeatTaken, SecretOpened
from domain.ruleset import HIDDEN, Secret, Viewer
from domain.rulesets.gravwell.board import Fuel
from domain.rulesets.gravwell.commands import PlayFuel, Stop
from domain.rulesets.gravwell.events import FuelChosen, FuelOrder
from domain.rulesets.gravwell.options import Options
from domain.stream import (
    ByClock,
    ByOperator,
    BySubmission,
    Cause,
    Head,
    Row,
    chain_start,
    chained,
    commitment,
    decisions,
    game_id_of,
    opened,
    salt_of,
    secret_hash,
    time_of,
    time_text,
    written,
)
from service.codec import codec_of

EXAMPLE: Final[dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "format-example.json").read_text())
STORED: Final[list[dict[str, Any]]] = EXAMPLE["events"]
GAME: Final = UUID(EXAMPLE["game"])
SECRET: Final = bytes.fromhex(EXAMPLE["secret"])
CODEC: Final = codec_of("gravwell", 1)
LATER: Final = datetime(2026, 12, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Decided:
    """One decision of the example, as the service would hold it before it is written."""

    events: tuple[Any, ...]
    at: str
    actor: str
    seat: int | None
    received_at: str
    submission: int
    command: Any


DECIDED: Final = (
    Decided(
        (Opened("gravwell", 1, 2, Options(), None, EXAMPLE["secret_hash"]), SeatTaken(0, bot=False, entropy=None)),
        "2026-11-29T20:00:00.000001Z",
        "host",
        None,
        "2026-11-29T19:59:59.999999Z",
        1,
        OpenGame("gravwell", 2),
    ),
    Decided(
        (SeatTaken(1, bot=False, entropy="00112233445566778899aabbccddeeff"),),
        "2026-11-29T20:05:00.250000Z",
        "seat:1",
        1,
        "2026-11-29T20:05:00.249000Z",
        2,
        TakeSeat(1, "00112233445566778899aabbccddeeff"),
    ),
    Decided(
        (FuelChosen(0, Secret(FuelOrder(Fuel.M, Stop.IF_BACKWARD), (0,))),),
        "2026-11-29T20:30:00.000000Z",
        "seat:0",
        0,
        "2026-11-29T20:29:59.990000Z",
        3,
        PlayFuel(Fuel.M, Stop.IF_BACKWARD),
    ),
)


def written_anew() -> tuple[Row, ...]:
    """The example, from its events to its rows."""
    rows: tuple[Row, ...] = ()
    head = None
    for decided in DECIDED:
        submission = UUID(f"0b8f5d6e-0000-4000-8000-{decided.submission:012}")
        cause = BySubmission(
            submission, decided.seat, time_of(decided.received_at), CODEC.command_json(decided.command)
        )
        facts = [CODEC.fact(event) for event in decided.events]
        rows += written(GAME, SECRET, head, facts, time_of(decided.at), decided.actor, cause)
        head = Head(rows[-1].version, rows[-1].hash, time_of(decided.at))
    return rows


def stored(place: int) -> Row:
    """An event of the example as its file gives it."""
    given = STORED[place]
    prev_hash, own_hash = bytes.fromhex(given["prev_hash"]), bytes.fromhex(given["hash"])
    return Row(place + 1, given["public"], given["secret"], prev_hash, own_hash)


def caused(cause: Cause, *events: Any, actor: str = "clock") -> list[dict[str, Any]]:
    """The public forms of a decision that follows the example."""
    head = Head(4, bytes.fromhex(STORED[-1]["hash"]), time_of(DECIDED[-1].at))
    rows = written(GAME, SECRET, head, [CODEC.fact(event) for event in events], LATER, actor, cause)
    return [json.loads(row.public) for row in rows]


def test_the_worked_example_is_reproduced_to_the_byte() -> None:
    assert written_anew() == tuple(stored(place) for place in range(4))


def test_the_secret_the_chain_and_the_salts_begin_as_in_the_example() -> None:
    assert secret_hash(GAME, SECRET).hex() == EXAMPLE["secret_hash"]
    assert chain_start(GAME).hex() == EXAMPLE["chain_start"]
    salts = [
        {name: salt_of(SECRET, version, name).hex() for name in event["salts"]}
        for version, event in enumerate(STORED, 1)
    ]
    assert salts == [event["salts"] for event in STORED]


def test_what_is_stored_reads_as_the_events_that_were_written() -> None:
    events = [CODEC.event(row) for row in (stored(place) for place in range(4))]
    assert events == [event for decided in DECIDED for event in decided.events]


def test_a_row_without_its_secrets_reads_with_hidden_fields() -> None:
    row = stored(3)._replace(secret=None)
    assert CODEC.event(row) == FuelChosen(0, Secret(HIDDEN, (0,)))


@pytest.mark.parametrize("place", range(4))
def test_nothing_of_an_event_can_be_changed_without_its_hash(place: int) -> None:
    row = stored(place)
    assert chained(row.prev_hash, row.public) == row.hash
    assert chained(row.prev_hash, row.public.replace('"v":1', '"v":2')) != row.hash
    assert chained(bytes(32), row.public) != row.hash


@pytest.mark.parametrize(
    ("viewer", "seen"),
    [
        (0, [set(), set(), set(), {"order", "$command"}]),
        (1, [set(), set(), {"$command"}, set()]),
        (None, [set(), set(), set(), set()]),
        (2, [set(), set(), set(), set()]),
    ],
)
def test_before_the_end_each_opens_what_is_stored_as_theirs(viewer: Viewer, seen: list[set[str]]) -> None:
    assert [set(opened(stored(place), SECRET, viewer, ended=False)) for place in range(4)] == seen


@pytest.mark.parametrize("viewer", [0, 1, None])
def test_after_the_end_everybody_opens_everything(viewer: Viewer) -> None:
    for place, event in enumerate(STORED):
        opening = opened(stored(place), SECRET, viewer, ended=True)
        assert {name: one["salt"] for name, one in opening.items()} == event["salts"]
        assert {name: one["value"] for name, one in opening.items()} == json.loads(event["secret"] or "{}")


def test_what_is_opened_proves_the_commitment_in_the_public_form() -> None:
    opening = opened(stored(3), SECRET, 0, ended=False)
    public = json.loads(STORED[3]["public"])
    committed = {"$command": public["cause"]["command"], "order": public["sealed"]["order"]["c"]}
    assert {name: commitment(bytes.fromhex(one["salt"]), one["value"]) for name, one in opening.items()} == committed


def test_the_host_without_a_seat_opens_no_command_before_the_end() -> None:
    assert json.loads(STORED[0]["public"])["cause"]["seat"] is None
    assert opened(stored(0), SECRET, None, ended=False) == {}


def test_the_clock_causes_by_the_time_that_was_due_and_seals_no_command() -> None:
    (first, second) = caused(ByClock(LATER - timedelta(seconds=3)), Ended("expired", ()), SecretOpened(SECRET.hex()))
    assert first["cause"] == {"deadline": "2026-11-30T23:59:57.000000Z"}
    assert second["cause"] == {"first": 5}
    assert first["sealed"] == second["sealed"] == {}


def test_an_operator_causes_by_name() -> None:
    (event,) = caused(ByOperator("end"), Ended("ended_by_operator", ()), actor="host")
    assert (event["actor"], event["cause"]) == ("host", {"operator": "end"})


def test_a_decision_does_not_come_before_the_one_before_it() -> None:
    head = Head(4, bytes(32), LATER)
    with pytest.raises(AssertionError):
        written(GAME, SECRET, head, [], LATER - timedelta(microseconds=1), "clock", ByClock(LATER))


def test_events_are_grouped_into_decisions_with_the_seats_that_caused_them() -> None:
    causes = [json.loads(event["public"])["cause"] for event in STORED]
    events = [(cause.get("first"), cause.get("seat"), version) for version, cause in enumerate(causes, 1)]
    assert list(decisions(events)) == [(None, [1, 2]), (1, [3]), (0, [4])]


def test_a_time_is_written_in_utc_with_six_decimals() -> None:
    summer = datetime(2026, 7, 1, 14, 0, tzinfo=timezone(timedelta(hours=2)))
    assert time_text(summer) == "2026-07-01T12:00:00.000000Z"
    assert time_of("2026-07-01T12:00:00.000000Z") == summer


def test_a_game_id_is_a_uuid_of_version_8_that_the_same_key_gives_again() -> None:
    made = game_id_of(bytes(16), "first")
    assert made == game_id_of(bytes(16), "first")
    assert made not in (game_id_of(bytes(16), "second"), game_id_of(bytes([1]) * 16, "first"))
    assert made.version == 8
    digest = sha256(bytes(16) + b"first").digest()
    assert made.bytes[:6] == digest[:6]
    assert made.bytes[9:] == digest[9:16]
