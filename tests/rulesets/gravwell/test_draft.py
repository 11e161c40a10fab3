"""The deal and the draft."""

import json
from pathlib import Path
from typing import Any

import pytest

from domain.chance import draws_from
from domain.ruleset import HIDDEN, Refused, Secret, Setup, redacted
from domain.rulesets.gravwell import RULESET
from domain.rulesets.gravwell.board import Fuel
from domain.rulesets.gravwell.commands import DraftStack
from domain.rulesets.gravwell.events import StackDrafted
from domain.rulesets.gravwell.options import Options
from domain.rulesets.gravwell.state import Stage
from tests.rulesets.gravwell.races import dealt, fold, lapse, lapsed, names, started, turn

EXAMPLE: dict[str, Any] = json.loads((Path(__file__).parents[2] / "data" / "format-example.json").read_text())
DRAWS = draws_from(bytes.fromhex(EXAMPLE["seed"]))
DECK: str = EXAMPLE["draws"]["round-1/deck"]


def test_the_deal_is_the_known_answer_of_the_seed() -> None:
    deal = dealt(RULESET.start(Setup(4, Options()), DRAWS))
    assert "".join(deal.face_down_cards.known) == DECK[0:24:2]
    assert "".join(deal.face_up_cards) == DECK[1:24:2]
    assert deal.draft_order == tuple(EXAMPLE["draws"]["age-rank"])


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_three_stacks_a_seat_are_dealt(seats: int) -> None:
    deal = dealt(RULESET.start(Setup(seats, Options()), DRAWS))
    assert len(deal.face_up_cards) == len(deal.face_down_cards.known) == 3 * seats
    assert len({*deal.face_up_cards, *deal.face_down_cards.known}) == 6 * seats


def test_nobody_may_look_under_a_stack() -> None:
    deal = dealt(RULESET.start(Setup(3, Options()), DRAWS))
    assert deal.face_down_cards.to == ()
    assert all(redacted(deal, viewer).face_down_cards.value is HIDDEN for viewer in (None, 0, 1, 2))


def test_in_round_1_the_youngest_drafts_first() -> None:
    state = started(3, Options(age_rank=(2, 0, 1)))
    assert state.draft.order == (2, 0, 1)
    assert RULESET.awaiting(state) == (2,)


def test_a_stack_taken_is_two_cards_in_the_hand_of_which_one_is_secret() -> None:
    state = fold(RULESET.start(Setup(4, Options(age_rank=(3, 0, 1, 2))), DRAWS))
    events = turn(state, 3, DraftStack(4))
    lower, upper = Fuel[DECK[8]], Fuel[DECK[9]]
    assert events == (StackDrafted(3, 4, upper, Secret(lower, (3,))),)
    assert set(fold(events, state).hands[3].cards) == {lower, upper}
    assert RULESET.awaiting(fold(events, state)) == (0,)


def test_all_passes_go_in_the_same_order() -> None:
    state = started(2, Options(age_rank=(1, 0)))
    drafters: list[int] = []
    while state.stage is Stage.DRAFT:
        drafters += RULESET.awaiting(state)
        state = fold(lapse(state), state)
    assert drafters == [1, 0, 1, 0, 1]


def test_the_last_stack_is_taken_by_itself_and_the_first_phase_opens() -> None:
    state = started(2, Options(age_rank=(0, 1)))
    for seat, stack in ((0, 5), (1, 3), (0, 2), (1, 1)):
        state = fold(turn(state, seat, DraftStack(stack)), state)
    events = turn(state, 0, DraftStack(0))
    assert names(events) == ["StackDrafted", "StackDrafted", "PhaseOpened"]
    assert [(event.seat, event.stack) for event in events if isinstance(event, StackDrafted)] == [(0, 0), (1, 4)]
    state = fold(events, state)
    assert (state.stage, state.round, state.phase) == (Stage.FUEL, 1, 1)
    assert [hand.size for hand in state.hands] == [6, 6]


def test_a_lapse_takes_the_first_stack_that_is_left() -> None:
    state = started(2, Options(age_rank=(0, 1)))
    state = fold(turn(state, 0, DraftStack(0)), state)
    (event,) = lapse(state)
    assert isinstance(event, StackDrafted)
    assert (event.seat, event.stack) == (1, 1)


def test_a_taken_stack_is_refused() -> None:
    state = started(2, Options(age_rank=(0, 1)))
    state = fold(turn(state, 0, DraftStack(3)), state)
    with pytest.raises(Refused) as refused:
        turn(state, 1, DraftStack(3))
    assert (refused.value.code, refused.value.facts) == ("STACK_TAKEN", {"stack": 3, "seat": 0})


@pytest.mark.parametrize("stack", [-1, 6, 2**53])
def test_a_stack_that_was_not_dealt_is_refused(stack: int) -> None:
    with pytest.raises(Refused) as refused:
        turn(started(2, Options(age_rank=(0, 1))), 0, DraftStack(stack))
    assert (refused.value.code, refused.value.facts) == ("NO_SUCH_STACK", {"stack": stack, "last": 5})


def test_a_pick_out_of_turn_is_refused() -> None:
    with pytest.raises(Refused, match="NOT_AWAITED"):
        turn(started(2, Options(age_rank=(0, 1))), 1, DraftStack(0))


def test_legal_are_the_stacks_that_are_left_for_the_drafter_alone() -> None:
    state = started(2, Options(age_rank=(0, 1)))
    state = fold(turn(state, 0, DraftStack(3)), state)
    assert RULESET.legal(state, 1) == tuple(DraftStack(stack) for stack in (0, 1, 2, 4, 5))
    assert RULESET.legal(state, 0) == ()


def test_every_round_is_dealt_from_all_cards_shuffled_anew() -> None:
    state = lapsed(fold(RULESET.start(Setup(4, Options()), DRAWS)), Stage.FUEL)
    first = {card for hand in state.hands for card in hand.cards}
    while state.round == 1:
        state = fold(RULESET.lapse(state, RULESET.awaiting(state)[0], DRAWS), state)
    second = DRAWS("round-2/deck").shuffled(Fuel)
    assert len(first) == 24
    assert state.draft.face_up == second[1:24:2]
    assert state.stops == (True,) * 4
