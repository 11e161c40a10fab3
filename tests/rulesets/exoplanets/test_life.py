"""Life: what a step costs, where it leads, whom it displaces; and goals claimed."""

from dataclasses import replace

import pytest

from domain.rulesets.exoplanets.commands import ClaimGoal, CreateLife, CreateLifeWaiving, Discount
from domain.rulesets.exoplanets.costs import CostChange, effective_cost
from domain.rulesets.exoplanets.crystals import Crystals, Resource, icons
from domain.rulesets.exoplanets.events import GoalClaimed, LifeCreated, LifeDisplaced, SpeciesCreated
from domain.rulesets.exoplanets.options import Compensation
from domain.rulesets.exoplanets.scoring import Claim
from tests.rulesets.exoplanets.positions import DEFAULT, events, game, holding, played, refusal

E, G, W = Resource


def test_each_step_costs_the_price_of_the_planet_once() -> None:
    state = holding(game(2, "0/1 P04"), 0, "EEEEGGGG")
    for level in (1, 2, 3):
        assert events(state, CreateLife(0, 1)) == (LifeCreated(0, 0, 1, level, icons("EG")),)
        state = played(state, CreateLife(0, 1))
    assert events(state, CreateLife(0, 1)) == (SpeciesCreated(0, 0, 1, icons("EG")),)
    state = played(state, CreateLife(0, 1))
    assert state.players[0].crystals == Crystals()
    assert (state.place(0, 1).species, state.place(0, 1).life) == (0, (0, 0))
    assert state.system.cubes(0) == 0


def test_what_is_paid_goes_to_the_cloud() -> None:
    before = holding(game(2, "0/1 P04"), 0, "EGW")
    state = played(before, CreateLife(0, 1))
    assert state.cloud == before.cloud + icons("EG")
    assert state.players[0].crystals == icons("W")


def test_several_seats_may_live_on_one_planet() -> None:
    before = holding(game(3, "0/1 P04 0.2.1"), 0, "EG")
    assert played(before, CreateLife(0, 1)).place(0, 1).life == (1, 2, 1)


def test_a_cost_that_is_not_covered_is_refused_whatever_else_is_held() -> None:
    before = holding(game(2, "0/1 P24"), 0, "EWWWGGG")
    assert refusal(before, CreateLife(0, 1)) == "CANNOT_PAY"


def test_lasting_tiles_change_the_cost_of_what_they_reach() -> None:
    state = game(
        2,
        *("0/1 P01 S31#1", "1/1 P02 S19#2", "0/2 P03 S25#3"),  # this planet +EW, orbit 1 +G, ray 0 +E
        *("2/2 P09 S20#4", "1/2 P10"),  # orbit 2 +W
    )
    expected = {(0, 1): "EEWGE", (1, 1): "WG", (0, 2): "GEW", (2, 2): "EWW", (1, 2): "WWW"}
    for (ray, orbit), cost in expected.items():
        assert effective_cost(state.system, state.place(ray, orbit))[0] == icons(cost)


def test_the_reasons_of_a_changed_cost_are_told() -> None:
    state = game(2, "0/1 P04 S29#2", "1/1 P02 S22#1", "0/2 P03 S25#3")  # -G, then -E of the orbit, then +E of the ray
    cost, changes = effective_cost(state.system, state.place(0, 1))
    assert cost == icons("E")
    assert changes == (
        CostChange("S25", 0, 2, E, 1),
        CostChange("S22", 1, 1, E, -1),
        CostChange("S29", 0, 1, G, -1),
    )


def test_additions_come_before_reductions_whenever_they_were_laid() -> None:
    state = game(2, "0/1 P01 S28#1", "0/2 P03 S27#2")  # E, -E first, +G later: the later G leaves room for the -E
    assert effective_cost(state.system, state.place(0, 1))[0] == icons("G")


def test_a_reduction_without_a_matching_icon_does_nothing() -> None:
    state = game(2, "0/1 P07 S29#1")
    assert effective_cost(state.system, state.place(0, 1)) == (icons("EE"), ())


