"""How a race ends."""

import pytest

from domain.ruleset import Refused
from domain.rulesets.gravwell import RULESET
from domain.rulesets.gravwell.board import GATE, Fuel
from domain.rulesets.gravwell.commands import DraftStack
from domain.rulesets.gravwell.events import RaceEnded
from domain.rulesets.gravwell.options import Options
from domain.rulesets.gravwell.rules import resolved
from domain.rulesets.gravwell.state import Stage
from tests.rulesets.gravwell.races import fold, fuel, fuels, lapse, names, race, started, track, turn


def test_entering_the_gate_ends_the_race_and_later_letters_do_not_count() -> None:
    state = race("A50 B52 C3 D1 26 D2 36", "LA", "SA", "ZA")
    events = fuels(state, "L", "S", "Z")
    assert names(events[3:]) == ["FuelRevealed", "FuelResolved", "RaceEnded"]
    assert events[-1] == RaceEnded("escaped", ((0,), (1,), (2,)))
    assert fold(events, state).ships == track("A54 B52 C3 D1 26 D2 36")


def test_a_seat_pulled_through_the_gate_wins_on_anothers_card() -> None:
    # Both derelicts stand where B would end, so that it is bumped from 53 to the gate.
    state = race("A50 B49 C3 D1 52 D2 53", "QA", "SA", "ZA")
    events = fuels(state, "Q", "S", "Z")
    assert events[-1] == RaceEnded("escaped", ((1,), (0,), (2,)))
    assert [move.ship for move in resolved(state.ships, 0, Fuel.Q, Options(), (0, 1, 2)).moves] == [1]


def test_seats_in_the_singularity_share_a_place() -> None:
    state = race("A50 B0 C0 E7 D1 26 D2 52", "LA", "SA", "ZA", "YA")
    assert fuels(state, "L", "S", "Z", "Y")[-1] == RaceEnded("escaped", ((0,), (3,), (1, 2)))


def test_after_the_end_nobody_is_awaited_and_nothing_is_legal() -> None:
    state = race("A50 B52 D2 36", "LA", "SA")
    state = fold(fuels(state, "L", "S"), state)
    assert state.stage is Stage.OVER
    assert GATE in state.ships
    assert RULESET.awaiting(state) == ()
    assert RULESET.legal(state, 0) == RULESET.legal(state, 1) == ()
    for command in (fuel("A"), DraftStack(0)):
        with pytest.raises(Refused, match="NOT_AWAITED"):
            turn(state, 0, command)


@pytest.mark.parametrize(("seats", "bound"), [(2, 102), (3, 156), (4, 210)])
def test_the_clock_alone_ends_a_race_within_its_bound(seats: int, bound: int) -> None:
    for seed in range(3):
        state, lapses = started(seats, Options(), seed), 0
        while state.outcome is None:
            state, lapses = fold(lapse(state), state), lapses + 1
        assert lapses <= bound
