"""The Emergency Stop: asked at one's own letter, or instructed beforehand."""

import pytest

from domain.ruleset import Refused
from domain.rulesets.gravwell import RULESET
from domain.rulesets.gravwell.board import Fuel
from domain.rulesets.gravwell.commands import DecideStop
from domain.rulesets.gravwell.events import Event, Move, StopAsked, StopUsed
from domain.rulesets.gravwell.state import Stage, State
from tests.rulesets.gravwell.races import fold, fuel, fuels, lapse, names, race, track, turn

FORWARD = "A20 B22 D1 26 D2 36"
BACKWARD = "A20 B18 D1 26 D2 36"
STUCK = "A31 B0 D1 26 D2 36"


def resolving(text: str, order: str) -> tuple[State, tuple[Event, ...]]:
    """A race on this track where A gave this order and B stops its Z, and the events from the reveal on."""
    state = race(text, order[0] + "AB", "ZCE")
    events = fuels(state, order, "Z ALWAYS")
    return fold(events[:2], state), events[2:]


@pytest.mark.parametrize(
    ("text", "order", "first"),
    [
        (FORWARD, "D NEVER", "FuelResolved"),
        (BACKWARD, "D NEVER", "FuelResolved"),
        (FORWARD, "D ALWAYS", "StopUsed"),
        (STUCK, "R ALWAYS", "FuelResolved"),
        ("A0 B1 D2 36", "N ALWAYS", "FuelResolved"),
        (FORWARD, "D IF_BACKWARD", "FuelResolved"),
        (BACKWARD, "D IF_BACKWARD", "StopUsed"),
        (FORWARD, "U IF_BACKWARD", "StopUsed"),
        (BACKWARD, "U IF_BACKWARD", "FuelResolved"),
        (STUCK, "R IF_BACKWARD", "FuelResolved"),
        ("A0 B1 D2 36", "N IF_BACKWARD", "FuelResolved"),
        ("A4 B3 D2 36", "M IF_BACKWARD", "StopUsed"),
        (FORWARD, "J IF_BACKWARD", "FuelResolved"),
        (FORWARD, "D ASK", "StopAsked"),
        (BACKWARD, "D ASK", "StopAsked"),
        (STUCK, "R ASK", "FuelResolved"),
        ("A0 B1 D2 36", "N ASK", "FuelResolved"),
        (FORWARD, "J ASK", "StopAsked"),
        ("A0 B0 D1 0 D2 0", "Q ASK", "FuelResolved"),
    ],
)
def test_an_instruction_stops_asks_or_lets_the_card_be_resolved(text: str, order: str, first: str) -> None:
    _, (revealed, event, *_) = resolving(text, order)
    assert names([revealed, event]) == ["FuelRevealed", first]


def test_a_seat_is_asked_with_what_its_card_would_do_after_the_earlier_letters() -> None:
    state = race("A20 B23 D1 26 D2 36", "MA", "BA")
    events = fuels(state, "M ASK", "B")
    assert names(events) == ["FuelChosen", "FuelChosen", "FuelRevealed", "FuelResolved", "StopAsked"]
    assert events[-1] == StopAsked(0, Fuel.M, (Move(0, 20, 30, ()),))
    state = fold(events, state)
    assert (state.stage, state.ships[1]) == (Stage.STOP, 25)
    assert RULESET.awaiting(state) == (0,)


def asked() -> State:
    """A is asked about D, with Z of B to follow."""
    state, events = resolving(BACKWARD, "D ASK")
    return fold(events, state)


def test_a_stop_used_spends_it_and_the_phase_goes_on() -> None:
    state = asked()
    events = turn(state, 0, DecideStop(stop=True))
    assert events[:2] == (StopUsed(0, Fuel.D), StopUsed(1, Fuel.Z))
    state = fold(events, state)
    assert state.stops == (False, False)
    assert state.ships == track(BACKWARD)
    assert (state.phase, state.hands[0].cards) == (2, (Fuel.A, Fuel.B))


def test_a_stop_not_used_stays_ready() -> None:
    state = asked()
    state = fold(turn(state, 0, DecideStop(stop=False)), state)
    assert state.stops == (True, False)
    assert state.ships == track("A15", track(BACKWARD))


def test_a_lapse_does_not_use_the_stop_asked_about() -> None:
    state = asked()
    assert lapse(state) == turn(state, 0, DecideStop(stop=False))


def test_only_the_seat_asked_answers() -> None:
    assert RULESET.legal(asked(), 0) == (DecideStop(stop=False), DecideStop(stop=True))
    assert RULESET.legal(asked(), 1) == ()
    with pytest.raises(Refused, match="NOT_AWAITED"):
        turn(asked(), 1, DecideStop(stop=True))


def test_the_seat_asked_cannot_change_its_card() -> None:
    with pytest.raises(Refused) as refused:
        turn(asked(), 0, fuel("A"))
    assert (refused.value.code, refused.value.facts) == ("WRONG_STAGE", {"fitting": "decide_stop"})


def test_a_stop_cancels_ones_own_beam() -> None:
    state, events = resolving("A20 B15 D1 26 D2 36", "J ALWAYS")
    assert StopUsed(0, Fuel.J) in events
    assert fold(events, state).ships == state.ships


def test_stops_are_ready_again_in_the_next_round() -> None:
    state = race(BACKWARD, "D", "Z", phase=6)
    state = fold(fuels(state, "D ALWAYS", "Z ALWAYS"), state)
    assert (state.round, state.stops) == (2, (True, True))
