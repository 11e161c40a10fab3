"""The first part of a turn: from where a planet comes, where it goes, and what that gives, in order."""

from dataclasses import replace

from domain.ruleset import Secret
from domain.rulesets.exoplanets import RULESET
from domain.rulesets.exoplanets.commands import (
    DrawPlanets,
    EndTurn,
    GravityExchange,
    PlaceDrawn,
    PlaceFromReserve,
    PlaceOnlyDrawn,
)
from domain.rulesets.exoplanets.crystals import Crystals, Resource
from domain.rulesets.exoplanets.events import (
    EnergyFromStar,
    Gained,
    GravityTaken,
    LastEnergyTaken,
    PlanetPlaced,
    PlanetsDrawn,
    PlanetToReserve,
    ResourcesGained,
    SpaceTileTaken,
)
from domain.rulesets.exoplanets.state import Phase, State
from tests.rulesets.exoplanets.positions import DEFAULT, events, game, kinds, played, refusal, started, with_places

WATER, GAS = Crystals(water=1), Crystals(gas=1)


def thalassa_beside_zephyr(state: State | None = None) -> State:
    """P09 (gives water) on the reserve may go to ray 0, where P16 (gives gas) is alone; S19 lies beside it."""
    before = with_places(state or started(2), "0/1 P16")
    covered = replace(before.place(0, 2), face_down="S19")
    return replace(before, system=before.system.put(covered), reserves=(("P09",), ("P02",)))


def test_the_gains_of_a_placement_come_in_order() -> None:
    assert events(thalassa_beside_zephyr(), PlaceFromReserve(0, 0)) == (
        PlanetPlaced(0, "P09", 0, 2),
        SpaceTileTaken(0, 0, 2, Secret("S19", to=(0,))),
        EnergyFromStar(0, 9),
        ResourcesGained(0, WATER, Gained.PLANET),
        ResourcesGained(0, GAS, Gained.NEIGHBOUR),
        GravityTaken(0, 9),
    )


def test_what_the_cloud_lacks_is_not_gained() -> None:
    before = replace(thalassa_beside_zephyr(), cloud=Crystals(energy=27, gas=1))
    assert played(before, PlaceFromReserve(0, 0)).players[0].crystals == Crystals(energy=1, gas=1)
    alike = replace(before, cloud=Crystals(energy=27, water=1))
    placed = played(with_places(alike, "0/1 P10"), PlaceFromReserve(0, 0))
    assert placed.players[0].crystals == Crystals(energy=1, water=1)
    assert placed.cloud == Crystals(energy=27)


def test_without_gravity_no_marker_is_taken() -> None:
    before = thalassa_beside_zephyr(started(2, replace(DEFAULT, gravity=False)))
    assert before.gravity_pool == 0
    assert kinds(events(before, PlaceFromReserve(0, 0)))[-1] == "ResourcesGained"


def test_a_place_that_a_black_hole_emptied_has_no_space_tile() -> None:
    before = with_places(thalassa_beside_zephyr(), "0/2 -")
    assert "SpaceTileTaken" not in kinds(events(before, PlaceFromReserve(0, 0)))


def test_the_last_energy_of_the_star_is_told_of() -> None:
    before = replace(thalassa_beside_zephyr(), star=1)
    assert events(before, PlaceFromReserve(0, 0))[-1] == LastEnergyTaken(0)


def test_a_planet_goes_as_near_to_the_star_as_it_can() -> None:
    before = with_places(thalassa_beside_zephyr(), "0/2 P20", "0/3 P21")
    assert played(before, PlaceFromReserve(0, 0)).place(0, 4).planet == "P09"
    assert refusal(with_places(before, "0/4 P22"), PlaceFromReserve(0, 0)) == "RAY_FULL"


def test_two_planets_are_drawn_for_all_to_see_from_the_top_of_the_bag() -> None:
    before = started(2)
    drawn = PlanetsDrawn(0, (str(before.bag[-1]), str(before.bag[-2])))
    assert events(before, DrawPlanets()) == (drawn,)
    assert len(played(before, DrawPlanets()).bag) == 22


def test_the_other_drawn_planet_goes_on_top_of_a_reserve_pile() -> None:
    before = replace(started(2), bag=("P30", "P29"), reserves=(("P09",), ("P02",)))
    assert events(before, DrawPlanets(), PlaceDrawn(1, 2, 1))[0] == PlanetToReserve(0, "P29", 1)
    state = played(before, DrawPlanets(), PlaceDrawn(1, 2, 1))
    assert state.place(2, 2).planet == "P30"
    assert state.reserves == (("P09",), ("P02", "P29"))
    assert state.drawn == ()
    other = played(before, DrawPlanets(), PlaceDrawn(0, 2, 0))
    assert other.reserves == (("P09", "P30"), ("P02",))


def test_the_top_of_a_reserve_pile_is_what_was_put_there_last() -> None:
    before = replace(started(2), reserves=(("P09", "P29"), ()))
    state = played(before, PlaceFromReserve(0, 0))
    assert state.place(0, 2).planet == "P29"
    assert state.reserves == (("P09",), ())


def test_drawing_commits() -> None:
    drawn = played(started(2), DrawPlanets())
    assert drawn.phase is Phase.CHOOSE
    assert refusal(drawn, PlaceFromReserve(0, 0)) == "ALREADY_DRAWN"
    assert refusal(drawn, DrawPlanets()) == "ALREADY_DRAWN"


def test_with_both_reserves_empty_the_seat_must_draw() -> None:
    before = replace(started(2), reserves=((), ()))
    assert RULESET.legal(before, 0) == (DrawPlanets(),)
    assert refusal(before, PlaceFromReserve(0, 0)) == "RESERVE_EMPTY"


def test_with_an_empty_bag_the_reserve_is_what_there_is() -> None:
    before = replace(started(2), bag=(), reserves=((), ("P09",)))
    assert RULESET.legal(before, 0) == tuple(PlaceFromReserve(1, ray) for ray in range(4))


def test_one_drawn_planet_leaves_none_to_put_aside() -> None:
    one = played(replace(started(2), bag=("P30",)), DrawPlanets())
    assert refusal(one, PlaceDrawn(0, 0, 0)) == "BAD_DISCARD"
    two = played(started(2), DrawPlanets())
    assert refusal(two, PlaceOnlyDrawn(0)) == "BAD_DISCARD"


def test_one_planet_is_placed_a_turn() -> None:
    placed = played(started(2), PlaceFromReserve(0, 0))
    assert refusal(placed, PlaceFromReserve(1, 0)) == "ALREADY_PLACED"
    assert refusal(placed, DrawPlanets()) == "ALREADY_PLACED"
    assert refusal(placed, PlaceDrawn(0, 0, 0)) == "ALREADY_PLACED"


def test_the_start_gives_nothing_to_anybody() -> None:
    state = started(4)
    assert all(not player.crystals.total and not player.gravity for player in state.players)


def test_gravity_may_be_used_before_placing_and_while_choosing() -> None:
    one_turn = game(2, phase=Phase.PLACE)
    player = replace(one_turn.players[0], crystals=Crystals(energy=2), gravity=2)
    before = replace(one_turn, players=(player, one_turn.players[1]))
    exchange = GravityExchange(Resource.ENERGY, Resource.GAS)
    state = played(before, exchange, DrawPlanets(), exchange)
    assert state.players[0].crystals == Crystals(gas=2)
    assert refusal(state, EndTurn()) == "MUST_PLACE"
