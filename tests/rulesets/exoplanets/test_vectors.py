"""The numbered vectors of the rule sheet."""

from dataclasses import replace

import pytest

from domain.ruleset import Outcome
from domain.rulesets.exoplanets import RULESET
from domain.rulesets.exoplanets.board import Discs, Special
from domain.rulesets.exoplanets.commands import (
    AttachTile,
    ClaimGoal,
    CreateLife,
    CreateLifeWaiving,
    Discount,
    DrawPlanets,
    EndTurn,
    GravityExchange,
    GravityRemoveTile,
    PlaceDrawn,
    PlaceFromReserve,
    PlaceOnlyDrawn,
    ResolveBlackHole,
    ResolveCreation,
)
from domain.rulesets.exoplanets.costs import effective_cost
from domain.rulesets.exoplanets.crystals import Crystals, Resource, icons
from domain.rulesets.exoplanets.events import ResourceExchanged
from domain.rulesets.exoplanets.options import Compensation
from domain.rulesets.exoplanets.scoring import points
from domain.rulesets.exoplanets.state import Phase, State
from tests.rulesets.exoplanets.positions import (
    DEFAULT,
    cloud,
    events,
    game,
    holding,
    played,
    refusal,
    started,
    with_places,
)

E, G, W = Resource


def cost(state: State, ray: int, orbit: int) -> Crystals:
    return effective_cost(state.system, state.place(ray, orbit))[0]


def cubes_left(state: State) -> list[int]:
    return [seat.cubes_left for seat in RULESET.view(state, None).seats]


def species_left(state: State) -> list[int]:
    return [seat.species_left for seat in RULESET.view(state, None).seats]


def planet_points(state: State) -> list[int]:
    return [points(state.system, (), seat) for seat in state.seats]


@pytest.mark.parametrize(
    ("seats", "places_a_ray", "star", "cloud_start", "stack", "discs", "gravity"),
    [
        (2, 3, 10, "E27 G17 W17", 20, Discs(3, 3, 4), 10),
        (3, 4, 15, "E22 G17 W17", 13, Discs(4, 4, 5), 15),
        (4, 5, 20, "E17 G17 W17", 6, Discs(5, 5, 6), 20),
    ],
)
def test_1_the_set_up_for_each_number_of_seats(
    seats: int, places_a_ray: int, star: int, cloud_start: str, stack: int, discs: Discs, gravity: int
) -> None:
    state = started(seats)
    assert state.system.orbits == places_a_ray + 1
    assert [len(state.system.free(ray)) for ray in range(4)] == [places_a_ray] * 4
    assert state.star == star
    assert state.cloud == cloud(cloud_start)
    assert len(state.bag) == 24
    assert len(state.stack) == stack
    assert state.discs == discs
    assert state.gravity_pool == gravity
    assert [len(pile) for pile in state.reserves] == [1, 1]
    assert all(player.crystals.total == player.gravity == 0 and len(player.hand) == 3 for player in state.players)


def test_2_placing_gives_the_tile_energy_both_yields_and_a_marker() -> None:
    before = game(3, "0/1 P16", phase=Phase.PLACE)
    covered = replace(before.place(0, 2), face_down="S19")
    before = replace(before, system=before.system.put(covered), reserves=(("P09",), ("P02",)))
    state = played(before, PlaceFromReserve(0, 0))
    assert state.place(0, 2).planet == "P09"
    assert state.players[0].crystals == Crystals(energy=1, gas=1, water=1)
    assert state.players[0].hand == ("S19",)
    assert state.star == 14
    assert state.cloud == cloud("E22 G16 W16")
    assert (state.players[0].gravity, state.gravity_pool) == (1, 14)


def test_4_the_last_icon_stays() -> None:
    assert cost(game(2, "0/1 P01 S28"), 0, 1) == icons("E")


@pytest.mark.parametrize(("belt", "air", "left"), [(1, 2, "G"), (2, 1, "E")])
def test_5_reductions_come_in_the_order_of_laying(belt: int, air: int, left: str) -> None:
    state = game(2, f"0/1 P04 S29#{air}", f"1/1 P02 S22#{belt}")
    assert cost(state, 0, 1) == icons(left)


@pytest.mark.parametrize(("compensation", "given"), [(Compensation.OWNER, (1, 1)), (Compensation.CUBE, (2, 1))])
def test_6_a_species_displaces_and_compensates(compensation: Compensation, given: tuple[int, int]) -> None:
    before = holding(game(3, "0/1 P09 3.2.1", options=replace(DEFAULT, compensation=compensation)), 0, "EW")
    assert cubes_left(before) == [3, 4, 5]
    state = played(before, CreateLife(0, 1))
    assert state.place(0, 1).species == 0
    assert state.place(0, 1).life == (0, 0, 0)
    assert cubes_left(state) == [6, 6, 6]
    assert species_left(state) == [3, 4, 4]
    assert [player.crystals for player in state.players] == [Crystals(), *(Crystals(water=count) for count in given)]


