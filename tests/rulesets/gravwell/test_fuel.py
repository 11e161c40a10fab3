"""Choosing fuel in secret, changing one's mind, and the reveal."""

from itertools import permutations, takewhile

import pytest

from domain.ruleset import HIDDEN, Refused, Secret, redacted
from domain.rulesets.gravwell import RULESET
from domain.rulesets.gravwell.board import Fuel
from domain.rulesets.gravwell.commands import Command, DecideStop, DraftStack, Stop
from domain.rulesets.gravwell.events import Event, FuelChosen, FuelOrder, FuelRevealed, StopUsed
from domain.rulesets.gravwell.state import Stage
from tests.rulesets.gravwell.races import fold, fuel, fuels, lapse, names, race, turn, turns

STATE = race("A10 B12 C30 D1 26 D2 36", "BFJN", "CGKS", "DHLQ")


def test_a_choice_is_sealed_to_its_seat() -> None:
    events = turn(STATE, 1, fuel("G IF_BACKWARD"))
    assert events == (FuelChosen(1, Secret(FuelOrder(Fuel.G, Stop.IF_BACKWARD), (1,))),)
    assert redacted(events[0], 1) == events[0]
    assert all(redacted(events[0], viewer) == FuelChosen(1, Secret(HIDDEN, (1,))) for viewer in (None, 0, 2))


def test_those_who_have_not_chosen_are_awaited() -> None:
    assert RULESET.awaiting(STATE) == (0, 1, 2)
    assert RULESET.awaiting(fold(turn(STATE, 1, fuel("G")), STATE)) == (0, 2)


def test_when_all_have_chosen_the_cards_are_revealed_and_leave_the_hands() -> None:
    events = fuels(STATE, "F", "C", "L")
    assert events[3] == FuelRevealed(1, 1, (Fuel.F, Fuel.C, Fuel.L))
    state = fold(events, STATE)
    assert ["".join(hand.cards) for hand in state.hands] == ["BJN", "GKS", "DHQ"]
    assert names(events[3:]) == ["FuelRevealed", *["FuelResolved"] * 3, "PhaseOpened"]
    assert (state.round, state.phase, state.orders) == (1, 2, (None, None, None))


def test_what_a_stop_was_told_is_not_revealed_where_it_is_not_used() -> None:
    never, if_backward = (fuels(STATE, f"B {stop}", "C", "L")[3:] for stop in ("NEVER", "IF_BACKWARD"))
    assert never == if_backward  # A comes from 10 toward B on 12


def test_the_last_choice_counts() -> None:
    events = turns(STATE, (0, fuel("F")), (0, fuel("N")), (1, fuel("C")), (2, fuel("L")))
    assert events[-5] == FuelRevealed(1, 1, (Fuel.N, Fuel.C, Fuel.L))


def test_a_choice_may_be_changed_sixteen_times() -> None:
    state = fold(turns(STATE, *[(0, fuel("B")), (0, fuel("F"))] * 8, (0, fuel("J"))), STATE)
    assert RULESET.legal(state, 0) == ()
    assert RULESET.legal(state, 1) != ()
    with pytest.raises(Refused) as refused:
        turn(state, 0, fuel("N"))
    assert (refused.value.code, refused.value.facts) == ("TOO_MANY_CHANGES", {"limit": 16})


def test_changes_are_counted_for_each_phase() -> None:
    state = fold(turns(STATE, *[(0, fuel("B"))] * 17, (1, fuel("C")), (2, fuel("D"))), STATE)
    assert state.phase == 2
    assert RULESET.legal(state, 0) != ()


def test_orders_resolve_the_same_however_they_arrive() -> None:
    orders = [(0, fuel("J")), (1, fuel("S ALWAYS")), (2, fuel("D IF_BACKWARD"))]
    afters = [turns(STATE, *arrived) for arrived in permutations(orders)]
    assert all(events[3:] == afters[0][3:] for events in afters)
    assert all(fold(events, STATE) == fold(afters[0], STATE) for events in afters)


@pytest.mark.parametrize("others", [(), (1,), (1, 2)])
def test_up_to_the_reveal_nothing_depends_on_what_is_sealed(others: tuple[int, ...]) -> None:
    state = fold(turns(STATE, *((seat, RULESET.legal(STATE, seat)[0]) for seat in others)), STATE)
    seen = [_seen_before_the_reveal(turn(state, 0, command)) for command in RULESET.legal(state, 0)]
    assert len(seen) == 16
    assert all(events == seen[0] for events in seen)


