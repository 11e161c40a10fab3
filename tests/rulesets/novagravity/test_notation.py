"""The text of a game says what was played, and can be played again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.chance import draws_from
from domain.ruleset import Setup
from domain.rulesets.novagravity import RULESET
from domain.rulesets.novagravity.board import OPENING, Ending
from domain.rulesets.novagravity.events import DuelEnded, Event
from domain.rulesets.novagravity.notation import game_of, game_text
from domain.rulesets.novagravity.options import Blue, Options
from tests.rulesets.novagravity.duels import DRAWS, command, fold
from tests.rulesets.novagravity.positions import text


def played(options: Options, *actions: str) -> list[Event]:
    events = list(RULESET.start(Setup(2, options), DRAWS))
    for action in actions:
        state = fold(events)
        events += RULESET.decide(state, state.to_act, command(action), DRAWS)
    return events


def lines(ships: str, *actions: str, side: str = "b", obstacles: str = "-") -> list[str]:
    """The actions of a practice game, one a line."""
    found = game_text(played(Options(start_from=text(ships, side, obstacles)), *actions))
    return found.partition("\n\n")[2].splitlines()


def test_a_game_is_a_header_and_a_line_for_each_action() -> None:
    events = played(Options(blue=Blue.SEAT_1, layout_seed=1), "1,-6>1,-5", "-1,6>-1,5")
    assert game_text([*events, DuelEnded(Ending.LAPSED, 0)]).splitlines() == [
        '[Ruleset "novagravity"]',
        '[Blue "seat 1"]',
        '[Layout "1"]',
        '[NoProgress "off"]',
        f'[Position "{OPENING} b H:E3,K10;P:D10,F9,J5,L2;A:D1,E12,G3,I12,K1,L11 0 0"]',
        '[Result "seat 0 by lapsed"]',
        "",
        "1. B B3-C4",
        "2. b N7-M7",
    ]


def test_a_line_shows_what_came_of_an_action() -> None:
    assert lines("bC@1,-4 rD@4,-4 bM@7,-7 rM@-7,7 bD@5,1", "1,-4>4,-4") == ["1. C D5*D8"]
    assert lines("bE@4,-4 rC@3,-2 rD@0,3 bM@7,-7 rM@-7,7", "4,-4>3,-2") == ["1. E D8xF9@E8"]
    assert lines("bD@-2,6 bM@7,-7 rM@-7,7", "-2,6>-2,7") == ["1. D N6-O6=B"]
    assert lines("bM@0,-6 bE@0,-5 rW@3,-6 rD@3,4 rM@-7,7", "3,-6>0,-6", side="r") == ["1. w B5xB2!C3"]
    assert lines("bM@0,-6 bE@2,-4 rC@5,-6 rM@-7,7", "5,-6>4,-6", side="r") == ["1. c B7-B6+"]
    assert lines("bE@1,-3 bD@5,-5 bM@7,-7 rM@-7,7", "5,-5>5,-4", obstacles="H@1,-3") == ["1. D C8-D9~E6"]


@given(st.integers(0, 2**32 - 1), st.integers(0, 80))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_a_game_played_again_from_its_text_has_the_same_text(seed: int, plies: int) -> None:
    draws = draws_from(seed.to_bytes(32, "big"))
    chance = draws("game")
    events = list(RULESET.start(Setup(2, Options()), draws))
    for _ in range(plies):
        state = fold(events)
        legal = RULESET.legal(state, state.to_act)
        if not legal:
            break
        events += RULESET.decide(state, state.to_act, legal[chance.below(len(legal))], draws)

    options, acts = game_of(game_text(events))
    again = list(RULESET.start(Setup(2, options), draws))
    for act in acts:
        state = fold(again)
        again += RULESET.decide(state, state.to_act, act, draws)
    assert again == events


def test_a_practice_game_begins_again_where_it_began() -> None:
    options = Options(blue=Blue.SEAT_0, no_progress=True, start_from=text("bE@1,-4 bM@7,-7 rM@-7,7", quiet_plies=5))
    assert game_of(game_text(played(options, "1,-4>1,-5")))[0] == options


@pytest.mark.parametrize(
    ("found", "instead"),
    [("1. B B3-C4", "1. B B3 C4"), ("1. B B3-C4", "Bomber forward!"), ('[Layout "1"]\n', ""), ("seat 0", "seat 7")],
    ids=["no mark", "talk", "no layout", "no such seat"],
)
def test_what_is_not_the_text_of_a_game_is_refused(found: str, instead: str) -> None:
    good = game_text(played(Options(blue=Blue.SEAT_0, layout_seed=1), "1,-6>1,-5"))
    assert found in good
    with pytest.raises(ValueError):  # noqa: PT011  (each with words of its own)
        game_of(good.replace(found, instead))
