"""Offers of a draw: one at a time, in one's own turn, refused by a word or by acting, and then not again at once."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from domain.ruleset import Outcome, Refused
from domain.rulesets.novagravity import RULESET
from domain.rulesets.novagravity.board import OFFER_REST_ACTIONS, Ending
from domain.rulesets.novagravity.commands import AnswerDraw, OfferDraw
from domain.rulesets.novagravity.events import DrawDeclined, DrawOffered, DuelEnded, ShipActed
from domain.rulesets.novagravity.state import State
from tests.rulesets.novagravity.duels import act, events_of, practice

ACCEPT, DECLINE = AnswerDraw(accept=True), AnswerDraw(accept=False)


@pytest.fixture
def state() -> State:
    return practice("bM@7,-7 bE@1,-4 rM@-7,7 rE@-1,4")


def test_an_offer_is_made_and_accepted(state: State) -> None:
    assert events_of(state, OfferDraw()) == (DrawOffered(0),)
    agreed = act(act(state, OfferDraw()), ACCEPT, seat=1)
    assert RULESET.outcome(agreed) == Outcome("agreement", ((0, 1),))


def test_an_offer_stands_while_its_maker_acts(state: State) -> None:
    state = act(act(state, OfferDraw()), "1,-4>1,-5")
    assert state.offered_by == 0
    assert events_of(state, ACCEPT) == (DuelEnded(Ending.AGREEMENT, None),)


def test_no_second_offer_is_made_while_one_stands(state: State) -> None:
    state = act(state, OfferDraw())
    with pytest.raises(Refused, match="DRAW_ALREADY_OFFERED"):
        act(state, OfferDraw())
    with pytest.raises(Refused, match="DRAW_ALREADY_OFFERED"):
        act(act(state, "1,-4>1,-5"), OfferDraw())


@pytest.mark.parametrize("answer", [ACCEPT, DECLINE])
def test_only_the_offer_of_the_other_is_answered(state: State, answer: AnswerDraw) -> None:
    for seat in (0, 1):
        with pytest.raises(Refused, match="NO_DRAW_OFFERED"):
            act(state, answer, seat)
    with pytest.raises(Refused, match="NO_DRAW_OFFERED"):
        act(act(state, OfferDraw()), answer, seat=0)


def test_to_act_instead_is_to_refuse(state: State) -> None:
    state = act(act(state, OfferDraw()), "1,-4>1,-5")
    declined, acted = events_of(state, "-1,4>-1,5")
    assert declined == DrawDeclined(1, rest_actions=OFFER_REST_ACTIONS)
    assert isinstance(acted, ShipActed)


def test_after_a_refusal_ten_more_actions_pass_before_the_next_offer(state: State) -> None:
    state = act(act(state, OfferDraw()), DECLINE, seat=1)
    blue, red = wandering("b"), wandering("r")
    for completed in range(10):
        with pytest.raises(Refused) as refusal:
            act(state, OfferDraw())
        assert (refusal.value.code, refusal.value.facts) == ("OFFER_TOO_SOON", {"actions": 10 - completed})
        state = act(act(state, next(blue)), next(red))
    assert act(state, OfferDraw()).offered_by == 0


def test_the_other_may_offer_meanwhile(state: State) -> None:
    state = act(act(act(state, OfferDraw()), DECLINE, seat=1), "1,-4>1,-5")
    assert act(state, OfferDraw()).offered_by == 1


def test_offers_do_not_stand_among_the_legal_turns(state: State) -> None:
    offered = act(state, OfferDraw())
    assert RULESET.legal(offered, 0) == RULESET.legal(state, 0)
    assert RULESET.legal(offered, 1) == ()
    assert RULESET.awaiting(offered) == (0,)


def wandering(side: str) -> Iterator[str]:
    """Ten actions of an Escort that never repeat a position."""
    sign = 1 if side == "b" else -1
    way = ((1, -4), (1, -5), (1, -6), (2, -6), (2, -5), (2, -4), (3, -4), (3, -5), (3, -6), (4, -6), (4, -5))
    for origin, target in pairwise(f"{sign * q},{sign * r}" for q, r in way):
        yield f"{origin}>{target}"
