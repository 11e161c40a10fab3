"""The house bot: it sees what a seat sees, answers soon, and wins."""

from time import perf_counter

import pytest

from domain.chance import draws_from
from domain.ruleset import Outcome, Setup
from domain.rulesets.novagravity import RULESET
from domain.rulesets.novagravity.commands import Command
from domain.rulesets.novagravity.options import Options
from domain.rulesets.novagravity.state import State
from tests.rulesets.novagravity.duels import DRAWS, act, command, fold, practice

PLIES_MAX = 400


def advised(state: State) -> Command:
    assert RULESET.advise is not None
    seat = state.to_act
    return RULESET.advise(RULESET.view(state, seat), RULESET.legal(state, seat), DRAWS)


@pytest.mark.parametrize("number", range(20))
def test_it_beats_random_play(number: int) -> None:
    draws = draws_from(number.to_bytes(32, "big"))
    bot, chance = number % 2, draws("random play")
    state = fold(RULESET.start(Setup(2, Options()), draws))
    for _ in range(PLIES_MAX):
        if state.end is not None:
            break
        legal = RULESET.legal(state, state.to_act)
        turn = advised(state) if state.to_act == bot else legal[chance.below(len(legal))]
        state = fold(RULESET.decide(state, state.to_act, turn, draws), state)
    outcome = RULESET.outcome(state)
    assert outcome is not None
    assert outcome.ranking[0] == (bot,)


def test_it_answers_within_a_second() -> None:
    state = practice(
        "bB@0,-1 bC@-1,-6 bD@0,-4 bD@0,-7 bD@1,-6 bD@2,-6 bD@4,-7 bD@5,-7 bD@6,-7 bD@7,-6 bE@4,-4 bE@4,-6 bM@3,-6 "
        "bW@1,-3 rB@-1,-2 rC@-5,6 rC@1,4 rD@-1,7 rD@-2,7 rD@-3,7 rD@-4,7 rD@-5,7 rD@-6,6 rD@-7,7 rD@0,7 rE@-4,6 "
        "rE@0,1 rM@-3,5 rW@-7,4",
        "r",
    )
    started = perf_counter()
    advised(state)
    assert perf_counter() - started < 1


def test_it_mates_when_it_can() -> None:
    state = practice("bM@-6,5 bB@-3,6 rM@-7,7")
    assert RULESET.outcome(act(state, advised(state))) == Outcome("checkmate", ((0,), (1,)))


def test_it_does_not_lose_a_bomber_for_a_drone() -> None:
    # The Drone on 3,-4 is covered by the Cruiser on 6,-4: taking it at one step would cost the Bomber.
    state = practice("bM@7,-7 bB@2,-4 bE@6,-7 rD@3,-4 rC@6,-4 rM@-7,7 rE@-7,6 rD@-6,6")
    assert advised(state) != command("2,-4>3,-4")


def test_the_same_view_and_chance_give_the_same_advice() -> None:
    state = practice("bM@7,-7 bB@2,-4 rC@3,-4 rM@-7,7")
    assert advised(state) == advised(state)
