"""Space tiles used for their effects."""

from dataclasses import replace

import pytest

from domain.ruleset import Secret
from domain.rulesets.exoplanets import RULESET
from domain.rulesets.exoplanets.board import Special
from domain.rulesets.exoplanets.commands import (
    AttachTile,
    Discount,
    EndTurn,
    Gain,
    GainAny,
    HurlMeteor,
    KeepSurvey,
    Migrate,
    SowLife,
    Survey,
    SwapPlanets,
    Transmute,
)
from domain.rulesets.exoplanets.crystals import NOTHING, Crystals, Resource, icons
from domain.rulesets.exoplanets.events import (
    DiscountGained,
    EffectUsed,
    Gained,
    LifeCreated,
    LifeMigrated,
    MeteorStruck,
    PlanetsSwapped,
    ResourcesGained,
    ResourcesTransmuted,
    SpecialDiscMoved,
    SurveyKept,
    TileAttached,
    TilesSurveyed,
)
from domain.rulesets.exoplanets.state import Choice, Phase
from domain.rulesets.exoplanets.system import Under
from tests.rulesets.exoplanets.positions import events, game, holding, kinds, played, refusal

E, G, W = Resource
BH, SS, CR = Special


def test_a_used_tile_is_discarded_acts_and_moves_one_disc_of_its_symbol() -> None:
    before = holding(game(2), 0, hand="S08 S33")
    assert events(before, Gain("S08")) == (
        EffectUsed(0, "S08"),
        ResourcesGained(0, icons("EE"), Gained.TILE),
        SpecialDiscMoved(CR, 3),
    )
    state = played(before, Gain("S08"))
    assert state.players[0].hand == ("S33",)
    assert state.discard == ("S08",)
    assert state.players[0].crystals == icons("EE")
    assert state.cloud == before.cloud - icons("EE")


@pytest.mark.parametrize(
    ("tile", "in_cloud", "gained"),
    [
        ("S03", "EGW", "EG"),
        ("S03", "GW", "G"),
        ("S04", "EGW", "GW"),
        ("S05", "EGW", "EW"),
        ("S06", "EGGW", "GG"),
        ("S06", "EGW", "G"),
        ("S07", "WW", "WW"),
    ],
)
def test_gain_takes_what_the_tile_shows_and_the_cloud_has(tile: str, in_cloud: str, gained: str) -> None:
    before = replace(holding(game(2), 0, hand=tile), cloud=icons(in_cloud))
    assert played(before, Gain(tile)).players[0].crystals == icons(gained)


def test_gain_needs_something_to_take() -> None:
    before = replace(holding(game(2), 0, hand="S03"), cloud=icons("WWW"))
    assert refusal(before, Gain("S03")) == "ILLEGAL_TARGET"


@pytest.mark.parametrize("take", [(E, G), (W, W), (G, E)])
def test_gain_any_takes_two_crystals_of_choice(take: tuple[Resource, ...]) -> None:
    state = played(holding(game(2), 0, hand="S01"), GainAny("S01", take))
    assert state.players[0].crystals == Crystals(take.count(E), take.count(G), take.count(W))


@pytest.mark.parametrize("take", [(), (E,), (E, G, W), (W, W)])
def test_gain_any_takes_two_that_are_there(take: tuple[Resource, ...]) -> None:
    before = replace(holding(game(2), 0, hand="S01"), cloud=icons("EEGGW"))
    assert refusal(before, GainAny("S01", take)) == "ILLEGAL_TARGET"


def test_a_discount_lasts_until_the_end_of_the_turn() -> None:
    before = holding(game(2), 0, hand="S09 S10")
    assert events(before, Discount("S09"))[1] == DiscountGained(0, 1)
    assert events(before, Discount("S09"), Discount("S10"))[1] == DiscountGained(0, 2)
    assert played(before, Discount("S09"), EndTurn()).discount == 0


def test_a_meteor_takes_a_cube_of_a_rival() -> None:
    before = holding(game(2, "0/1 P01 1.3"), 0, hand="S11")
    assert events(before, HurlMeteor("S11", 0, 1, 1))[:2] == (EffectUsed(0, "S11"), MeteorStruck(0, 1, 0, 1, 2))
    state = played(before, HurlMeteor("S11", 0, 1, 1))
    assert state.place(0, 1).life == (1, 2)
    assert state.players[1].crystals == NOTHING


@pytest.mark.parametrize(
    ("place", "victim"),
    [("P01 1.1", 0), ("P01 1.0", 1), ("P01 =1", 1), ("P01 1.1 S38", 1), ("P01 1.1", 2), ("P01 1.1", -1), ("-", 1)],
    ids=["oneself", "nobody there", "a species", "shielded", "no such seat", "a negative seat", "no planet"],
)
def test_a_meteor_misses(place: str, victim: int) -> None:
    before = holding(game(2, f"0/1 {place}"), 0, hand="S11")
    assert refusal(before, HurlMeteor("S11", 0, 1, victim)) == "ILLEGAL_TARGET"


