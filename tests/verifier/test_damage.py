"""Bundles damaged at random: what is wrong is found, on its line, and called by its name; by both verifiers."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.bundle import Damaged, read
from domain.canonical import canonical
from domain.catalogue import CATALOGUE, NEWEST
from domain.rulesets.gravwell.events import PhaseOpened
from domain.stream import COMMAND, Row, commitment, salt_of
from service.codec import Codec
from service.redeciding import judge
from service.signing import SigningKey
from service.verifying import verify
from tests.verifier import second
from tests.verifier.games import Written, bundle_of, closed, random_game, random_practice, rebuilt

GAMES: Final = [
    next(game for number in range(40) if len((game := random_game(ruleset, number)).rows) > 50 and game.ended)
    for ruleset in NEWEST.values()
]
BUNDLES: Final = [game.bundle().splitlines(keepends=True) for game in GAMES]
OTHERS: Final = [random_game(game.ruleset, 1_000).bundle().splitlines(keepends=True) for game in GAMES]
GOING_ON: Final = [game.up_to(game.pauses[-1]).bundle().splitlines(keepends=True) for game in GAMES]

which = st.integers(0, len(GAMES) - 1)
place = st.integers(0, 10_000)
EXAMPLES: Final = settings(max_examples=60, deadline=None)

IN_A_LINE: Final = {"NOT_JSON", "MISSHAPEN", "NOT_CANONICAL", "CHANGED", "SECRET", "HEADER", "CLOSING", "SIGNATURE"}
"""What may be said of a line whose bytes were changed after it was written."""


def damage(lines: Sequence[bytes]) -> Damaged:
    """What both verifiers find, on the same line."""
    data = b"".join(lines)
    with pytest.raises(Damaged) as raised:
        verify(read(data))
    with pytest.raises(second.Wrong) as other:
        second.found_in(data)
    assert raised.value.line == other.value.line, (str(raised.value), str(other.value))
    return raised.value


def damage_by_rules(data: bytes) -> Damaged:
    """What is found in a bundle in which only the rules can say that something is wrong."""
    second.found_in(data)
    with pytest.raises(Damaged) as raised:
        verify(read(data))
    return raised.value


def event_at(lines: Sequence[bytes], at: int) -> int:
    """The place of one of the events among lines."""
    return 1 + at % (len(lines) - 2)


def assert_flip_is_found(lines: list[bytes], line: int, byte: int, bit: int) -> None:
    """A bit that is flipped somewhere in these lines is found on its line."""
    line %= len(lines)
    byte %= len(lines[line])
    text = bytearray(lines[line])
    text[byte] ^= 1 << bit
    lines[line] = bytes(text)
    found = damage(lines)
    assert found.line == line + 1
    assert found.code in IN_A_LINE


@pytest.mark.parametrize("bundles", [BUNDLES, GOING_ON], ids=["ended", "going on"])
@given(which=which, line=place, byte=place, bit=st.integers(0, 7))
@settings(EXAMPLES, max_examples=150)
def test_a_flipped_bit_is_found_on_its_line(
    bundles: list[list[bytes]], which: int, line: int, byte: int, bit: int
) -> None:
    assert_flip_is_found(list(bundles[which]), line, byte, bit)


@given(which=which, at=place)
@EXAMPLES
def test_a_dropped_event_is_missed_where_it_stood(which: int, at: int) -> None:
    lines = list(BUNDLES[which])
    at = event_at(lines, at)
    del lines[at]
    found = damage(lines)
    assert (found.code, found.line) == ("MISSING", at + 1)
    assert f"event {at} is missing" in found.what or f"events {at} to {at} are missing" in found.what


@given(which=which, at=place, back=place)
@EXAMPLES
def test_a_repeated_event_is_found_where_it_stands_again(which: int, at: int, back: int) -> None:
    lines = list(BUNDLES[which])
    at = event_at(lines, at)
    earlier = 1 + back % at
    lines.insert(at + 1, lines[earlier])
    found = damage(lines)
    assert (found.code, found.line, found.version) == ("REPEATED", at + 2, earlier)


@given(which=which, at=place, apart=place)
@EXAMPLES
def test_swapped_events_are_found_at_the_first_of_them(which: int, at: int, apart: int) -> None:
    lines = list(BUNDLES[which])
    one, other = sorted({event_at(lines, at), event_at(lines, at + 1 + apart % (len(lines) - 3))})
    lines[one], lines[other] = lines[other], lines[one]
    found = damage(lines)
    assert (found.code, found.line, found.version) == ("SWAPPED", one + 1, other)


@given(which=which, at=place)
@EXAMPLES
def test_an_event_of_another_game_is_found_where_it_was_spliced_in(which: int, at: int) -> None:
    lines, others = list(BUNDLES[which]), OTHERS[which]
    at = event_at(lines, at) % (len(others) - 2) or 1
    lines[at] = others[at]
    found = damage(lines)
    assert (found.code, found.line, found.version) == ("SPLICED", at + 1, at)
    assert "another game" in found.what


@given(which=which, at=place)
@EXAMPLES
def test_an_event_of_another_history_of_the_game_is_found_where_it_was_spliced_in(which: int, at: int) -> None:
    game, lines = GAMES[which], list(BUNDLES[which])
    first = 1 + at % (len(game.rows) - 1)
    public = json.loads(game.rows[first - 1].public)
    elsewhere = game.rows[first - 1]._replace(public=canonical({**public, "schema": public["schema"] + 1}))
    branch = bundle_of(game.ruleset, rebuilt(game.rows, {first: elsewhere})).splitlines(keepends=True)
    spliced = first + 1
    lines[spliced] = branch[spliced]
    found = damage(lines)
    assert (found.code, found.line, found.version) == ("SPLICED", spliced + 1, spliced)


@given(which=which, kept=place)
@EXAMPLES
def test_a_bundle_cut_short_is_found_at_its_last_line(which: int, kept: int) -> None:
    lines = BUNDLES[which][: 1 + event_at(BUNDLES[which][:-1], kept)]
    found = damage(closed(lines).splitlines(keepends=True))
    assert (found.code, found.line) == ("MISSING", len(lines) + 1)


def test_a_file_without_its_last_line_is_not_a_bundle() -> None:
    found = damage(BUNDLES[0][:-1])
    assert (found.code, found.line) == ("MISSHAPEN", len(BUNDLES[0]) - 1)


@given(which=which, at=place)
@EXAMPLES
def test_another_secret_than_the_one_sealed_is_found_in_its_event(which: int, at: int) -> None:
    game = GAMES[which]
    row = sealing(game, at)
    values = json.loads(row.secret or "")
    field = sorted(values)[at % len(values)]
    rows = rebuilt(game.rows, {row.version: row._replace(secret=canonical({**values, field: "something else"}))})
    found = damage(bundle_of(game.ruleset, rows).splitlines(keepends=True))
    assert (found.code, found.line, found.version) == ("SECRET", row.version + 1, row.version)
    assert field in found.what


@given(which=which, at=place)
@EXAMPLES
def test_a_command_sealed_anew_with_the_whole_chain_is_found_by_the_rules(which: int, at: int) -> None:
    """What only the server could do: it has the secret, so commitment, chain and signature are all right again."""
    game = GAMES[which]
    row = sealing(game, at, COMMAND)
    rows = rebuilt(game.rows, {row.version: sealed_anew(game, row, COMMAND, {"leave_seat": {}})})
    found = damage_by_rules(bundle_of(game.ruleset, rows))
    assert (found.code, found.line, found.version) == ("RULES", row.version + 1, row.version)


def test_a_hand_dealt_otherwise_with_the_whole_chain_is_found_where_it_was_dealt() -> None:
    game = next(game for game in GAMES if game.ruleset.name == "gravwell")
    row, field, cards = next(
        (row, field, value)
        for row in game.rows
        for field, value in json.loads(row.secret or "{}").items()
        if isinstance(value, list) and len(value) > 1 and value != value[::-1]
    )
    rows = rebuilt(game.rows, {row.version: sealed_anew(game, row, field, cards[::-1])})
    found = damage_by_rules(bundle_of(game.ruleset, rows))
    assert (found.code, found.version) == ("RULES", row.version)
    assert found.what.startswith(f"{field} is ")


@given(which=which, at=place)
@EXAMPLES
def test_a_changed_fact_with_the_whole_chain_is_found_by_the_rules(which: int, at: int) -> None:
    """A card turned up, a place moved to, a winner: any integer or text among the facts of an event."""
    game = GAMES[which]
    row, path = fact(game, at)
    public = json.loads(row.public)
    data = json.loads(row.public)["data"]
    data[path] = data[path] + 1 if isinstance(data[path], int) else f"{data[path]}x"
    changed = row._replace(public=canonical({**public, "data": data}))
    found = damage_by_rules(bundle_of(game.ruleset, rebuilt(game.rows, {row.version: changed})))
    assert found.version == row.version
    assert found.code == ("OUTCOME" if public["name"] == "game.ended" else "RULES")
    assert path in found.what


def test_an_outcome_told_otherwise_is_found() -> None:
    for game in GAMES:
        row = game.rows[-2]
        public = json.loads(row.public)
        ranking = public["data"]["ranking"][::-1] or [[0]]
        other = row._replace(public=canonical({**public, "data": {**public["data"], "ranking": ranking}}))
        found = damage_by_rules(bundle_of(game.ruleset, rebuilt(game.rows, {row.version: other})))
        assert (found.code, found.version) == ("OUTCOME", row.version)


def test_another_secret_of_the_game_is_not_the_one_committed_to() -> None:
    game = GAMES[0]
    row = game.rows[-1]
    public = json.loads(row.public)
    other = row._replace(public=canonical({**public, "data": {"secret": "00" * 32}}))
    found = damage(bundle_of(game.ruleset, rebuilt(game.rows, {row.version: other})).splitlines(keepends=True))
    assert (found.code, found.version) == ("SECRET_HASH", row.version)


def test_an_opening_in_a_game_that_goes_on_is_found() -> None:
    game = GAMES[0].up_to(GAMES[0].pauses[-1])
    found = damage(bundle_of(game.ruleset, game.rows, is_open=True).splitlines(keepends=True))
    assert (found.code, found.version) == ("SECRET", 1)


def test_another_bundles_last_line_is_not_this_ones() -> None:
    found = damage([*BUNDLES[0][:-1], BUNDLES[1][-1]])
    assert (found.code, found.line) == ("CLOSING", len(BUNDLES[0]))


def test_a_last_line_by_a_key_that_the_header_does_not_name_is_found() -> None:
    lines = BUNDLES[0][:-1]
    found = damage(closed(lines, SigningKey(bytes(32))).splitlines(keepends=True))
    assert (found.code, found.line) == ("HEADER", 1)


@pytest.mark.parametrize("bundles", [BUNDLES, GOING_ON], ids=["ended", "going on"])
@pytest.mark.parametrize(
    "end",
    [b"", b"\r", b"\x0b", b" ", b"\0", b"\nx", b"\n\xff", b"\n ", b"\n{}"],
    ids=[
        "dropped",
        "flipped to a return",
        "flipped",
        "a space",
        "a zero",
        "one more",
        "no text",
        "one space",
        "an object",
    ],
)
def test_a_file_that_does_not_end_with_a_newline_was_cut_in_the_line_after_the_last_one(
    bundles: list[list[bytes]], end: bytes
) -> None:
    for lines in bundles:
        data = b"".join(lines).removesuffix(b"\n") + end
        found = damage([data])
        assert (found.code, found.line) == ("MISSHAPEN", len(lines) + end.count(b"\n"))
        assert "newline" in found.what


@given(which=which, kept=place)
@EXAMPLES
def test_a_file_cut_anywhere_is_found_in_the_line_where_it_was_cut(which: int, kept: int) -> None:
    data = b"".join(BUNDLES[which])
    data = data[: 1 + kept % (len(data) - 1)]
    found = damage([data])
    whole = data.count(b"\n")
    assert (found.code, found.line) == ("MISSHAPEN", whole if data.endswith(b"\n") else whole + 1)


def test_more_than_the_last_line_is_found() -> None:
    found = damage([*BUNDLES[0], BUNDLES[0][-1]])
    assert (found.code, found.line) == ("MISSHAPEN", len(BUNDLES[0]))


@given(st.binary(max_size=400) | st.lists(st.sampled_from(BUNDLES[0][:4] + BUNDLES[0][-2:])).map(b"".join))
@EXAMPLES
def test_whatever_is_read_is_refused_by_a_line_and_never_breaks(data: bytes) -> None:
    with pytest.raises(Damaged) as raised:
        read(data)
    assert 1 <= raised.value.line <= data.count(b"\n") + 1


@pytest.mark.parametrize(
    "value",
    ["[" * 100_000, "1e400", "NaN", '{"a":1.0}', '"\\ud800"', "9" * 5_000, '{"a":1,"a":1}', "\u00e9", "", "null", "{}"],
)
def test_no_line_of_nonsense_breaks_the_reader(value: str) -> None:
    for at in (0, 1, len(BUNDLES[0]) - 1):
        lines = list(BUNDLES[0])
        lines[at] = value.encode() + b"\n"
        assert damage(lines).line == at + 1


def practice_of_length(least: int) -> Written:
    """A practice game under rules 2, of a game under rules 1, that has ended."""
    games = (random_practice(RULES_2, number) for number in range(0, 200, 2))
    return next(game for game in games if game.ended and len(game.rows) > least)


RULES_2: Final = CATALOGUE["gravwell", 2]
PRACTICE: Final = practice_of_length(20)


@given(line=place, byte=place, bit=st.integers(0, 7))
@EXAMPLES
def test_a_flipped_bit_of_a_practice_game_is_found_on_its_line(line: int, byte: int, bit: int) -> None:
    assert_flip_is_found(PRACTICE.bundle().splitlines(keepends=True), line, byte, bit)


@given(at=place)
@EXAMPLES
def test_a_changed_fact_after_the_fork_is_found_by_the_rules(at: int) -> None:
    row, field = fact(replace(PRACTICE, rows=PRACTICE.rows[1:]), at)
    public = json.loads(row.public)
    value = public["data"][field]
    public["data"][field] = value + 1 if isinstance(value, int) else f"{value}x"
    changed = rebuilt(PRACTICE.rows, {row.version: row._replace(public=canonical(public))})
    found = damage_by_rules(bundle_of(PRACTICE.ruleset, changed))
    assert (found.code, found.version) == ("OUTCOME" if public["name"] == "game.ended" else "RULES", row.version)


@pytest.mark.parametrize("change", [{"game": str(GAMES[0].game_id)}, {"at": 1}, {"rules": 1}, {"at": "1"}])
def test_a_fork_that_its_command_does_not_ask_for_is_found(change: dict[str, Any]) -> None:
    asked = json.loads(PRACTICE.rows[0].secret or "")[COMMAND]["fork_game"]
    command = {"fork_game": {**asked, **change}}
    rows = rebuilt(PRACTICE.rows, {1: sealed_anew(PRACTICE, PRACTICE.rows[0], COMMAND, command)})
    found = damage_by_rules(bundle_of(RULES_2, rows))
    assert (found.code, found.line, found.version) == ("RULES", 2, 1)


def test_a_past_that_makes_no_sense_is_found_in_the_decision_that_begins_with_it() -> None:
    public = json.loads(PRACTICE.rows[1].public)
    public["data"]["past"][0]["name"] = "gravwell.bogus"
    rows = rebuilt(PRACTICE.rows, {2: PRACTICE.rows[1]._replace(public=canonical(public))})
    found = damage_by_rules(bundle_of(RULES_2, rows))
    assert (found.code, found.version) == ("RULES", 1)


def test_of_a_practice_game_it_is_said_what_it_goes_on_from_and_whose_chance_it_was() -> None:
    forked = json.loads(PRACTICE.rows[1].public)["data"]
    told = verify(read(PRACTICE.bundle())).told()
    (source,) = (line for line in told if line.startswith("A practice game"))
    assert f"event {forked['from_version']} of game {forked['from_game']}, hash {forked['from_hash']}" in source
    assert "Not checked" in source
    assert any(line.startswith("No seat gave entropy.") for line in told)


def sealing(game: Written, at: int, field: str | None = None) -> Row:
    """One of the events that seal something, or that field."""
    rows = [row for row in game.rows if row.secret and (field is None or field in json.loads(row.secret))]
    return rows[at % len(rows)]


def sealed_anew(game: Written, row: Row, field: str, value: Any) -> Row:
    """An event with another value sealed in it, committed to as the server would."""
    public, values = json.loads(row.public), json.loads(row.secret or "")
    sealed = commitment(salt_of(game.secret, row.version, field), value)
    if field == COMMAND:
        public["cause"]["command"] = sealed
    else:
        public["sealed"][field]["c"] = sealed
    return row._replace(public=canonical(public), secret=canonical({**values, field: value}))


def fact(game: Written, at: int) -> tuple[Row, str]:
    """One of the plain facts in a game, as they followed from its rules and its chance."""
    facts = [
        (row, field)
        for row in game.rows[1:-1]
        for field, value in json.loads(row.public)["data"].items()
        if isinstance(value, int | str) and not isinstance(value, bool) and field != "entropy"
    ]
    return facts[at % len(facts)]


def changed_publicly(game: Written, version: int, **change: Any) -> bytes:
    """The bundle of a game in which an event says something else, and the chain is right again from there on."""
    row = game.rows[version - 1]
    public = canonical({**json.loads(row.public), **change})
    return bundle_of(game.ruleset, rebuilt(game.rows, {version: row._replace(public=public)}), is_open=game.ended)


def named(game: Written) -> dict[str, Row]:
    """The first event of each name in a game."""
    return {json.loads(row.public)["name"]: row for row in reversed(game.rows)}


@pytest.mark.parametrize("ended", [True, False], ids=["ended", "going on"])
def test_a_shape_that_is_not_known_yet_is_found_whatever_is_in_it(ended: bool) -> None:
    for whole in GAMES:
        game = whole if ended else whole.up_to(whole.pauses[-1])
        for name, row in named(game).items():
            data = json.loads(row.public)["data"]
            # Of the life of a game the form itself says what must be in it.
            nonsense = [] if name.startswith("game.") else [{"bad": 1}]
            for held in (data, {**data, "more": "Jane Doe"}, *nonsense):
                found = damage_by_rules(changed_publicly(game, row.version, schema=77, data=held))
                assert (found.code, found.version) == ("RULES" if ended else "FOLD", row.version)
                assert found.what == "it has a shape that these rules do not write"


@pytest.mark.parametrize("change", [{"more": 1}, {"seat": "0"}, {"seat": None}])
def test_an_event_of_a_game_that_goes_on_holds_what_its_name_says_and_no_more(change: dict[str, Any]) -> None:
    for whole in GAMES:
        game = whole.up_to(whole.pauses[-1])
        row = named(game)["game.lapsed" if "game.lapsed" in named(game) else "game.started"]
        data = json.loads(row.public)["data"]
        found = damage_by_rules(changed_publicly(game, row.version, data={**data, **change}))
        assert (found.code, found.version) == ("FOLD", row.version)


def test_what_an_older_shape_does_not_hold_is_found_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event whose shape has grown since: what was written is brought to the newest, with all that is in it."""
    game = next(game for game in GAMES if game.ruleset.name == "gravwell")
    monkeypatch.setattr(PhaseOpened, "SCHEMA", 2, raising=False)
    codec = Codec(replace(game.ruleset, upcasts={("phase_opened", 1): lambda given: given}))
    assert judge(read(game.bundle()).events, codec, game.secret).outcome is not None
    row = named(game)["gravwell.phase_opened"]
    data = json.loads(row.public)["data"]
    for change in ({"more": "Jane Doe"}, {"phase": True}):
        other = read(changed_publicly(game, row.version, data={**data, **change})).events
        with pytest.raises(Damaged) as raised:
            judge(other, codec, game.secret)
        assert (raised.value.code, raised.value.version) == ("RULES", row.version)
