"""What holds in every race, however it is played."""

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.rulesets.gravwell.board import D1, HAND, SINGULARITY, Kind
from domain.rulesets.gravwell.events import FuelChosen, FuelResolved, FuelRevealed, RoundDealt, StopUsed
from domain.rulesets.gravwell.options import Options
from domain.rulesets.gravwell.state import Hand, State
from tests.rulesets.gravwell.races import Moment, whole_race

OPTIONS = st.builds(Options, hardcore=st.booleans(), random_deal=st.booleans())
RACES = st.builds(whole_race, st.sampled_from((2, 3, 4)), OPTIONS, st.integers(0, 2**32 - 1))


def few(races: int = 6) -> settings:
    """A whole race is a long example."""
    return settings(max_examples=races, deadline=None)


@few()
@given(RACES)
def test_every_card_is_in_one_place(race: list[Moment]) -> None:
    for moment in race:
        cards = [*_lying(moment.after), *(card for hand in moment.after.hands for card in (*hand.cards, *hand.played))]
        assert len(set(cards)) == len(cards)
        if moment.after.phase:
            assert len(cards) == HAND * moment.after.seats


@few()
@given(RACES)
def test_letters_rise_within_a_phase(race: list[Moment]) -> None:
    last = ""
    for moment in race:
        if isinstance(moment.event, FuelRevealed):
            last = ""
        elif isinstance(moment.event, FuelResolved | StopUsed):
            assert last < moment.event.card
            last = moment.event.card


@few()
@given(RACES)
def test_a_stop_is_used_once_a_round_or_once_a_race_where_it_is_hardcore(race: list[Moment]) -> None:
    hardcore = race[0].after.options.hardcore
    used = [
        (0 if hardcore else moment.after.round, moment.event.seat)
        for moment in race
        if isinstance(moment.event, StopUsed)
    ]
    assert len(set(used)) == len(used)


@few()
@given(RACES)
def test_a_round_ends_when_every_seat_has_played_six_cards(race: list[Moment]) -> None:
    for moment in race:
        if isinstance(moment.event, RoundDealt) and moment.event.round > 1:
            assert moment.before is not None
            assert all(hand.size == 0 and len(hand.played) == HAND for hand in moment.before.hands)
            assert moment.after.hands == (Hand(),) * moment.after.seats


@few()
@given(RACES)
def test_ships_stand_apart_and_derelicts_move_in_beams_only(race: list[Moment]) -> None:
    for moment in race:
        outside = [space for space in moment.after.ships if space not in {None, SINGULARITY}]
        assert len(set(outside)) == len(outside)
        event, before = moment.event, moment.before
        if before is not None and not (isinstance(event, FuelResolved) and event.card.kind is Kind.TRACTOR):
            assert moment.after.ships[D1:] == before.ships[D1:]


@few()
@given(RACES)
def test_choosing_a_card_leaves_it_in_the_hand(race: list[Moment]) -> None:
    for moment in race:
        if isinstance(moment.event, FuelChosen):
            assert moment.before is not None
            assert moment.after.hands == moment.before.hands


def _lying(state: State) -> list[str]:
    """The cards of the stacks nobody has taken."""
    return [
        card for stack in state.draft.free for card in (state.draft.face_up[stack], state.draft.face_down.known[stack])
    ]
