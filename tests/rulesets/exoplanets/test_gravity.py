"""Gravity markers: what they exchange, what they remove, and what that ends; and taking back."""

from dataclasses import replace

import pytest

from domain.rulesets.exoplanets.board import Discs
from domain.rulesets.exoplanets.commands import (
    AttachTile,
    ClaimGoal,
    Command,
    CreateLife,
    CreateLifeWaiving,
    Discount,
    DrawPlanets,
    EndTurn,
    GravityExchange,
    GravityRemoveTile,
    PlaceFromReserve,
    ResolveCreation,
    Undo,
)
from domain.rulesets.exoplanets.costs import effective_cost
from domain.rulesets.exoplanets.crystals import NOTHING, Crystals, Resource, icons
from domain.rulesets.exoplanets.events import LifeRestored, ResourceExchanged, TileRemoved, Undone
from domain.rulesets.exoplanets.scoring import points
from domain.rulesets.exoplanets.state import Phase, State
from domain.rulesets.exoplanets.system import Under
from tests.rulesets.exoplanets.positions import events, game, holding, played, refusal

E, G, W = Resource


def test_an_exchange_returns_crystal_and_marker() -> None:
    before = replace(holding(game(2), 0, "EE", gravity=2), gravity_pool=8)
    assert events(before, GravityExchange(E, W)) == (ResourceExchanged(0, 1, E, W),)
    state = played(before, GravityExchange(E, W))
    assert state.players[0].crystals == icons("EW")
    assert state.cloud == before.cloud + icons("E") - icons("W")
    assert (state.players[0].gravity, state.gravity_pool) == (1, 9)


@pytest.mark.parametrize(
    ("crystals", "gravity", "command", "code"),
    [
        ("E", 0, GravityExchange(E, W), "NO_MARKERS"),
        ("G", 1, GravityExchange(E, W), "CANNOT_PAY"),
        ("E", 1, GravityExchange(E, E), "BAD_EXCHANGE"),
        ("", 2, GravityRemoveTile(0, 1), "NO_MARKERS"),
        ("", 3, GravityRemoveTile(1, 1), "NO_UNDER_TILE"),
        ("", 3, GravityRemoveTile(0, 2), "NO_UNDER_TILE"),
        ("", 3, GravityRemoveTile(-1, 1), "NO_UNDER_TILE"),
    ],
)
def test_gravity_is_refused(crystals: str, gravity: int, command: Command, code: str) -> None:
    assert refusal(holding(game(2, "0/1 P01 S28"), 0, crystals, gravity), command) == code


def test_five_markers_remove_a_tile_and_make_two_exchanges_in_any_order() -> None:
    before = holding(game(3, "0/1 P01 S28"), 0, "EE", gravity=5)
    state = played(before, GravityExchange(E, W), GravityRemoveTile(0, 1), GravityExchange(E, G))
    assert state.players[0].gravity == 0
    assert state.players[0].crystals == icons("GW")
    assert state.discard == ("S28",)


def test_a_tile_of_anyone_beneath_any_planet_is_removed_without_a_disc_or_a_refund() -> None:
    before = holding(game(3, "0/1 P01 =1"), 0, gravity=3)
    laid_by_another = replace(before.place(0, 1), under=Under("S37", 1, by=2))
    before = replace(before, system=before.system.put(laid_by_another))
    assert events(before, GravityRemoveTile(0, 1)) == (TileRemoved(0, 3, "S37", 0, 1),)
    assert played(before, GravityRemoveTile(0, 1)).discs == before.discs


def test_a_removed_tile_ends_its_effect_on_costs_and_points_at_once() -> None:
    before = holding(game(2, "0/2 P09 1.0", "1/2 P10 0.2", "2/2 P11 S32", "3/2 P12 S20"), 0, gravity=6)
    assert [points(before.system, (), seat) for seat in (0, 1)] == [0, 2]
    assert effective_cost(before.system, before.place(0, 2))[0] == icons("EWW")
    state = played(before, GravityRemoveTile(2, 2), GravityRemoveTile(3, 2))
    assert [points(state.system, (), seat) for seat in (0, 1)] == [2, 4]
    assert effective_cost(state.system, state.place(0, 2))[0] == icons("EW")


def test_a_removed_shield_shields_no_more() -> None:
    before = holding(game(2, "0/1 P01 0.1 S38"), 0, gravity=3)
    assert before.place(0, 1).shielded
    assert not played(before, GravityRemoveTile(0, 1)).place(0, 1).shielded


