"""A game of any title and version is forked at its decisions: what it had come to is written, read and folded."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain import game as games
from domain.canonical import canonical
from domain.chance import draws_from
from domain.game import ForkGame, Sender, Status
from domain.game.events import Forked
from domain.ruleset import Refused
from domain.stream import Row, time_of
from service.codec import codec_of
from service.forking import forking
from service.redeciding import Decided, decided
from tests.rulesets.histories import TITLES, rows_of
from tests.service.test_impact import row_of

SECRET = bytes(range(32))
TURNS = 20


@pytest.fixture(params=sorted(TITLES.glob("*/histories/*.jsonl")), ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def tail(request: pytest.FixtureRequest) -> list[Row]:
    path: Path = request.param
    return rows_of(path.read_text())


def some_in_play(tail: list[Row]) -> Iterator[Decided]:
    """The first decision after which the game is in play, the last one, and two between."""
    opened = json.loads(tail[0].public)["data"]
    running = [
        one for one in decided(codec_of(opened["ruleset"], opened["rules"]), tail) if one.after.status is Status.RUNNING
    ]
    yield from (running[len(running) * part // 3 - (part == 3)] for part in range(4))


def test_a_game_that_met_a_bug_in_its_rules_is_not_forked() -> None:
    tail = rows_of((TITLES / "gravwell/histories/rules-1-default.jsonl").read_text())
    bent = [row._replace(public=row.public.replace("gravwell.race_begun", "gravwell.race_bogus")) for row in tail]
    with pytest.raises(Refused, match="DOES_NOT_FOLD"):
        forking(ForkGame("", 20), row_of(tail), bent)


def test_a_fork_comes_to_the_same_state_and_is_played_on(tail: list[Row]) -> None:
    row = row_of(tail)
    codec, now = codec_of(row.ruleset, row.rules), time_of(json.loads(tail[-1].public)["at"])
    for one in some_in_play(tail):
        decision = forking(ForkGame(str(row.game_id), one.after.version), row, tail)(SECRET, "", now)
        _, forked = decision.events
        assert isinstance(forked, Forked)
        fact = codec.fact(forked)
        public = canonical({"name": fact.name, "schema": 1, "cause": {"first": 1}, "data": fact.data, "sealed": {}})
        assert codec.event(tail[0]._replace(public=public, secret=None)) == forked
        assert decision.game.state == one.after.state
        assert decision.game.awaiting == one.after.awaiting
        chance, game = draws_from(SECRET)("turns"), decision.game
        for _ in range(TURNS):
            if game.status is not Status.RUNNING:
                break
            turns = games.legal(game, min(game.awaiting))
            turn = turns[chance.below(len(turns))]
            game = games.decide(game, Sender(None, host=True), turn, now, SECRET).game
        assert game.version > 2
