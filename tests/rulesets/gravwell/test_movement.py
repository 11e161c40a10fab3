"""What holds for every card, wherever the ships stand."""

from hypothesis import example, given
from hypothesis import strategies as st

from domain.rulesets.gravwell.board import D1, GATE, SINGULARITY, Fuel, Kind, Ships
from domain.rulesets.gravwell.options import DerelictAtGate, NoGravity, Options, SingTie
from domain.rulesets.gravwell.rules import resolved
from domain.rulesets.gravwell.state import moved
from tests.rulesets.gravwell.races import track

SPACES = st.lists(st.integers(0, 53), min_size=5, max_size=5).filter(
    lambda spaces: len({space for space in spaces if space}) == sum(space > 0 for space in spaces)
)
TRACKS = SPACES.map(lambda spaces: (*spaces[:3], None, *spaces[3:]))
CARDS = st.sampled_from(Fuel)
OPTIONS = st.builds(
    Options,
    no_gravity=st.sampled_from(NoGravity),
    sing_tie=st.sampled_from(SingTie),
    derelict_at_gate=st.sampled_from(DerelictAtGate),
)
AGES = st.permutations(range(3)).map(tuple)


@given(TRACKS, CARDS, OPTIONS, AGES)
def test_no_two_ships_share_a_space_outside_the_singularity(
    ships: Ships, card: Fuel, options: Options, ages: tuple[int, ...]
) -> None:
    after = moved(ships, resolved(ships, 0, card, options, ages).moves)
    outside = [space for space in after if space not in {None, SINGULARITY, GATE}]
    assert len(set(outside)) == len(outside)
    assert all(space is None or SINGULARITY <= space <= GATE for space in after)


@given(TRACKS, CARDS, OPTIONS, AGES)
@example(track("A52 B51 C50 D1 40 D2 39"), Fuel.Q, Options(), (0, 1, 2))
def test_a_beam_moves_the_others_and_any_other_card_its_own_ship_alone(
    ships: Ships, card: Fuel, options: Options, ages: tuple[int, ...]
) -> None:
    movers = {move.ship for move in resolved(ships, 0, card, options, ages).moves}
    assert movers <= ({1, 2, 4, 5} if card.kind is Kind.TRACTOR else {0})


@given(TRACKS, CARDS, OPTIONS, AGES)
def test_a_ship_that_moves_goes_its_number_and_one_further_for_each_ship_it_is_bumped_past(
    ships: Ships, card: Fuel, options: Options, ages: tuple[int, ...]
) -> None:
    for move in resolved(ships, 0, card, options, ages).moves:
        assert move.ship not in move.bumps
        assert move.start == ships[move.ship]
        if move.end not in {None, SINGULARITY, GATE}:
            assert abs(move.end - move.start) == card.number + len(move.bumps)
        elif move.end == SINGULARITY:
            assert 0 < move.start <= card.number + len(move.bumps)
        else:
            assert move.start + card.number + len(move.bumps) >= GATE
            assert move.end == GATE or move.ship >= D1


@given(TRACKS, CARDS, OPTIONS, AGES)
def test_a_ship_of_a_seat_that_escapes_ends_the_beam(
    ships: Ships, card: Fuel, options: Options, ages: tuple[int, ...]
) -> None:
    moves = resolved(ships, 0, card, options, ages).moves
    assert all(move.end != GATE or move.ship >= D1 for move in moves[:-1])