def test_7_cubes_and_a_species_score_by_size() -> None:
    assert planet_points(game(2, "0/1 P24 2.0", "1/1 P09 =0"))[0] == 6 + 10


def test_9_a_removed_debris_ring_gives_its_points_back() -> None:
    before = game(2, "0/2 P09 =0", "1/2 P01 3.1", "2/2 P02 S32")
    before = replace(holding(before, 0, gravity=3), gravity_pool=7)
    assert planet_points(before) == [10 - 2 + 3 - 2, 0]
    state = played(before, GravityRemoveTile(2, 2))
    assert planet_points(state) == [13, 1]
    assert (state.players[0].gravity, state.gravity_pool) == (0, 10)
    assert state.discard == ("S32",)


def test_10_tiles_change_what_planets_are_worth() -> None:
    state = game(2, "0/1 P01 1.0", "0/2 P24 1.1 S35#1", "0/3 P29 =1 S37#2")
    assert planet_points(state) == [2 + 4, 4 + 13]


def test_11_an_exchanged_energy_pays_for_life() -> None:
    before = replace(holding(game(2, "0/1 P04"), 0, "EE", gravity=1), gravity_pool=9)
    state = played(before, GravityExchange(E, G), CreateLife(0, 1))
    assert state.players[0].crystals == Crystals()
    assert (state.players[0].gravity, state.gravity_pool) == (0, 10)
    assert state.place(0, 1).level(0) == 1


def test_12_removing_a_tile_takes_three_markers_or_two_of_four_seats() -> None:
    three = holding(game(3, "0/1 P01 S28"), 0, gravity=2)
    assert refusal(three, GravityRemoveTile(0, 1)) == "NO_MARKERS"
    four = played(holding(game(4, "0/1 P01 S28"), 0, gravity=2), GravityRemoveTile(0, 1))
    assert four.players[0].gravity == 0
    assert four.place(0, 1).under is None


def test_13_the_black_hole_takes_the_one_planet_it_can() -> None:
    before = game(
        3,
        *("0/1 P01", "0/2 P09 S38#1", "1/1 P02", "1/2 P10 0.3.0 S20#2", "2/1 P03", "2/2 P11 =2", "3/1 P04 0.1.0"),
    )
    before = replace(before, discs=before.discs.having(Special.BLACK_HOLE, 0), pending=Special.BLACK_HOLE)
    assert cubes_left(before)[1] == 2
    assert RULESET.legal(before, 0) == (ResolveBlackHole(1),)
    state = played(before, ResolveBlackHole(1))
    assert state.place(1, 2).planet is None
    assert state.discard == ("S20",)
    assert cubes_left(state)[1] == 5
    assert state.discs[Special.BLACK_HOLE] == 4
    assert state.phase is Phase.ACT
    placing = replace(state, placed=False, reserves=(("P09",), ()))
    placed = played(placing, PlaceFromReserve(0, 1))
    assert placed.place(1, 2).planet == "P09"
    assert placed.players[0].hand == ()


def test_15_creation_may_complete_a_species_for_nothing() -> None:
    before = replace(game(2, "0/1 P12 3.1"), pending=Special.CREATION)
    assert cubes_left(before) == [3, 5]
    state = played(before, ResolveCreation(0, 1))
    assert state.place(0, 1).species == 0
    assert cubes_left(state) == [6, 6]
    assert species_left(state) == [3, 4]
    assert state.players[0].crystals == Crystals()
    assert state.players[1].crystals == Crystals(gas=1)


def test_16_the_last_energy_ends_the_game_with_its_turn() -> None:
    before = replace(holding(game(2, "0/1 P01", phase=Phase.PLACE), 1, "E"), star=1, turn=10, active=1)
    state = played(before, PlaceFromReserve(0, 1), seat=1)
    assert (state.star, state.phase) == (0, Phase.ACT)
    state = played(state, CreateLife(0, 1), EndTurn(), seat=1)
    assert state.phase is Phase.ENDED
    assert state.turn == 10
    assert RULESET.awaiting(state) == ()
    assert RULESET.outcome(state) == Outcome("star_exhausted", ((1,), (0,)))
    assert refusal(state, DrawPlanets()) == "GAME_OVER"


def test_17_the_sixth_cube_is_the_last_but_not_for_a_species() -> None:
    before = holding(game(2, "0/1 P01 3.0", "1/1 P02 3.0", "2/1 P03"), 0, "EG")
    assert refusal(before, CreateLife(2, 1)) == "NO_LIFE_LEFT"
    assert played(before, CreateLife(0, 1)).place(0, 1).species == 0
    four_species = with_places(before, "0/2 P05 =0", "1/2 P06 =0", "2/2 P07 =0", "3/2 P08 =0")
    assert refusal(four_species, CreateLife(0, 1)) == "NO_SPECIES_LEFT"


