"""What may be agreed before a race."""

from typing import Any

import pytest

from domain.chance import draws_from
from domain.ruleset import HIDDEN, Refused, Setup, redacted
from domain.rulesets.gravwell import RULESET
from domain.rulesets.gravwell.board import Fuel
from domain.rulesets.gravwell.events import HandDealt, RaceBegun, StacksTurnedUp
from domain.rulesets.gravwell.options import DerelictAtGate, NoGravity, Options, SingTie
from domain.rulesets.gravwell.rules import resolved
from domain.rulesets.gravwell.state import Stage, moved
from tests.rulesets.gravwell.races import DRAWS, dealt, fold, fuels, lapse, lapsed, names, race, started, track


def test_the_defaults_are_those_of_the_rule_sheet() -> None:
    assert Options() == Options(
        age_rank=None,
        no_secrets=False,
        hardcore=False,
        random_deal=False,
        no_gravity=NoGravity.STAY,
        sing_tie=SingTie.YOUNGEST_FIRST,
        derelict_at_gate=DerelictAtGate.REMOVED,
    )


def test_an_age_rank_given_is_taken() -> None:
    begun = RULESET.start(Setup(3, Options(age_rank=(1, 2, 0))), DRAWS)[0]
    assert isinstance(begun, RaceBegun)
    assert begun.age_rank == (1, 2, 0)


def test_an_age_rank_not_given_is_drawn() -> None:
    ranks = {started(3, Options(), seed).age_rank for seed in range(60)}
    assert len(ranks) == 6


@pytest.mark.parametrize("rank", [(), (0, 1), (0, 1, 1), (1, 2, 3), (0, 1, 2, 3), (-1, 0, 1)])
def test_an_age_rank_that_does_not_name_each_seat_once_is_refused(rank: tuple[int, ...]) -> None:
    with pytest.raises(Refused) as refused:
        RULESET.start(Setup(3, Options(age_rank=rank)), DRAWS)
    assert (refused.value.code, refused.value.facts["option"]) == ("BAD_OPTION", "age_rank")


def test_no_secrets_with_a_random_deal_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        RULESET.start(Setup(2, Options(no_secrets=True, random_deal=True)), DRAWS)
    assert (refused.value.code, refused.value.facts["option"]) == ("BAD_OPTION", "no_secrets")


def test_without_secrets_the_lower_cards_are_open_until_the_draft_ends() -> None:
    events = RULESET.start(Setup(2, Options(no_secrets=True)), DRAWS)
    assert StacksTurnedUp(dealt(events).face_down_cards.known) in events
    state = fold(events)
    state = fold(lapse(state), state)
    draft = RULESET.view(state, None).draft
    assert draft is not None
    assert tuple(stack.face_down for stack in draft.stacks) == dealt(events).face_down_cards.known
    assert draft.stacks[0].taken_by == state.draft.order[0]
    after = RULESET.view(lapsed(state, Stage.FUEL), None)
    assert after.draft is None
    assert [(seat.hand_size, len(seat.open_cards)) for seat in after.seats] == [(6, 3), (6, 3)]


def test_a_random_deal_replaces_the_draft() -> None:
    events = RULESET.start(Setup(3, Options(random_deal=True)), DRAWS)
    assert names(events) == ["RaceBegun", "RoundDealt", *["HandDealt"] * 3, "PhaseOpened"]
    deck = DRAWS("round-1/deck").shuffled(Fuel)
    for seat, event in enumerate(events[2:5]):
        assert isinstance(event, HandDealt)
        assert (event.size, event.hand.known, event.hand.to) == (6, deck[6 * seat : 6 * seat + 6], (seat,))
        assert redacted(event, None).hand.value is HIDDEN
    assert RULESET.awaiting(fold(events)) == (0, 1, 2)


def test_hardcore_leaves_a_spent_stop_spent() -> None:
    state = race("A20 B18 D2 36", "D", "Z", phase=6, options=Options(hardcore=True))
    state = fold(fuels(state, "D ALWAYS", "Z"), state)
    assert (state.round, state.stops) == (2, (False, True))


@pytest.mark.parametrize(
    ("option", "before", "card", "after"),
    [
        ({"no_gravity": NoGravity.OUTWARD}, "A7 B0 C0 D1 0 D2 0", "W", "A15"),
        ({"no_gravity": NoGravity.OUTWARD}, "A7 B0 C0 D1 0 D2 0", "N", "A1"),
        ({"sing_tie": SingTie.SEAT_ORDER}, "A10 B0 C0 D1 26 D2 36", "J", "B2 C3 D1 24 D2 34"),
        ({"sing_tie": SingTie.YOUNGEST_FIRST}, "A10 B0 C0 D1 26 D2 36", "J", "B3 C2 D1 24 D2 34"),
        ({"derelict_at_gate": DerelictAtGate.STANDS}, "A53 B40 D1 26 D2 52", "J", "B42 D1 28 D2 54"),
        ({"derelict_at_gate": DerelictAtGate.STANDS}, "A48 B40 D1 49 D2 54", "Q", "B43 D1 46 D2 51"),
        ({"derelict_at_gate": DerelictAtGate.STANDS}, "A46 B40 D2 54", "C", "A43"),
        ({"derelict_at_gate": DerelictAtGate.STANDS}, "A49 B40 D2 54", "C", "A52"),
    ],
)
def test_an_open_point_answered_otherwise_moves_the_ships_otherwise(
    option: dict[str, Any], before: str, card: str, after: str
) -> None:
    ships = track(before)
    event = resolved(ships, 0, Fuel[card], Options(**option), age_rank=(2, 1, 0))
    assert moved(ships, event.moves) == track(after, ships)


def test_every_label_of_chance_is_used_once() -> None:
    labels: list[str] = []

    def draws(label: str) -> Any:
        labels.append(label)
        return draws_from(bytes(32))(label)

    state = fold(RULESET.start(Setup(2, Options()), draws))
    while state.outcome is None:
        state = fold(RULESET.lapse(state, RULESET.awaiting(state)[0], draws), state)
    assert labels == ["age-rank", *(f"round-{number}/deck" for number in range(1, state.round + 1))]
