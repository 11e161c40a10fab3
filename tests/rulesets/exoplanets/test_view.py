"""What viewers see: costs with their reasons, points as of now, the own hand with its progress, others' as counts."""

from dataclasses import replace

import pytest

from domain.ruleset import Viewer, redacted
from domain.rulesets.exoplanets import RULESET
from domain.rulesets.exoplanets.board import Special
from domain.rulesets.exoplanets.commands import CreateLife, DrawPlanets, Survey
from domain.rulesets.exoplanets.costs import CostChange
from domain.rulesets.exoplanets.crystals import Crystals, Resource, icons
from domain.rulesets.exoplanets.planets import Kind
from domain.rulesets.exoplanets.state import Choice, Phase, State
from domain.rulesets.exoplanets.view import ExoplanetsView, PlanetCard, PlanetView, SpecialView
from tests.rulesets.exoplanets.positions import DRAWS, game, holding, played, started


def planet(state: State, ray: int, orbit: int, viewer: Viewer = 0) -> PlanetView:
    seen = RULESET.view(state, viewer)
    found = next(place.planet for place in seen.places if (place.ray, place.orbit) == (ray, orbit))
    assert found is not None
    return found


def own(state: State, seat: int = 0) -> ExoplanetsView:
    return RULESET.view(state, seat)


def test_a_planet_shows_its_kind_yield_cost_and_why_it_costs_what_it_costs() -> None:
    state = holding(game(2, "0/1 P04 1.2 S31#1"), 0, "EEGW")
    seen = planet(state, 0, 1)
    assert seen.card == PlanetCard("P04", "Meadow", Kind.SUPER_EARTH, Resource.WATER, icons("EG"))
    assert seen.effective_cost == icons("EEGW")
    assert seen.cost_changes == (
        CostChange("S31", 0, 1, Resource.ENERGY, 1),
        CostChange("S31", 0, 1, Resource.WATER, 1),
    )
    assert seen.affordable
    assert not planet(state, 0, 1, viewer=1).affordable
    assert not planet(state, 0, 1, viewer=None).affordable
    assert (seen.life, seen.species) == ((1, 2), None)
    assert seen.points == (2, 4)
    assert seen.beneath is not None
    assert (seen.beneath.card.title, seen.beneath.seq, seen.beneath.by) == ("Harsh World", 1, 0)
    assert not seen.shielded


def test_the_hand_shows_effects_and_how_far_each_goal_is() -> None:
    state = holding(game(2, "0/1 P01 1.0", "1/1 P09 1.0"), 0, hand="S09 S28")
    view = own(state)
    assert view.own is not None
    catalyst, hot_core = view.own.hand
    assert (catalyst.card.title, catalyst.goal.title) == ("Catalyst", "Biodiversity")
    assert (catalyst.goal.have, catalyst.goal.need, catalyst.goal.met, catalyst.goal.points) == (2, 3, False, 3)
    assert hot_core.card.text == "Life on this planet costs 1 energy less, though never less than one crystal."
    assert (hot_core.goal.have, hot_core.goal.need) == (0, 1)


def test_seats_show_their_holdings_and_points_but_of_their_hands_the_size() -> None:
    state = holding(game(2, "0/1 P24 2.0", "1/1 P09 =0"), 0, "EEG", gravity=2, hand="S09 S28 S01")
    seat = RULESET.view(state, None).seats[0]
    assert (seat.crystals, seat.gravity, seat.hand_size, seat.points) == (Crystals(2, 1), 2, 3, 16)
    assert (seat.cubes_left, seat.species_left) == (4, 3)
    assert own(state, 1).seats[0] == seat


def test_the_public_has_nothing_of_its_own() -> None:
    seen = RULESET.view(started(3), None)
    assert seen.own is None
    assert seen.my_seat is None


@pytest.mark.parametrize("viewer", [None, 0, 1, 2])
def test_no_id_that_a_viewer_may_not_know_stands_anywhere_in_the_view(viewer: Viewer) -> None:
    state = played(started(3), DrawPlanets())
    hidden = {*state.bag, *state.stack, *(place.face_down for ray in state.system.rays for place in ray)} - {None}
    others = {tile for seat in state.seats if seat != viewer for tile in state.players[seat].hand}
    shown = repr(RULESET.view(state, viewer))
    assert not [name for name in map(str, hidden | others) if f"'{name}'" in shown]
    if viewer is not None:
        assert all(f"'{tile}'" in shown for tile in state.players[viewer].hand)


def test_a_survey_is_seen_by_its_seat_alone() -> None:
    state = replace(holding(game(2), 0, hand="S15"), stack=("S01", "S02", "S03"))
    surveying = played(state, Survey("S15"))
    seen = own(surveying)
    assert (seen.phase, seen.choice) == (Phase.RESOLVE, Choice.SURVEY)
    assert seen.own is not None
    assert [tile.card.tile for tile in seen.own.surveyed] == ["S03", "S02"]
    rival = own(surveying, 1)
    assert rival.own is not None
    assert rival.own.surveyed == ()
    assert "'S02'" not in repr(rival)


def test_the_table_shows_counts_piles_and_what_lies_open() -> None:
    state = replace(played(started(2), DrawPlanets()), discard=("S01",), lost_planets=("P30",))
    seen = RULESET.view(state, None)
    assert (seen.bag_size, seen.stack_size, seen.star, seen.gravity_pool, seen.removal) == (22, 20, 10, 10, 3)
    assert [card.planet for card in seen.drawn] == list(state.drawn)
    assert [[card.planet for card in pile] for pile in seen.reserves] == [list(pile) for pile in state.reserves]
    assert [card.title for card in seen.discard] == ["Comet Ice"]
    assert [card.title for card in seen.lost_planets] == ["Slate"]
    assert seen.specials == (
        SpecialView(Special.BLACK_HOLE, 3, 3),
        SpecialView(Special.SOLAR_STORM, 3, 3),
        SpecialView(Special.CREATION, 4, 4),
    )
    covered = [(place.ray, place.orbit) for place in seen.places if place.covered]
    assert covered == [(ray, orbit) for ray in range(4) for orbit in (2, 3, 4)]


def test_what_can_be_taken_back_is_told_to_its_seat() -> None:
    state = played(holding(game(2, "0/1 P01"), 0, "E"), CreateLife(0, 1))
    mine, rivals = own(state).own, own(state, 1).own
    assert mine is not None
    assert rivals is not None
    assert (mine.can_undo, mine.undos_left) == (True, 3)
    assert (rivals.can_undo, rivals.undos_left) == (False, 0)


def test_sentences_tell_of_sealed_tiles_only_to_those_who_may_know() -> None:
    state = replace(holding(game(2), 0, hand="S15"), stack=("S01", "S02"))
    looked = RULESET.decide(state, 0, Survey("S15"), DRAWS)[1]
    assert RULESET.narrate(redacted(looked, 0)) == "Seat 0 looks at 2 space tiles: Stardust (S02) and Comet Ice (S01)."
    assert RULESET.narrate(redacted(looked, 1)) == "Seat 0 looks at 2 space tiles."
