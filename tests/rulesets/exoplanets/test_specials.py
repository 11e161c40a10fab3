"""The special tiles: discs, and what happens when the last one leaves."""

from dataclasses import replace

import pytest

from domain.rulesets.exoplanets import RULESET
from domain.rulesets.exoplanets.board import Discs, Special
from domain.rulesets.exoplanets.commands import (
    AttachTile,
    Discount,
    EndTurn,
    GravityExchange,
    KeepSurvey,
    ResolveBlackHole,
    ResolveCreation,
    ResolveSolarStorm,
    Survey,
    Undo,
)
from domain.rulesets.exoplanets.crystals import Resource
from domain.rulesets.exoplanets.events import (
    LifeCreated,
    LifeDisplaced,
    Loss,
    PlanetSwallowed,
    SpecialDiscMoved,
    SpecialFired,
    SpecialFizzled,
    SpecialRefilled,
    SpeciesCreated,
    StormHit,
)
from domain.rulesets.exoplanets.state import Choice, Phase, State
from tests.rulesets.exoplanets.positions import events, game, holding, kinds, played, refusal

BH, SS, CR = Special
LAST_DISCS = Discs(1, 1, 1)


def on_the_brink(*places: str, hand: str, seats: int = 2) -> State:
    """One disc is left on each special tile."""
    return replace(holding(game(seats, *places), 0, hand=hand), discs=LAST_DISCS)


def test_the_black_hole_waits_for_its_ray_even_if_there_is_one() -> None:
    before = on_the_brink("0/2 P09 1.2 S20", hand="S09")
    assert events(before, Discount("S09"))[2:] == (SpecialDiscMoved(BH, 0), SpecialFired(BH, 0))
    fired = played(before, Discount("S09"))
    assert (fired.phase, fired.choice) == (Phase.RESOLVE, Choice.BLACK_HOLE)
    assert RULESET.legal(fired, 0) == (ResolveBlackHole(0),)
    assert events(fired, ResolveBlackHole(0)) == (
        PlanetSwallowed(0, "P09", 0, 2, (1, 2), ("S20",)),
        SpecialRefilled(BH, 3),
    )
    state = played(fired, ResolveBlackHole(0))
    assert state.lost_planets == ("P09",)
    assert state.phase is Phase.ACT
    assert state.players[1].crystals.total == 0


@pytest.mark.parametrize("outermost", ["0/2 P09 =1", "0/2 P09 S38"], ids=["a species", "a shield"])
def test_a_black_hole_with_nothing_to_swallow_fizzles(outermost: str) -> None:
    before = on_the_brink(outermost, hand="S09")
    assert events(before, Discount("S09"))[2:] == (
        SpecialDiscMoved(BH, 0),
        SpecialFired(BH, 0),
        SpecialFizzled(BH),
        SpecialRefilled(BH, 3),
    )
    assert played(before, Discount("S09")).phase is Phase.ACT


def test_only_the_outermost_planet_of_a_ray_can_be_swallowed() -> None:
    fired = played(on_the_brink("0/2 P09", "0/3 P10 =1", "1/2 P11", hand="S09"), Discount("S09"))
    assert refusal(fired, ResolveBlackHole(0)) == "ILLEGAL_TARGET"
    assert refusal(fired, ResolveBlackHole(2)) == "ILLEGAL_TARGET"
    assert refusal(fired, ResolveBlackHole(7)) == "ILLEGAL_TARGET"
    assert played(fired, ResolveBlackHole(1)).place(1, 2).planet is None


def test_the_solar_storm_takes_a_cube_of_every_seat_on_every_planet_of_a_ray() -> None:
    before = on_the_brink("0/1 P01 1.3", "0/2 P09 =1", "0/3 P10 2.2 S38", "0/4 P11 0.1", "1/1 P02 1.1", hand="S10")
    fired = played(before, Discount("S10"))
    assert RULESET.legal(fired, 0) == tuple(map(ResolveSolarStorm, range(4)))
    assert events(fired, ResolveSolarStorm(0)) == (
        StormHit(0, 0, (Loss(0, 1, 0), Loss(1, 1, 2), Loss(1, 4, 0))),
        SpecialRefilled(SS, 3),
    )
    state = played(fired, ResolveSolarStorm(0))
    assert [place.life for place in state.system.rays[0]] == [(0, 2), (0, 0), (2, 2), (0, 0)]
    assert state.place(0, 2).species == 1
    assert state.place(1, 1).life == (1, 1)


