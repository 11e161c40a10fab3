"""Games that only a server could make up, with commitments, chain and signature all right: what cannot be is found."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import pytest

from domain import game as games
from domain.bundle import Damaged, read
from domain.canonical import canonical
from domain.catalogue import CATALOGUE
from domain.game import Decision, OpenGame
from domain.stream import COMMAND, ByClock, ByOperator, BySubmission, Cause, Head, Row, game_id_of, secret_hash, written
from service.codec import codec_of
from service.verifying import verify
from tests.verifier import second
from tests.verifier.games import BEGUN, Written, bundle_of, closed, random_game, random_practice, rebuilt

RULESET: Final = CATALOGUE["gravwell", 2]
CODEC: Final = codec_of("gravwell", 2)
SECRET: Final = b"s" * 32
GAME: Final = next(
    game
    for number in range(40)
    if (game := random_game(RULESET, number)).ended
    and len(game.rows) > 50
    and any('"cause":{"deadline"' in row.public for row in game.rows[:-5])
)
RUNNING: Final = GAME.up_to(GAME.pauses[-1])
PRACTICE: Final = next(game for number in range(40) if len((game := random_practice(RULESET, number)).rows) > 10)
FORGED_ID: Final = game_id_of(bytes(16), "forged")
OPEN: Final = OpenGame("gravwell", 2, RULESET.options())


def found_in(data: bytes) -> Damaged:
    """What is found in a bundle, if not by the second verifier, which knows no rules."""
    with pytest.raises(Damaged) as raised:
        verify(read(data))
    return raised.value


def found_by_both(data: bytes) -> Damaged:
    """What is found in a bundle by both verifiers, on the same line."""
    with pytest.raises(second.Wrong) as other:
        second.found_in(data)
    found = found_in(data)
    assert found.line == other.value.line, (str(found), str(other.value))
    return found


class Forgery:
    """A stream in the making, by whoever has its secret."""

    def __init__(self, game_id: UUID = FORGED_ID) -> None:
        self.game_id = game_id
        self.rows: list[Row] = []

    def add(self, decision: Decision, cause: Cause, at: datetime = BEGUN) -> Decision:
        """Write a decision, whatever is in it."""
        head = Head(self.rows[-1].version, self.rows[-1].hash, BEGUN) if self.rows else None
        facts = [CODEC.fact(event) for event in decision.events]
        self.rows += written(self.game_id, SECRET, head, facts, at, decision.actor, cause)
        return decision

    def command(self, decision: Decision, command: Mapping[str, Any]) -> Decision:
        """Write a decision that this command is said to have led to."""
        cause = BySubmission(UUID(int=len(self.rows)), decision.seat, BEGUN, command)
        return self.add(decision, cause)

    def end(self, decision: Decision) -> bytes:
        """Have an operator end the game after a decision; gives its bundle."""
        ended = Decision(games.end(decision.game, SECRET), decision.game, "host", None)
        self.add(ended, ByOperator("end"))
        return bundle_of(RULESET, self.rows)


def opened(command: OpenGame = OPEN) -> Decision:
    """What follows from the command to open a game."""
    return games.open_game(command, SECRET, secret_hash(FORGED_ID, SECRET).hex(), BEGUN, RULESET.version)


def forked(asked: Mapping[str, Any] = {}, begun: Mapping[str, Any] = {}, **change: Any) -> bytes:
    """A practice game that ended at once, whose command, `game.opened` or `game.forked` say something else."""
    forgery = Forgery(PRACTICE.game_id)
    opened, forked = (CODEC.event(row) for row in PRACTICE.rows[:2])
    digest = secret_hash(PRACTICE.game_id, SECRET).hex()
    opened = replace(opened, secret_hash=digest, **begun)
    command = json.loads(PRACTICE.rows[0].secret or "")[COMMAND]["fork_game"]
    decision = games.practise(opened, replace(forked, **change), SECRET, BEGUN)
    return forgery.end(forgery.command(decision, {"fork_game": {**command, **asked}}))


def changed(game: Written, version: int, **data: Any) -> bytes:
    """The bundle of a game in which an event holds something else, and the chain is right again from there on."""
    row = game.rows[version - 1]
    public = json.loads(row.public)
    public["data"].update(data)
    rows = rebuilt(game.rows, {version: row._replace(public=canonical(public))})
    return bundle_of(game.ruleset, rows, is_open=game.ended)


def saying(game: Written, version: int, **said: Any) -> bytes:
    """The bundle of a game in which an event says something else of itself, and what follows names it as before."""
    row = game.rows[version - 1]
    public = canonical({**json.loads(row.public), **said})
    return bundle_of(game.ruleset, rebuilt(game.rows, {version: row._replace(public=public)}), is_open=game.ended)


def elsewhere(**ended: Any) -> bytes:
    """A game of a title that is not in this build, whose `game.ended` holds something else."""
    first, last = GAME.rows[0], GAME.rows[-2]
    opening, ending = json.loads(first.public), json.loads(last.public)
    opening["data"]["ruleset"] = "elsewhere"
    ending["data"] = {name: value for name, value in {**ending["data"], **ended}.items() if value != GONE}
    changes = {1: first._replace(public=canonical(opening)), last.version: last._replace(public=canonical(ending))}
    return bundle_of(replace(RULESET, name="elsewhere"), rebuilt(GAME.rows, changes))


def causes(game: Written, key: str) -> list[tuple[int, dict[str, Any]]]:
    """The versions of the events that have a cause of this kind, and what it is."""
    found = [(row.version, json.loads(row.public)["cause"]) for row in game.rows]
    return [(version, cause) for version, cause in found if key in cause]


def test_what_is_not_forged_is_not_found() -> None:
    forgery = Forgery()
    verify(read(forgery.end(forgery.command(opened(), CODEC.command_json(OPEN)))))
    verify(read(forked()))
    assert not verify(read(elsewhere())).judged


NEVER: Final = [
    "2026-13-01T00:00:00.000000Z",
    "2026-02-30T00:00:00.000000Z",
    "2026-11-29T24:00:00.000000Z",
    "2026-11-29T20:60:00.000000Z",
    "2026-11-29T20:00:60.000000Z",
    "0000-11-29T20:00:00.000000Z",
    "2026-13-45T99:99:99.999999Z",
    "2026-11-29T20:00:00.00000\u0661Z",
]


@pytest.mark.parametrize("game", [GAME, RUNNING], ids=["ended", "going on"])
@pytest.mark.parametrize("never", NEVER)
def test_a_time_that_there_never_was_is_found(game: Written, never: str) -> None:
    version, received = causes(game, "received_at")[-1]
    lapsed, due = causes(game, "deadline")[-1]
    cases: list[tuple[int, dict[str, Any]]] = [
        (version, {"at": never}),
        (version, {"cause": {**received, "received_at": never}}),
        (lapsed, {"cause": {**due, "deadline": never}}),
    ]
    for at, said in cases:
        found = found_by_both(saying(game, at, **said))
        assert (found.code, found.line) == ("MISSHAPEN", at + 1)


@pytest.mark.parametrize("game", [GAME, RUNNING], ids=["ended", "going on"])
def test_a_command_is_received_before_it_is_decided(game: Written) -> None:
    version, cause = causes(game, "received_at")[-1]
    found = found_by_both(saying(game, version, cause={**cause, "received_at": "2126-11-29T20:00:00.000000Z"}))
    assert (found.code, found.version) == ("DECISION", version)


@pytest.mark.parametrize("game", [GAME, RUNNING], ids=["ended", "going on"])
def test_one_submission_leads_to_one_decision(game: Written) -> None:
    (_, first), *_, (version, cause) = causes(game, "submission")
    found = found_by_both(saying(game, version, cause={**cause, "submission": first["submission"]}))
    assert (found.code, found.version) == ("DECISION", version)


GONE: Final = "gone"
RANKINGS: Final[list[Any]] = [GONE, 5, True, None, "ab", {}, [1, 2], [[[1]]], [{}], [[True]], [["0"]], [[-1]], ["01"]]
REASONS: Final[list[Any]] = [GONE, 5, None, "", "Won", "won\nconsistent; anchored", "\x1b[8m", ["won"]]


@pytest.mark.parametrize(
    "ended", [*({"ranking": one} for one in RANKINGS), *({"reason": one} for one in REASONS)], ids=repr
)
def test_an_outcome_that_is_none_is_found_whether_or_not_its_title_is_here(ended: dict[str, Any]) -> None:
    (name,) = ended
    here = GAME if ended[name] is not GONE else without(GAME, GAME.rows[-2].version, name)
    for data in (elsewhere(**ended), changed(here, GAME.rows[-2].version, **(ended if here is GAME else {}))):
        found = found_by_both(data)
        assert (found.code, found.version) == ("MISSHAPEN", GAME.rows[-2].version)


def without(game: Written, version: int, field: str) -> Written:
    """A game in which an event does not say one thing that it said."""
    row = game.rows[version - 1]
    public = json.loads(row.public)
    del public["data"][field]
    return replace(game, rows=tuple(rebuilt(game.rows, {version: row._replace(public=canonical(public))})))


def test_what_every_verifier_needs_is_missed_where_it_should_stand() -> None:
    taken = next(row.version for row in GAME.rows if '"name":"game.seat_taken"' in row.public)
    last = len(GAME.rows)
    for version, field, code, line in (
        (taken, "seat", "MISSHAPEN", taken + 1),
        (taken, "entropy", "MISSHAPEN", taken + 1),
        (1, "secret_hash", "SECRET_HASH", last + 1),
        (last, "secret", "SECRET_HASH", last + 1),
    ):
        game = without(GAME, version, field)
        found = found_by_both(bundle_of(RULESET, game.rows))
        assert (found.code, found.line) == (code, line)


@pytest.mark.parametrize("game", [GAME, RUNNING], ids=["ended", "going on"])
def test_keys_are_ascii(game: Written) -> None:
    for version in (1, 5):
        for data in ({"\u00e9": 1}, {"more": [{"a": {"\U0001f600": 1}}]}):
            found = found_by_both(changed(game, version, **data))
            assert (found.code, found.line) == ("NOT_JSON", version + 1)
    changed_text = changed(game, 5, more="\u00e9")  # a value may be of any letters, for what its form allows
    assert found_in(changed_text).code in ("RULES", "FOLD")


def test_a_key_stands_once_in_an_object() -> None:
    lines = GAME.bundle().splitlines(keepends=True)
    lines[5] = lines[5].replace(b'"version":5}', b'"version":5,"version":5}')
    assert found_by_both(closed(lines[:-1])).line == 6


@pytest.mark.parametrize("game", [GAME, RUNNING], ids=["ended", "going on"])
def test_a_field_is_sealed_or_not_and_the_command_is_no_field(game: Written) -> None:
    row = next(row for row in game.rows if json.loads(row.public)["sealed"])
    sealed = json.loads(row.public)["sealed"]
    (field, seal), *_ = sealed.items()
    for data in (
        saying(game, row.version, sealed={**sealed, COMMAND: seal}),
        changed(game, row.version, **{field: "beside"}),
    ):
        found = found_by_both(data)
        assert (found.code, found.version) == ("MISSHAPEN", row.version)


TEXT: Final = "00\nChecked: all of it.\nconsistent; anchored\n\x1b[8m"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(lambda: forked(from_hash=TEXT), id="a hash that is text"),
        pytest.param(lambda: forked(from_hash="AB" * 32), id="a hash in capitals"),
        pytest.param(lambda: forked({"game": TEXT}, from_game=TEXT), id="a game that is text"),
        pytest.param(lambda: forked(from_version=0), id="a version before the first"),
        pytest.param(lambda: forked({"at": 2**53 - 1}), id="a version that no decision reaches"),
        pytest.param(lambda: forked(begun={"turn_seconds": 3600}), id="a deadline"),
        pytest.param(lambda: forked(begun={"seats": 9}), id="seats that its title does not take"),
        pytest.param(lambda: forked(retired=(99,)), id="a retired seat that is not there"),
        pytest.param(lambda: forked(retired=(0, 0)), id="a seat that retired twice"),
        pytest.param(lambda: forked(retired=(-1,)), id="a retired seat before the first"),
    ],
)
def test_a_practice_game_that_cannot_leave_another_so_is_found(data: Any) -> None:
    found = found_in(data())
    assert (found.code, found.line, found.version) == ("RULES", 2, 1)
    assert str(found).isprintable()


@pytest.mark.parametrize(
    "change",
    [
        {"from_hash": TEXT},
        {"from_game": TEXT},
        {"from_version": 0},
        {"retired": [5]},
        {"past": [{"name": "gravwell.bogus", "schema": 1, "data": {}, "sealed": {}}]},
    ],
)
def test_a_practice_game_that_goes_on_and_cannot_leave_another_so_is_found(change: dict[str, Any]) -> None:
    running = PRACTICE.up_to(PRACTICE.pauses[0])
    verify(read(running.bundle()))
    found = found_in(changed(running, 2, **change))
    assert (found.code, found.line, found.version) == ("FOLD", 3, 2)


@pytest.mark.parametrize("seats", [-1, 0, 1, 5, 40_000_000, 2**53 - 1, True, "2", None])
def test_no_seats_are_made_for_a_game_that_its_title_does_not_take(seats: Any) -> None:
    found = found_in(changed(RUNNING, 1, seats=seats))
    assert (found.code, found.line, found.version) == ("FOLD", 2, 1)


def test_nothing_of_a_file_that_would_steer_a_terminal_is_told_as_it_stands() -> None:
    found = found_in(changed(GAME, 5, **{"a\x1b[2J\n": "\x9b\u202e\u2028"}))
    assert (found.code, found.version) == ("RULES", 5)
    assert str(found).isprintable()
    assert "\\x1b" in str(found)


@pytest.mark.parametrize("days", [0, 29, 31])
def test_a_game_that_is_open_expires_after_thirty_days_and_not_at_another_time(days: int) -> None:
    forgery = Forgery()
    decision = forgery.command(opened(), CODEC.command_json(OPEN))
    due = BEGUN + timedelta(days=days)
    forgery.add(games.expire(decision.game, due, SECRET), ByClock(due), BEGUN + timedelta(days=40))
    found = found_in(bundle_of(RULESET, forgery.rows))
    assert (found.code, found.version) == ("RULES", len(opened().events) + 1)


@pytest.mark.parametrize(
    "said",
    [
        {"start": "yes"},
        {"start": 1},
        {"sit": 1},
        {"bots": False},
        {"turn_seconds": True},
        {"seats": "2"},
        {"ruleset": None},
        {"options": None},
        {"options": {"more": 1}},
        {"more": 1},
    ],
    ids=repr,
)
def test_a_game_is_opened_by_a_command_of_the_right_types_and_no_other(said: dict[str, Any]) -> None:
    """Whoever takes a type for another one that is nearly the same makes the very game that is here."""
    forgery = Forgery()
    command = replace(OPEN, turn_seconds=1) if "turn_seconds" in said else OPEN
    asked = CODEC.command_json(command)["open_game"]
    assert isinstance(asked, dict)
    found = found_in(forgery.end(forgery.command(opened(command), {"open_game": {**asked, **said}})))
    assert (found.code, found.version) == ("RULES", 1)


@pytest.mark.parametrize("command", [{"open_game": 5}, {"open_game": None}, {}, [], 5, {"a": 1, "b": 2}], ids=repr)
def test_a_command_that_is_none_opens_no_game(command: Any) -> None:
    forgery = Forgery()
    found = found_in(forgery.end(forgery.command(opened(), command)))
    assert (found.code, found.version) == ("RULES", 1)