def test_life_migrates_to_an_adjacent_planet() -> None:
    before = holding(game(2, "0/1 P01 2.0", "3/1 P02 1.0"), 0, hand="S13")
    command = Migrate("S13", 0, 1, 3, 1)  # ray 3 lies next to ray 0
    assert events(before, command)[1] == LifeMigrated(0, 0, 1, 1, 3, 1, 2)
    state = played(before, command)
    assert state.place(0, 1).life == (1, 0)
    assert state.place(3, 1).life == (2, 0)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (Migrate("S13", 0, 1, 2, 1), "ray 2 is not next to ray 0"),
        (Migrate("S13", 0, 1, 0, 3), "orbit 3 is not next to orbit 1"),
        (Migrate("S13", 0, 1, 1, 1), "three cubes are there already"),
        (Migrate("S13", 0, 1, 3, 1), "a species is there"),
        (Migrate("S13", 0, 2, 0, 1), "no own cube is there"),
        (Migrate("S13", 0, 1, 0, 0), "the Star is no planet"),
        (Migrate("S13", 0, 1, -1, 1), "there is no such ray"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_life_cannot_migrate_there(command: Migrate, why: str) -> None:
    state = game(2, "0/1 P01 2.0", "0/2 P09 0.1", "0/3 P10", "1/1 P02 3.0", "2/1 P03", "3/1 P04 =1")
    assert refusal(holding(state, 0, hand="S13"), command) == "ILLEGAL_TARGET"


def test_a_survey_looks_at_two_keeps_one_and_then_moves_its_disc() -> None:
    before = replace(holding(game(2), 0, hand="S15"), stack=("S01", "S02", "S03"))
    assert events(before, Survey("S15")) == (
        EffectUsed(0, "S15"),
        TilesSurveyed(0, "S15", 2, Secret(("S03", "S02"), to=(0,))),
    )
    surveying = played(before, Survey("S15"))
    assert (surveying.phase, surveying.choice) == (Phase.RESOLVE, Choice.SURVEY)
    assert RULESET.legal(surveying, 0) == (KeepSurvey(0), KeepSurvey(1))
    assert events(surveying, KeepSurvey(1)) == (
        SurveyKept(0, 1, Secret("S02", to=(0,)), Secret(("S03",), to=(0,))),
        SpecialDiscMoved(CR, 3),
    )
    state = played(surveying, KeepSurvey(1))
    assert state.players[0].hand == ("S02",)
    assert state.stack == ("S03", "S01")
    assert state.phase is Phase.ACT


def test_a_survey_of_a_single_tile_keeps_it_at_once() -> None:
    before = replace(holding(game(2), 0, hand="S15"), stack=("S01",))
    assert kinds(events(before, Survey("S15"))) == ["EffectUsed", "TilesSurveyed", "SurveyKept", "SpecialDiscMoved"]
    state = played(before, Survey("S15"))
    assert state.players[0].hand == ("S01",)
    assert (state.stack, state.phase) == ((), Phase.ACT)


def test_there_is_nothing_to_survey_in_an_empty_stack() -> None:
    before = replace(holding(game(2), 0, hand="S15"), stack=())
    assert refusal(before, Survey("S15")) == "ILLEGAL_TARGET"


@pytest.mark.parametrize("index", [-1, 2])
def test_only_a_tile_that_was_seen_is_kept(index: int) -> None:
    surveying = played(holding(game(2), 0, hand="S15"), Survey("S15"))
    assert refusal(surveying, KeepSurvey(index)) == "ILLEGAL_TARGET"


@pytest.mark.parametrize(
    ("give", "take", "left"),
    [((E,), (W,), "EGW"), ((E, E), (W, G), "GGW"), ((E, G), (G, E), "EEG"), ((G, E), (W, W), "EWW")],
)
def test_transmutation_exchanges_one_or_two(give: tuple[Resource, ...], take: tuple[Resource, ...], left: str) -> None:
    state = played(holding(game(2), 0, "EEG", hand="S16"), Transmute("S16", give, take))
    assert state.players[0].crystals == icons(left)
    assert state.players[0].crystals + state.cloud == game(2).cloud + icons("EEG")


@pytest.mark.parametrize(
    ("give", "take"),
    [((), ()), ((E,), (E,)), ((E, G), (W, G)), ((W,), (E,)), ((E, E, E), (G, G, G)), ((E,), ()), ((E,), (G, G))],
    ids=["nothing", "the same", "one the same", "not owned", "three", "taking none", "one for two"],
)
def test_transmutation_has_its_limits(give: tuple[Resource, ...], take: tuple[Resource, ...]) -> None:
    assert refusal(holding(game(2), 0, "EEEG", hand="S16"), Transmute("S16", give, take)) == "ILLEGAL_TARGET"


def test_transmutation_may_take_what_was_just_given() -> None:
    before = replace(holding(game(2), 0, "EG", hand="S16"), cloud=NOTHING)
    assert events(before, Transmute("S16", (E, G), (G, E)))[1] == ResourcesTransmuted(0, icons("EG"), icons("EG"))
    assert refusal(before, Transmute("S16", (E,), (G,))) == "ILLEGAL_TARGET"


def test_planets_of_an_orbit_trade_places_with_all_they_bear() -> None:
    before = holding(game(2, "0/2 P09 2.1 S28#3", "2/2 P10 =1"), 0, hand="S17")
    assert events(before, SwapPlanets("S17", 2, 2, 0))[1] == PlanetsSwapped(0, 2, 2, 0)
    state = played(before, SwapPlanets("S17", 2, 2, 0))
    here, there = state.place(0, 2), state.place(2, 2)
    assert (here.planet, here.life, here.species, here.under) == ("P10", (0, 0), 1, None)
    assert (there.planet, there.life, there.species, there.under) == ("P09", (2, 1), None, Under("S28", 3, 0))
    assert (here.ray, there.ray) == (0, 2)


@pytest.mark.parametrize(
    "command",
    [
        SwapPlanets("S17", 2, 0, 1),
        SwapPlanets("S17", 1, 0, 0),
        SwapPlanets("S17", 1, 0, 4),
        SwapPlanets("S17", 0, 0, 1),
    ],
    ids=["an empty place", "itself", "no such ray", "no such orbit"],
)
def test_planets_trade_places_only_with_planets(command: SwapPlanets) -> None:
    assert refusal(holding(game(2, "0/2 P09"), 0, hand="S17"), command) == "ILLEGAL_TARGET"


def test_panspermia_sows_next_to_ones_own() -> None:
    before = holding(game(2, "0/1 P01 =0", "1/1 P02 0.2"), 0, hand="S18")
    assert events(before, SowLife("S18", 1, 1))[1] == LifeCreated(0, 1, 1, 1)
    assert played(before, SowLife("S18", 1, 1)).place(1, 1).life == (1, 2)


@pytest.mark.parametrize(
    ("places", "command"),
    [
        (["0/1 P01 1.0", "2/1 P03"], SowLife("S18", 2, 1)),
        (["0/1 P01 1.0", "1/1 P02 1.0"], SowLife("S18", 1, 1)),
        (["0/1 P01 1.0", "1/1 P02 =1"], SowLife("S18", 1, 1)),
        (["0/1 P01 3.0", "0/2 P09 3.0", "1/1 P02"], SowLife("S18", 1, 1)),
        (["0/1 P01 1.0"], SowLife("S18", 0, 2)),
    ],
    ids=["not adjacent", "own life there", "a species there", "no cube left", "no planet"],
)
def test_panspermia_has_its_limits(places: list[str], command: SowLife) -> None:
    assert refusal(holding(game(2, *places), 0, hand="S18"), command) == "ILLEGAL_TARGET"


def test_a_lasting_tile_is_laid_beneath_any_planet() -> None:
    before = holding(game(2, "0/1 P01 =1", "1/1 P02 S19#4"), 0, hand="S32")
    assert events(before, AttachTile("S32", 0, 1)) == (TileAttached(0, "S32", 0, 1, 5), SpecialDiscMoved(CR, 3))
    state = played(before, AttachTile("S32", 0, 1))
    assert state.place(0, 1).under == Under("S32", 5, 0)
    assert state.players[0].hand == ()
    assert state.discard == ()


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (AttachTile("S32", 0, 2), "NO_PLANET"),
        (AttachTile("S32", 9, 1), "NO_PLANET"),
        (AttachTile("S32", 1, 1), "UNDER_TAKEN"),
        (AttachTile("S33", 0, 1), "NOT_IN_HAND"),
        (AttachTile("S01", 0, 1), "WRONG_TILE"),
        (Gain("S32"), "WRONG_TILE"),
        (Gain("S01"), "WRONG_TILE"),
        (Gain("S99"), "NOT_IN_HAND"),
    ],
)
def test_a_tile_is_used_as_it_is_meant(command: AttachTile | Gain, code: str) -> None:
    before = holding(game(2, "0/1 P01", "1/1 P02 S19"), 0, hand="S32 S01")
    assert refusal(before, command) == code
