"""The house bot: it sees what its seat sees, and plays a sensible phase."""

from dataclasses import replace

import pytest

from domain.chance import draws_from
from domain.ruleset import Secret
from domain.rulesets.gravwell import RULESET
from domain.rulesets.gravwell.board import Fuel
from domain.rulesets.gravwell.bot import advise
from domain.rulesets.gravwell.commands import Command, DecideStop, DraftStack, PlayFuel, Stop
from domain.rulesets.gravwell.options import Options
from domain.rulesets.gravwell.state import State
from tests.rulesets.gravwell.races import DRAWS, fold, fuels, race, started, turn


def advice(state: State, seat: int, seed: int = 0) -> Command:
    """What the bot on a seat would do."""
    return advise(RULESET.view(state, seat), RULESET.legal(state, seat), draws_from(seed.to_bytes(32, "big")))


def test_a_bot_on_each_seat_plays_a_whole_race_of_legal_turns() -> None:
    state = started(3)
    while state.outcome is None:
        seat = RULESET.awaiting(state)[0]
        command = advice(state, seat)
        assert command in RULESET.legal(state, seat)
        state = fold(RULESET.decide(state, seat, command, DRAWS), state)


def test_its_advice_is_the_same_for_the_same_draws() -> None:
    state = race("A10 B12 C30 D1 26 D2 36", "BFJNRV", "CGKOSW", "DHLPTX")
    assert len({advice(state, 0, seed=5) for _ in range(3)}) == 1


def test_it_does_not_know_what_its_rivals_hold_or_have_chosen() -> None:
    state = race("A10 B12 C30 D1 26 D2 36", "BFJNRV", "CGKOSW", "DHLPTX")
    other = race("A10 B12 C30 D1 26 D2 36", "BFJNRV", "DHLPTX", "CGKOSW")
    assert advice(state, 0) == advice(other, 0)
    assert advice(fold(turn(state, 1, PlayFuel(Fuel.S, Stop.NEVER)), state), 0) == advice(
        fold(turn(state, 1, PlayFuel(Fuel.C, Stop.ASK)), state), 0
    )


def test_it_escapes_where_it_can() -> None:
    # A is the first letter of all, and B stands where it would end.
    state = race("A52 B53 D2 36", "AKM", "CWZ")
    assert advice(state, 0) == PlayFuel(Fuel.A, Stop.NEVER)


@pytest.mark.parametrize(("before", "stop"), [("A40 B38 D2 36", True), ("A20 B22 D2 36", False)])
def test_asked_it_stops_a_long_way_backward_and_no_way_forward(before: str, stop: bool) -> None:
    state = race(before, "SA", "ZA")
    state = fold(fuels(state, "S ASK", "Z ALWAYS"), state)
    assert advice(state, 0) == DecideStop(stop)


def test_it_drafts_the_stack_with_the_longest_way_on_top() -> None:
    state = started(2, Options(age_rank=(0, 1)))
    tops = (Fuel.A, Fuel.M, Fuel.C, Fuel.E, Fuel.B, Fuel.T)
    state = replace(state, draft=replace(state.draft, face_up=tops, face_down=Secret((), ())))
    assert advice(state, 0) == DraftStack(1)
