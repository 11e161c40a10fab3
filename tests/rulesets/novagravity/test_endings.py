"""Each way a duel ends, on the action after which it does."""

import pytest

from domain.ruleset import Outcome
from domain.rulesets.novagravity import RULESET
from domain.rulesets.novagravity.board import NO_PROGRESS_PLIES, Ending
from domain.rulesets.novagravity.events import DuelEnded, ShipActed
from domain.rulesets.novagravity.options import Blue, Options
from domain.rulesets.novagravity.state import State
from tests.rulesets.novagravity.duels import DRAWS, act, duel, events_of, fold, practice
from tests.rulesets.novagravity.positions import text

QUIET = "bM@7,-7 bE@1,-4 rM@-7,7 rE@-1,4"

ENDINGS = """
checkmate        | V40: a Bomber fires along the rim | bM@-6,5 bB@-3,6 rM@-7,7               | -      | -3,6>-4,7
mother_destroyed | an exposed Mother is shot         | bM@7,-7 bC@0,3 rM@-4,3 rD@5,1         | -      | 0,3>-4,3
mother_destroyed | even from a Mother left in check  | bM@7,-7 bC@0,3 rM@-4,3 rC@3,-7 rD@5,1 | -      | 0,3>-4,3
consumed         | V41 on a black hole               | bM@-6,5 bD@-4,5 rM@-7,7               | H@-7,7 | -4,5>-5,5
stalemate        | V41                               | bM@-6,5 bD@-4,5 rM@-7,7               | -      | -4,5>-5,5
insufficient     | V43: the last Drone falls         | bM@3,-6 bW@-1,-4 rM@-3,6 rD@0,-4      | -      | -1,-4>0,-4
"""


def rows(table: str) -> list[object]:
    split = [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]
    return [pytest.param(reason, *rest, id=f"{reason}, {what}") for reason, what, *rest in split]


@pytest.mark.parametrize(("reason", "ships", "obstacles", "action"), rows(ENDINGS))
def test_an_action_ends_the_duel(reason: str, ships: str, obstacles: str, action: str) -> None:
    state = practice(ships, "b", obstacles)
    assert RULESET.outcome(state) is None
    ended = act(state, action)
    won = reason in {"checkmate", "mother_destroyed", "consumed"}
    assert RULESET.outcome(ended) == Outcome(reason, ((0,), (1,)) if won else ((0, 1),))
    assert RULESET.awaiting(ended) == ()
    assert RULESET.legal(ended, 0) == RULESET.legal(ended, 1) == ()


def test_a_mated_mother_is_told_to_be_in_check() -> None:
    acted, ended = events_of(practice("bM@-6,5 bB@-3,6 rM@-7,7"), "-3,6>-4,7")
    assert isinstance(acted, ShipActed)
    assert acted.check
    assert ended == DuelEnded(Ending.CHECKMATE, 0)


def test_the_second_occurrence_goes_on_and_the_third_is_a_draw() -> None:
    state = practice(QUIET)
    shuttle = ("1,-4>1,-5", "-1,4>-1,5", "1,-5>1,-4", "-1,5>-1,4")
    for action in (*shuttle, *shuttle[:3]):
        state = act(state, action)
        assert state.end is None
    assert RULESET.outcome(act(state, shuttle[3])) == Outcome("threefold", ((0, 1),))


def test_the_same_ships_with_the_other_side_to_act_are_another_position() -> None:
    state = practice("bM@7,-7 bE@1,-4 rM@-7,7 rE@-1,4")
    # Blue takes three actions to come back, Red two: the ships stand as before, but it is Red's turn.
    for action in ("1,-4>1,-5", "-1,4>-1,5", "1,-5>2,-5", "-1,5>-1,4", "2,-5>1,-4"):
        state = act(state, action)
    assert state.occurrences == 1


def test_a_destroyed_ship_begins_the_count_anew() -> None:
    state = act(practice("bM@7,-7 bE@1,-4 bD@5,-5 rM@-7,7 rE@2,-4"), "1,-4>2,-4")
    assert (state.occurrences, state.standing.quiet_plies) == (1, 0)


def test_a_promotion_is_progress() -> None:
    state = act(practice("bD@-2,6 bM@7,-7 rM@-7,6", quiet_plies=140), "-2,6>-2,7")
    assert state.standing.quiet_plies == 0


def test_a_swallowed_ship_is_progress() -> None:
    state = act(practice("bE@1,-3 bD@5,-5 bM@7,-7 rM@-7,7", "b", "H@1,-3", quiet_plies=140), "5,-5>5,-4")
    assert state.standing.quiet_plies == 0


def test_150_quiet_actions_are_a_draw_where_that_is_an_option() -> None:
    state = act(practice(QUIET, quiet_plies=NO_PROGRESS_PLIES - 2), "1,-4>1,-5")
    assert state.end is None
    assert RULESET.outcome(act(state, "-1,4>-1,5")) == Outcome("no_progress", ((0, 1),))


def test_without_the_option_they_are_not() -> None:
    start_from = text(QUIET, quiet_plies=NO_PROGRESS_PLIES - 1)
    state = act(duel(Options(blue=Blue.SEAT_0, start_from=start_from)), "1,-4>1,-5")
    assert state.standing.quiet_plies == NO_PROGRESS_PLIES
    assert state.end is None


def test_the_clock_decides_against_whoever_is_to_act() -> None:
    assert RULESET.outcome(lapsed(practice(QUIET))) == Outcome("lapsed", ((1,), (0,)))
    assert RULESET.outcome(lapsed(act(practice(QUIET), "1,-4>1,-5"))) == Outcome("lapsed", ((0,), (1,)))


@pytest.mark.parametrize("seat", [0, 1])
def test_either_side_may_resign_at_any_time(seat: int) -> None:
    assert RULESET.resign is not None
    state = practice(QUIET)
    resigned = fold(RULESET.resign(state, seat), state)
    assert RULESET.outcome(resigned) == Outcome("resigned", ((1 - seat,), (seat,)))


def test_blue_on_the_other_seat_wins_for_that_seat() -> None:
    mate = text("bM@-6,5 bB@-3,6 rM@-7,7")
    state = act(duel(Options(blue=Blue.SEAT_1, start_from=mate)), "-3,6>-4,7")
    assert RULESET.outcome(state) == Outcome("checkmate", ((1,), (0,)))


def lapsed(state: State) -> State:
    return fold(RULESET.lapse(state, state.to_act, DRAWS), state)