def test_the_final_turn_still_has_its_gravity() -> None:
    last = replace(holding(game(2, "0/1 P01 S37"), 0, gravity=3), star=0, turn=10)
    assert played(last, GravityRemoveTile(0, 1)).place(0, 1).under is None


# Taking back


def ready(hand: str = "") -> State:
    return holding(game(2, "0/1 P04", "1/1 P01 3.0"), 0, "EEEGGG", gravity=3, hand=hand)


def same_but_for_count(state: State, before: State) -> bool:
    return replace(state, taken_back=before.taken_back) == before


def test_life_is_taken_back_with_what_it_cost() -> None:
    before = ready()
    undone = Undone(0, icons("EEEGGG"), before.cloud, 3, before.gravity_pool, 0, (LifeRestored(0, 1, 0),))
    assert events(before, CreateLife(0, 1), Undo()) == (undone,)
    assert same_but_for_count(played(before, CreateLife(0, 1), Undo()), before)


def test_an_exchange_is_taken_back_with_its_marker() -> None:
    before = ready()
    assert same_but_for_count(played(before, GravityExchange(E, W), Undo()), before)


def test_a_discount_spent_on_life_that_is_taken_back_is_there_again() -> None:
    before = played(ready("S09"), Discount("S09"))
    assert same_but_for_count(played(before, CreateLifeWaiving(0, 1, G), Undo()), before)


def test_acts_are_taken_back_in_reverse() -> None:
    before = ready()
    once = played(before, CreateLife(0, 1))
    twice = played(once, GravityExchange(E, W))
    undone = played(twice, Undo())
    assert same_but_for_count(undone, once)
    assert same_but_for_count(played(undone, Undo()), before)


def test_nothing_is_taken_back_where_nothing_was_done() -> None:
    assert refusal(ready(), Undo()) == "NOTHING_TO_UNDO"
    assert refusal(played(ready(), CreateLife(0, 1), Undo()), Undo()) == "NOTHING_TO_UNDO"


@pytest.mark.parametrize(
    "barrier",
    [
        Discount("S09"),
        AttachTile("S28", 0, 1),
        ClaimGoal("S14"),
        CreateLife(1, 1),
        GravityRemoveTile(2, 1),
    ],
    ids=["an effect", "a lasting tile", "a claimed goal", "a species", "a removed tile"],
)
def test_what_cannot_be_taken_back_keeps_what_came_before(barrier: Command) -> None:
    state = game(2, "0/1 P04", "1/1 P01 3.0", "2/1 P02 S37")
    state = holding(state, 0, "EEEGGG", gravity=4, hand="S09 S28 S14")
    assert refusal(played(state, GravityExchange(E, W), barrier), Undo()) == "NOTHING_TO_UNDO"


@pytest.mark.parametrize("placing", [DrawPlanets(), PlaceFromReserve(0, 0)])
def test_an_exchange_before_placing_is_taken_back_only_before_placing(placing: Command) -> None:
    before = holding(game(2, phase=Phase.PLACE), 0, "E", gravity=1)
    assert same_but_for_count(played(before, GravityExchange(E, W), Undo()), before)
    assert refusal(played(before, GravityExchange(E, W), placing), Undo()) == "NOTHING_TO_UNDO"


def test_three_times_a_turn() -> None:
    state = ready()
    for _ in range(3):
        state = played(state, CreateLife(0, 1), Undo())
    assert refusal(played(state, CreateLife(0, 1)), Undo()) == "TOO_MANY_UNDOS"
    assert played(state, EndTurn()).taken_back == 0


def test_a_rival_takes_nothing_back() -> None:
    done = played(ready(), CreateLife(0, 1))
    assert refusal(done, Undo(), seat=1) == "NOT_AWAITED"
    closed = played(done, EndTurn())
    assert refusal(closed, Undo(), seat=1) == "NOTHING_TO_UNDO"


def test_life_that_an_event_gave_is_not_taken_back() -> None:
    before = replace(ready("S32"), discs=Discs(1, 1, 1))
    creation = played(before, AttachTile("S32", 3, 1))
    state = played(creation, ResolveCreation(0, 1))
    assert state.place(0, 1).life[0] == 1
    assert refusal(state, Undo()) == "NOTHING_TO_UNDO"


def test_an_empty_hand_of_crystals_is_restored_too() -> None:
    before = holding(game(2, "0/1 P04"), 0, "EG")
    spent = played(before, CreateLife(0, 1))
    assert spent.players[0].crystals == NOTHING
    assert played(spent, Undo()).players[0].crystals == Crystals(1, 1, 0)
