"""What a viewer sees, and what not."""

from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from domain.ruleset import HIDDEN, Secret, Viewer, redacted
from domain.rulesets.gravwell import RULESET
from domain.rulesets.gravwell.board import Fuel
from domain.rulesets.gravwell.commands import DraftStack, Stop
from domain.rulesets.gravwell.events import (
    Event,
    FuelChosen,
    FuelOrder,
    FuelRevealed,
    Move,
    StackDrafted,
    StopUsed,
)
from domain.rulesets.gravwell.gravity import Gravity
from domain.rulesets.gravwell.options import Options
from domain.rulesets.gravwell.state import Stage, State
from domain.rulesets.gravwell.view import GravwellView
from tests.rulesets.gravwell.races import fold, fuel, fuels, lapsed, race, started, turn, whole_race

STATE = race("A20 B22 C18 D1 30", "BFJN", "CGKS", "DHLQ", stops=(True, False, True))


def seen(viewer: Viewer, *events: Event) -> GravwellView:
    """What a viewer sees of the race after these events."""
    return RULESET.view(fold(events, STATE), viewer)


@pytest.mark.parametrize(
    ("ship", "gravity"),
    [
        (0, Gravity(nearest=(1, 2), distance=2, ahead=2, behind=1)),
        (1, Gravity(nearest=(0,), distance=2, ahead=1, behind=2)),
        (4, Gravity(nearest=(1,), distance=8, ahead=0, behind=3)),
    ],
)
def test_the_track_shows_the_nearest_ships_and_how_many_pull_on_either_side(ship: int, gravity: Gravity) -> None:
    (shown,) = (each for each in seen(None).track if each.ship == ship)
    assert shown.gravity == gravity


def test_ships_in_the_singularity_are_not_counted() -> None:
    view = RULESET.view(race("A1 B0 C30", "A", "B", "C"), None)
    assert view.track[0].gravity == Gravity(nearest=(2,), distance=29, ahead=1, behind=0)


def test_a_race_of_two_shows_one_derelict() -> None:
    track = RULESET.view(started(2), None).track
    assert [(each.ship, each.seat, each.space) for each in track] == [(0, 0, 0), (1, 1, 0), (5, None, 36)]


def test_a_seat_sees_its_own_hand_and_others_its_size() -> None:
    assert seen(1).hand == (Fuel.C, Fuel.G, Fuel.K, Fuel.S)
    assert seen(None).hand is None
    assert [(seat.hand_size, seat.open_cards) for seat in seen(0).seats] == [(4, ())] * 3


def test_a_choice_is_seen_by_its_seat_and_that_there_is_one_by_all() -> None:
    event = FuelChosen(1, Secret(FuelOrder(Fuel.G, Stop.NEVER), (1,)))
    assert seen(1, event).order == FuelOrder(Fuel.G, Stop.NEVER)
    assert seen(0, event).order is seen(None, event).order is None
    assert [(seat.chosen, seat.changes_left) for seat in seen(None, event).seats] == [
        (False, 16),
        (True, 16),
        (False, 16),
    ]
    assert seen(None, event, event).seats[1].changes_left == 15


def test_cards_drafted_face_up_are_remembered_until_they_are_played() -> None:
    state = started(2, Options(age_rank=(0, 1)))
    (drafted,) = turn(state, 0, DraftStack(2))
    assert isinstance(drafted, StackDrafted)
    state = fold((drafted,), state)
    assert RULESET.view(state, 1).seats[0].open_cards == (drafted.face_up,)
    state = lapsed(state, Stage.FUEL)
    played = fold((FuelRevealed(1, 1, (drafted.face_up, state.hands[1].cards[0])),), state)
    assert drafted.face_up in RULESET.view(state, None).seats[0].open_cards
    assert drafted.face_up not in RULESET.view(played, None).seats[0].open_cards
    assert RULESET.view(played, None).seats[0].played == (drafted.face_up,)


def test_a_lower_card_is_seen_by_its_drafter_alone() -> None:
    state = started(2, Options(age_rank=(0, 1)))
    (drafted,) = turn(state, 0, DraftStack(2))
    assert isinstance(drafted, StackDrafted)
    state = fold((drafted,), state)
    assert set(RULESET.view(state, 0).hand or ()) == {drafted.face_up, drafted.face_down.known}
    for viewer in (1, None):
        draft = RULESET.view(state, viewer).draft
        assert draft is not None
        assert all(stack.face_down is None for stack in draft.stacks)
        assert (draft.order, draft.drafter, draft.stacks[2].taken_by) == ((0, 1), 1, 0)