@pytest.mark.parametrize(("fourth_cube", "code"), [(True, "NO_LIFE_LEFT"), (False, None)])
def test_by_option_a_species_needs_a_fourth_cube(fourth_cube: bool, code: str | None) -> None:
    before = game(2, "0/1 P01 3.0", "1/1 P02 3.0", options=replace(DEFAULT, fourth_cube=fourth_cube))
    before = holding(before, 0, "E")
    if code:
        assert refusal(before, CreateLife(0, 1)) == code
    else:
        assert played(before, CreateLife(0, 1)).place(0, 1).species == 0


def test_the_displaced_are_compensated_in_seat_order_after_the_active_seat() -> None:
    before = replace(game(4, "0/1 P09 1.2.3.2"), active=2)
    before = holding(before, 2, "EW")
    displaced = events(before, CreateLife(0, 1), seat=2)[1:]
    water = Crystals(water=1)
    assert displaced == (
        LifeDisplaced(3, 0, 1, 2, water),
        LifeDisplaced(0, 0, 1, 1, water),
        LifeDisplaced(1, 0, 1, 2, water),
    )


@pytest.mark.parametrize(
    ("compensation", "in_cloud", "given"),
    [
        (Compensation.OWNER, 0, [1, 0]),  # the water just paid is there for the first
        (Compensation.OWNER, 1, [1, 1]),
        (Compensation.CUBE, 1, [2, 0]),
        (Compensation.CUBE, 2, [2, 1]),
    ],
)
def test_a_cloud_that_runs_dry_compensates_as_far_as_it_goes(
    compensation: Compensation, in_cloud: int, given: list[int]
) -> None:
    before = game(3, "0/1 P09 3.2.1", options=replace(DEFAULT, compensation=compensation))
    before = replace(holding(before, 0, "EW"), cloud=Crystals(water=in_cloud))
    state = played(before, CreateLife(0, 1))
    assert [player.crystals.water for player in state.players[1:]] == given
    assert state.cloud.water == in_cloud + 1 - sum(given)


def test_a_discount_is_used_up_by_one_step() -> None:
    before = holding(game(2, "0/1 P04"), 0, "EEGG", hand="S09")
    discounted = played(before, Discount("S09"))
    assert events(discounted, CreateLifeWaiving(0, 1, E)) == (LifeCreated(0, 0, 1, 1, icons("G"), (E,)),)
    state = played(discounted, CreateLifeWaiving(0, 1, E))
    assert refusal(state, CreateLifeWaiving(0, 1, E)) == "BAD_WAIVE"
    assert state.players[0].crystals == icons("EEG")


def test_an_icon_that_the_cost_does_not_show_cannot_be_waived() -> None:
    before = played(holding(game(2, "0/1 P04"), 0, "EEGG", hand="S09"), Discount("S09"))
    assert refusal(before, CreateLifeWaiving(0, 1, W)) == "BAD_WAIVE"


def test_two_discounts_serve_two_steps() -> None:
    before = holding(game(2, "0/1 P04"), 0, "GG", hand="S09 S10")
    state = played(before, Discount("S09"), Discount("S10"))
    state = played(state, CreateLifeWaiving(0, 1, E), CreateLifeWaiving(0, 1, E))
    assert state.place(0, 1).life[0] == 2
    assert state.discount == 0


def test_a_reached_goal_is_claimed_and_its_tile_lies_open() -> None:
    before = holding(game(2, "0/1 P01 3.0"), 0, hand="S14 S33")  # Fusion, Ocean Realm
    assert events(before, ClaimGoal("S14")) == (GoalClaimed(0, "S14", "G14", 3),)
    state = played(before, ClaimGoal("S14"))
    assert state.players[0].hand == ("S33",)
    assert state.players[0].claims == (Claim("S14", "G14", 3),)
    assert refusal(state, ClaimGoal("S33")) == "GOAL_NOT_MET"
    assert refusal(state, ClaimGoal("S14")) == "NOT_IN_HAND"


def test_a_claim_moves_no_disc() -> None:
    before = holding(game(2, "0/1 P01 3.0"), 0, hand="S14")
    assert played(before, ClaimGoal("S14")).discs == before.discs