def test_19_what_cannot_be_exchanged() -> None:
    before = holding(game(2), 0, "E", gravity=1)
    assert refusal(before, GravityExchange(E, E)) == "BAD_EXCHANGE"
    assert refusal(replace(before, cloud=Crystals(27, 17, 0)), GravityExchange(E, W)) == "BAD_EXCHANGE"
    assert refusal(holding(before, 1, "E", gravity=1), GravityExchange(E, W), seat=1) == "NOT_AWAITED"
    assert (
        refusal(holding(game(2, options=replace(DEFAULT, gravity=False)), 0, "E"), GravityExchange(E, W))
        == "NO_GRAVITY"
    )


def test_20_one_tile_beneath_a_planet_until_it_is_removed() -> None:
    before = holding(game(2, "0/1 P01 S28"), 0, gravity=3, hand="S30")
    assert refusal(before, AttachTile("S30", 0, 1)) == "UNDER_TAKEN"
    state = played(before, GravityRemoveTile(0, 1), AttachTile("S30", 0, 1))
    under = state.place(0, 1).under
    assert under is not None
    assert under.tile == "S30"


def test_21_markers_are_neither_made_nor_lost() -> None:
    state = started(3)
    for seat in (0, 1, 2):
        state = played(state, DrawPlanets(), PlaceDrawn(0, seat, 0), EndTurn(), seat=seat)
    state = played(state, DrawPlanets(), PlaceDrawn(0, 3, 0))
    lacking = W if state.players[0].crystals.gas else G
    state = played(state, GravityExchange(E, lacking))
    assert state.gravity_pool == 15 - 4 + 1
    assert sum(player.gravity for player in state.players) == 3


def test_23_a_claimed_goal_stays_and_an_unclaimed_one_must_hold_at_the_end() -> None:
    fusion = holding(game(2, "1/1 P02", "1/2 P01 3.0", "1/3 -"), 0, hand="S14")
    claimed = replace(played(fusion, ClaimGoal("S14")), pending=Special.BLACK_HOLE)
    swallowed = replace(played(claimed, ResolveBlackHole(1)), star=0)
    assert [score.points for score in played(swallowed, EndTurn()).scores] == [3, 0]
    unclaimed = replace(played(replace(fusion, pending=Special.BLACK_HOLE), ResolveBlackHole(1)), star=0)
    assert [score.points for score in played(unclaimed, EndTurn()).scores] == [0, 0]
    reached = replace(fusion, star=0)
    assert [score.points for score in played(reached, EndTurn()).scores] == [3 + 3, 0]


@pytest.mark.parametrize("choose", [False, True])
def test_24_before_the_planet_is_placed_only_gravity_may_act(choose: bool) -> None:
    before = holding(game(2, "0/1 P01", phase=Phase.PLACE), 0, "E", gravity=1)
    before = played(before, DrawPlanets()) if choose else before
    assert refusal(before, CreateLife(0, 1)) == "MUST_PLACE"
    assert refusal(before, EndTurn()) == "MUST_PLACE"
    assert events(before, GravityExchange(E, G)) == (ResourceExchanged(0, 1, E, G),)


def test_25_a_removed_thin_air_belt_ends_its_price_but_refunds_nothing() -> None:
    before = holding(game(2, "0/1 P01", "1/1 P02 S19"), 0, "EEG", gravity=3)
    assert cost(before, 0, 1) == icons("EG")
    state = played(before, CreateLife(0, 1), GravityRemoveTile(1, 1))
    assert state.players[0].crystals == icons("E")
    assert cost(state, 0, 1) == icons("E")
    assert played(state, CreateLife(0, 1)).players[0].crystals == Crystals()


def test_26_the_last_planet_of_the_bag_is_drawn_alone_and_then_none() -> None:
    before = replace(started(2), bag=("P30",))
    drawn = played(before, DrawPlanets())
    assert drawn.drawn == ("P30",)
    assert played(drawn, PlaceOnlyDrawn(2)).place(2, 2).planet == "P30"
    assert refusal(replace(before, bag=()), DrawPlanets()) == "BAG_EMPTY"


@pytest.mark.parametrize("owner", [0, 1])
def test_27_a_species_closes_the_planet_for_all(owner: int) -> None:
    assert refusal(holding(game(2, f"0/1 P01 ={owner}"), 0, "E"), CreateLife(0, 1)) == "DOMINATED"


def test_28_a_discount_waives_an_icon_but_not_the_last_and_lapses() -> None:
    before = holding(game(2, "0/1 P24", "1/1 P01"), 0, "EEE", hand="S09 S10")
    cheaper = played(before, Discount("S09"))
    assert refusal(cheaper, CreateLifeWaiving(1, 1, E)) == "BAD_WAIVE"
    paid = played(cheaper, CreateLifeWaiving(0, 1, G))
    assert paid.players[0].crystals == icons("E")
    assert paid.discount == 0
    kept = played(cheaper, EndTurn())
    assert kept.discount == 0