def test_the_solar_storm_waits_even_where_it_can_do_no_harm() -> None:
    fired = played(on_the_brink(hand="S10"), Discount("S10"))
    assert fired.choice is Choice.SOLAR_STORM
    assert events(fired, ResolveSolarStorm(2))[0] == StormHit(0, 2, ())
    assert refusal(fired, ResolveSolarStorm(4)) == "ILLEGAL_TARGET"


def test_creation_gives_a_step_for_free() -> None:
    before = on_the_brink("0/1 P29 1.0", "1/1 P02 =1", hand="S32")
    fired = played(before, AttachTile("S32", 2, 1))
    assert fired.choice is Choice.CREATION
    assert RULESET.legal(fired, 0) == tuple(ResolveCreation(ray, 1) for ray in (0, 2, 3))
    assert events(fired, ResolveCreation(0, 1)) == (LifeCreated(0, 0, 1, 2), SpecialRefilled(CR, 4))
    assert refusal(fired, ResolveCreation(1, 1)) == "ILLEGAL_TARGET"
    assert refusal(fired, ResolveCreation(0, 2)) == "ILLEGAL_TARGET"


def test_a_species_by_creation_displaces_like_any() -> None:
    fired = played(on_the_brink("0/1 P12 3.1", hand="S32"), AttachTile("S32", 2, 1))
    happened = events(fired, ResolveCreation(0, 1))
    assert kinds(happened) == ["SpeciesCreated", "LifeDisplaced", "SpecialRefilled"]
    assert happened[0] == SpeciesCreated(0, 0, 1)
    assert isinstance(happened[1], LifeDisplaced)
    assert happened[1].received.gas == 1


def test_creation_fizzles_where_no_life_can_be_created() -> None:
    closed = ("0/1 P01 =1", "1/1 P02 =1", "2/1 P03 =1", "3/1 P04 =1")
    happened = events(on_the_brink(*closed, hand="S32"), AttachTile("S32", 2, 1))
    assert happened[1:] == (
        SpecialDiscMoved(CR, 0),
        SpecialFired(CR, 0),
        SpecialFizzled(CR),
        SpecialRefilled(CR, 4),
    )


def test_a_survey_may_bring_creation_once_a_tile_is_kept() -> None:
    surveying = played(on_the_brink(hand="S15"), Survey("S15"))
    assert kinds(events(surveying, KeepSurvey(0))) == ["SurveyKept", "SpecialDiscMoved", "SpecialFired"]


@pytest.mark.parametrize(
    "command", [EndTurn(), Discount("S10"), GravityExchange(Resource.ENERGY, Resource.GAS), Undo()]
)
def test_nothing_else_happens_before_an_event_is_resolved(command: EndTurn | Discount | GravityExchange | Undo) -> None:
    before = replace(holding(game(2, "0/2 P09"), 0, "EE", gravity=3, hand="S09 S10"), discs=LAST_DISCS)
    fired = played(before, Discount("S09"))
    assert refusal(fired, command) == "PENDING"
    assert refusal(fired, ResolveSolarStorm(0)) == "PENDING"
    assert refusal(fired, KeepSurvey(0)) == "PENDING"


@pytest.mark.parametrize(("seats", "discs"), [(2, (3, 3, 4)), (3, (4, 4, 5)), (4, (5, 5, 6))])
def test_a_special_tile_is_refilled_as_at_the_start(seats: int, discs: tuple[int, int, int]) -> None:
    fired = played(on_the_brink(hand="S10", seats=seats), Discount("S10"))
    state = played(fired, ResolveSolarStorm(0))
    assert state.discs == Discs(1, discs[1], 1)