def test_legal_is_every_card_with_every_instruction() -> None:
    state = race("A10 B12 D2 36", "BF", "CG", stops=(True, False))
    assert RULESET.legal(state, 0) == tuple(
        fuel(f"{card} {stop}") for card in "BF" for stop in ("ASK", "NEVER", "ALWAYS", "IF_BACKWARD")
    )
    assert RULESET.legal(state, 1) == (fuel("C"), fuel("G"))


def test_who_has_chosen_may_still_choose() -> None:
    state = fold(turn(STATE, 0, fuel("B")), STATE)
    assert RULESET.legal(state, 0) == RULESET.legal(STATE, 0)


def test_a_lapse_plays_the_first_letter_and_never_stops() -> None:
    (event,) = lapse(STATE)
    assert event == FuelChosen(0, Secret(FuelOrder(Fuel.B, Stop.NEVER), (0,)))


@pytest.mark.parametrize("card", ["A", "C", "Z"])
def test_a_card_that_is_not_in_the_hand_is_refused(card: str) -> None:
    with pytest.raises(Refused) as refused:
        turn(STATE, 0, fuel(card))
    assert (refused.value.code, refused.value.facts) == ("CARD_NOT_IN_HAND", {"card": card})


@pytest.mark.parametrize("stop", ["ASK", "ALWAYS", "IF_BACKWARD"])
def test_an_instruction_to_a_spent_stop_is_refused(stop: str) -> None:
    state = race("A10 B12 D2 36", "BF", "CG", stops=(False, True))
    with pytest.raises(Refused, match="NO_STOP_LEFT"):
        turn(state, 0, fuel(f"B {stop}"))


@pytest.mark.parametrize("command", [DraftStack(0), DecideStop(stop=True)])
def test_a_command_for_another_moment_is_refused(command: Command) -> None:
    with pytest.raises(Refused) as refused:
        turn(STATE, 0, command)
    assert (refused.value.code, refused.value.facts) == ("WRONG_STAGE", {"fitting": "play_fuel"})


def test_a_last_card_without_a_stop_is_chosen_by_itself() -> None:
    state = race("A10 B12 C30 D1 26 D2 36", "BF", "CG", "DH", phase=5, stops=(False, True, False))
    events = fuels(state, "B", "C", "D")
    opened = names(events).index("PhaseOpened")
    assert events[opened + 1 :] == (
        FuelChosen(0, Secret(FuelOrder(Fuel.F, Stop.NEVER), (0,))),
        FuelChosen(2, Secret(FuelOrder(Fuel.H, Stop.NEVER), (2,))),
    )
    assert RULESET.awaiting(fold(events, state)) == (1,)


def test_a_last_card_with_a_stop_left_is_awaited() -> None:
    state = race("A10 B12 D2 36", "BF", "CG", phase=5)
    state = fold(fuels(state, "B", "C"), state)
    assert RULESET.awaiting(state) == (0, 1)
    assert len(RULESET.legal(state, 0)) == 4


def test_where_nobody_has_a_choice_the_phase_plays_itself_into_the_next_round() -> None:
    state = race("A10 B12 D2 36", "BF", "CG", phase=5, stops=(False, False))
    events = fuels(state, "B", "C")
    assert names(events)[-6:] == ["FuelChosen", "FuelChosen", "FuelRevealed", *["FuelResolved"] * 2, "RoundDealt"]
    state = fold(events, state)
    assert (state.stage, state.round, state.stops) == (Stage.DRAFT, 2, (True, True))


def test_a_stop_used_in_phase_5_leaves_no_choice_in_phase_6() -> None:
    state = race("A10 B12 D2 36", "BF", "CG", phase=5)
    events = fuels(state, "B ALWAYS", "C")
    assert StopUsed(0, Fuel.B) in events
    assert RULESET.awaiting(fold(events, state)) == (1,)


def _seen_before_the_reveal(events: tuple[Event, ...]) -> tuple[Event, ...]:
    before = takewhile(lambda event: not isinstance(event, FuelRevealed), events)
    return tuple(redacted(event, None) for event in before)
