"""Streams that released versions wrote still verify, still fold, and are still what their commands lead to."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from domain.canonical import canonical
from domain.catalogue import CATALOGUE, AnyRuleset
from domain.ruleset import Outcome, redacted
from domain.stream import COMMAND, Row, chain_start, chained, commitment, salt_of, secret_hash
from service.codec import Codec, codec_of
from service.redeciding import decided, decided_anew
from service.streams import folded
from tests.rulesets.histories import TITLES, history_of, rows_of, would_decide_otherwise

PATHS = sorted(TITLES.glob("*/histories/*.jsonl"))

SUCCESSORS = [ruleset for ruleset in CATALOGUE.values() if (ruleset.name, ruleset.version - 1) in CATALOGUE]


@dataclass(frozen=True, slots=True)
class History:
    """A history as it was read: its rows, their public forms, and what the first and the last of them say."""

    rows: list[Row]
    publics: list[dict[str, Any]]
    game: UUID
    secret: bytes
    codec: Codec


@pytest.fixture(params=PATHS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def history(request: pytest.FixtureRequest) -> History:
    path: Path = request.param
    rows = rows_of(path.read_text())
    publics = [json.loads(row.public) for row in rows]
    opened = publics[0]["data"]
    secret = bytes.fromhex(publics[-1]["data"]["secret"])
    return History(rows, publics, UUID(publics[0]["game"]), secret, codec_of(opened["ruleset"], opened["rules"]))


def test_its_chain_is_whole(history: History) -> None:
    assert history.rows[0].prev_hash == chain_start(history.game)
    for before, after in pairwise(history.rows):
        assert after.prev_hash == before.hash
    for row, public in zip(history.rows, history.publics, strict=True):
        assert row.hash == chained(row.prev_hash, row.public)
        assert row.public == canonical(public)
        assert public["version"] == row.version


def test_its_seals_hold_what_they_held(history: History) -> None:
    assert history.publics[0]["data"]["secret_hash"] == secret_hash(history.game, history.secret).hex()
    for row, public in zip(history.rows, history.publics, strict=True):
        values = json.loads(row.secret or "{}")
        commitments = {field: seal["c"] for field, seal in public["sealed"].items()}
        if "command" in public["cause"]:
            commitments[COMMAND] = public["cause"]["command"]
        assert {
            field: commitment(salt_of(history.secret, row.version, field), value) for field, value in values.items()
        } == commitments


def test_it_folds_to_the_end_it_tells_of(history: History) -> None:
    game = folded(history.codec.ruleset.name, history.codec.ruleset.version, history.rows)
    told = history.publics[-2]["data"]
    assert game.outcome == Outcome(told["reason"], tuple(map(tuple, told["ranking"])))
    assert game.version == len(history.rows)


def test_everybody_can_see_it_and_be_told_of_it(history: History) -> None:
    ruleset = history.codec.ruleset
    for viewer in (None, 0):
        state = None
        for event in events_of(history):
            seen = redacted(event, viewer)
            assert history.codec.narrate(seen)
            if type(event) in ruleset.events:
                state = ruleset.evolve(state, seen)
        assert isinstance(ruleset.view(state, viewer), ruleset.view_type)


def test_its_commands_lead_to_the_same_events_again(history: History) -> None:
    codec = history.codec
    for one in decided(codec, history.rows):
        assert decided_anew(codec, one.before, one.stored, history.secret).events == one.events


def test_it_is_written_as_it_was_read(history: History) -> None:
    assert rows_of(history_of(history.rows)) == history.rows


@pytest.mark.parametrize("ruleset", CATALOGUE.values(), ids=lambda ruleset: f"{ruleset.name}-{ruleset.version}")
def test_every_version_of_a_title_has_one(ruleset: AnyRuleset) -> None:
    assert list((TITLES / ruleset.name / "histories").glob(f"rules-{ruleset.version}-*.jsonl"))


@pytest.mark.parametrize("ruleset", SUCCESSORS, ids=lambda ruleset: f"{ruleset.name}-{ruleset.version}")
def test_what_a_version_changed_is_seen_in_one_of_its_histories(ruleset: AnyRuleset) -> None:
    codec, before = codec_of(ruleset.name, ruleset.version), ruleset.version - 1
    paths = (TITLES / ruleset.name / "histories").glob(f"rules-{ruleset.version}-*.jsonl")
    assert any(would_decide_otherwise(before, codec, rows_of(path.read_text())) for path in paths)


def events_of(history: History) -> Iterator[Any]:
    return map(history.codec.event, history.rows)