def test_the_trace_tells_letter_by_letter_what_happened_and_why() -> None:
    state = race("A20 B15 C27 D1 26 D2 36", "JA", "SB", "TC")
    trace = RULESET.view(fold(fuels(state, "J", "S ALWAYS", "T"), state), None).trace
    assert trace is not None
    assert (trace.round, trace.phase, trace.cards) == (1, 1, (Fuel.J, Fuel.S, Fuel.T))
    assert [(step.card, step.stopped) for step in trace.steps] == [("J", False), ("S", True), ("T", False)]
    assert trace.steps[0].moves == (Move(1, 15, 17, ()), Move(4, 26, 24, ()), Move(2, 27, 25, ()), Move(5, 36, 34, ()))
    # C stands on 25 now, D1 on 24: it goes back by 2 and finds 23 empty.
    assert trace.steps[2].gravity == Gravity(nearest=(4,), distance=1, ahead=1, behind=3)
    assert trace.steps[2].moves == (Move(2, 25, 23, ()),)


def test_the_trace_stays_until_the_next_reveal() -> None:
    state = fold(fuels(STATE, "B", "C", "D"), STATE)
    assert state.phase == 2
    before = RULESET.view(state, None).trace
    assert before is not None
    assert RULESET.view(fold(turn(state, 0, fuel("F")), state), None).trace == before


def test_a_question_shows_what_the_card_would_do() -> None:
    question = RULESET.view(fold(fuels(STATE, "F ASK", "S", "Q"), STATE), 1).question
    assert question is not None
    assert (question.seat, question.card, question.moves) == (0, Fuel.F, (Move(0, 20, 26, ()),))


def test_the_chart_shows_all_cards() -> None:
    chart = seen(None).chart
    assert len(chart) == 26
    assert (chart[12].card, chart[12].element, chart[12].number) == (Fuel.M, "Magnesium", 10)


@pytest.mark.parametrize("options", [Options(), Options(no_secrets=True), Options(random_deal=True, hardcore=True)])
def test_a_fold_of_what_a_viewer_may_see_looks_the_same_to_them(options: Options) -> None:
    viewers: tuple[Viewer, ...] = (None, 0, 1, 2)
    folds: dict[Viewer, State | None] = dict.fromkeys(viewers)
    for moment in whole_race(3, options, seed=7):
        for viewer in viewers:
            folded = folds[viewer] = RULESET.evolve(folds[viewer], redacted(moment.event, viewer))
            view = RULESET.view(moment.after, viewer)
            assert RULESET.view(folded, viewer) == view
            assert not _holds_hidden(view)


@pytest.mark.parametrize("viewer", [None, 0, 1, 2])
def test_every_event_is_told_in_one_sentence(viewer: Viewer) -> None:
    for moment in whole_race(3, Options(no_secrets=True), seed=3):
        sentence = RULESET.narrate(redacted(moment.event, viewer))
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert "HIDDEN" not in sentence


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (StopUsed(0, Fuel.M), "Seat 0 uses its Emergency Stop; M (Mg 10) has no effect."),
        (
            StackDrafted(1, 4, Fuel.M, Secret(HIDDEN, (1,))),
            "Seat 1 takes stack 4: M (Mg 10) and a card face down.",
        ),
        (
            FuelChosen(1, Secret(FuelOrder(Fuel.N, Stop.IF_BACKWARD), (1,))),
            "Seat 1 has chosen N (Ne 6, repulsor), to be stopped if it leads backward.",
        ),
        (FuelChosen(1, Secret(HIDDEN, (1,))), "Seat 1 has chosen its fuel."),
    ],
)
def test_a_sentence_says_what_its_reader_may_know(event: Event, sentence: str) -> None:
    assert RULESET.narrate(event) == sentence


def _holds_hidden(value: Any) -> bool:
    if is_dataclass(value) and not isinstance(value, type):
        return any(_holds_hidden(getattr(value, field.name)) for field in fields(value))
    return any(map(_holds_hidden, value)) if isinstance(value, tuple) else value is HIDDEN
