"""The tables of planets, space tiles and goals against the check sums of the rule sheet, and each goal on the board."""

from collections import Counter
from importlib.resources import files

import pytest

from domain.rulesets.exoplanets.board import NUMBERS, ROUNDS, Special
from domain.rulesets.exoplanets.crystals import Crystals, Resource, icons
from domain.rulesets.exoplanets.goals import GOALS
from domain.rulesets.exoplanets.planets import PLANETS, Kind
from domain.rulesets.exoplanets.tiles import TILES, Effect, Scope
from tests.rulesets.exoplanets.positions import game


def test_there_are_thirty_planets_with_their_kinds_yields_and_costs() -> None:
    planets = PLANETS.values()
    assert list(PLANETS) == [f"P{number:02}" for number in range(1, 31)]
    assert Counter(planet.kind for planet in planets) == {
        Kind.SUPER_EARTH: 8,
        Kind.OCEANIC: 7,
        Kind.GASEOUS: 7,
        Kind.ROCKY: 8,
    }
    assert Counter(planet.gives for planet in planets) == {Resource.ENERGY: 8, Resource.GAS: 11, Resource.WATER: 11}
    assert Counter(planet.size for planet in planets) == {1: 3, 2: 17, 3: 10}
    assert sum((planet.cost for planet in planets), Crystals()) == Crystals(energy=28, gas=19, water=20)


def test_the_planets_whose_cost_is_attested_have_it() -> None:
    assert PLANETS["P04"].cost == icons("EG")
    assert PLANETS["P12"].cost == icons("EWW")
    assert PLANETS["P24"].cost == icons("EEG")
    assert PLANETS["P26"].cost == icons("EGW")


def test_there_are_thirty_eight_space_tiles_with_their_scopes_and_specials() -> None:
    tiles = TILES.values()
    assert list(TILES) == [f"S{number:02}" for number in range(1, 39)]
    assert Counter(tile.scope for tile in tiles) == {Scope.ONCE: 18, Scope.ORBIT: 8, Scope.RAY: 5, Scope.PLANET: 7}
    assert Counter(tile.special for tile in tiles) == {
        Special.BLACK_HOLE: 13,
        Special.SOLAR_STORM: 13,
        Special.CREATION: 12,
    }
    lasting = {Effect.COST, Effect.POINTS, Effect.SHIELD}
    assert all((tile.effect in lasting) == (tile.scope is not Scope.ONCE) for tile in tiles)


def test_each_goal_stands_on_two_tiles() -> None:
    assert list(GOALS) == [f"G{number:02}" for number in range(1, 20)]
    assert Counter(tile.goal for tile in TILES.values()) == dict.fromkeys(GOALS, 2)


@pytest.mark.parametrize("seats", NUMBERS)
def test_there_are_as_many_crystals_discs_and_markers_as_in_the_box(seats: int) -> None:
    numbers = NUMBERS[seats]
    assert numbers.cloud + Crystals(energy=numbers.star) == Crystals(energy=37, gas=17, water=17)
    assert numbers.star == numbers.gravity_pool == ROUNDS * seats
    assert numbers.removal == (3 if seats < 4 else 2)
    if seats == 4:
        assert sum(numbers.discs[special] for special in Special) == 16


def test_the_rules_for_people_print_the_tables_that_are_played() -> None:
    rules = (files("domain.rulesets.exoplanets") / "RULES.md").read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in rules.splitlines() if line[:1] == "|"]
    printed = {row[0]: row[1:] for row in rows}
    for planet in PLANETS.values():
        name, kind, gives, cost = printed[planet.id]
        assert (name, kind, gives, icons(cost)) == (planet.name, str(planet.kind), planet.gives[0], planet.cost)
    for tile in TILES.values():
        special = tile.special.replace("_", " ").title()
        assert printed[tile.id] == [tile.name, tile.text, special, tile.goal]
    for goal in GOALS.values():
        assert printed[goal.id] == [goal.name, goal.text, str(goal.points)]
    for seats, numbers in NUMBERS.items():
        cloud = f"{numbers.cloud.energy} {numbers.cloud.gas} {numbers.cloud.water}"
        discs = " ".join(str(numbers.discs[special]) for special in Special)
        spaces, pool = numbers.places_a_ray, numbers.gravity_pool
        assert printed[str(seats)] == [str(numbers.star), cloud, str(spaces), discs, str(pool)]


# Goal, points, a game where seat 0 has just reached it, and one where it has not quite.
# Rocky are P23 and P24, oceanic P09 and P10, gaseous P16 and P17, super-earths P01 and P02.
REACHED = [
    ("G01", 3, ["0/1 P23 1.0", "1/1 P24 =0"], ["0/1 P23 1.0", "1/1 P24 0.1"]),
    ("G02", 3, ["0/1 P09 1.0", "1/1 P10 1.0"], ["0/1 P09 1.0", "1/1 P01 1.0"]),
    ("G03", 3, ["0/1 P16 1.0", "1/1 P17 2.0"], ["0/1 P16 3.0"]),
    ("G04", 3, ["0/1 P01 1.0", "1/1 P02 1.0"], ["0/1 P01 1.0"]),
    ("G05", 5, ["0/1 P23 =0"], ["0/1 P23 =1"]),
    ("G06", 5, ["0/1 P09 =0"], ["0/1 P01 =0"]),
    ("G07", 5, ["0/1 P16 =0"], ["0/1 P16 3.0"]),
    ("G08", 4, ["0/1 P01 =0"], ["0/1 P09 =0"]),
    ("G09", 3, ["0/1 P01 1.0", "1/1 P09 1.0", "2/1 P16 =0"], ["0/1 P01 1.0", "1/1 P09 1.0", "2/1 P10 1.0"]),
    (
        "G10",
        5,
        ["0/1 P01 1.0", "1/1 P09 1.0", "2/1 P16 1.0", "3/1 P23 1.0"],
        ["0/1 P01 1.0", "1/1 P09 1.0", "2/1 P16 1.0", "3/1 P23 0.1"],
    ),
    ("G11", 5, ["0/2 P01 1.0", "1/2 P09 1.0", "3/2 P16 1.0"], ["0/2 P01 1.0", "1/2 P09 1.0", "3/1 P16 1.0"]),
    ("G12", 5, ["0/1 P01 1.0", "0/2 P09 1.0", "0/3 P16 =0"], ["0/1 P01 1.0", "0/2 P09 1.0", "1/3 P16 1.0"]),
    (
        "G13",
        4,
        ["0/1 P01 1.0", "1/2 P09 1.0", "2/1 P16 1.0", "3/1 P23 1.0"],
        ["0/1 P01 1.0", "1/2 P09 1.0", "2/1 P16 1.0", "1/1 P23 1.0"],
    ),
    ("G14", 3, ["0/1 P01 3.0"], ["0/1 P01 2.3", "1/1 P02 =0"]),
    ("G15", 6, ["0/1 P01 =0", "1/1 P09 =0"], ["0/1 P01 =0", "1/1 P09 =1"]),
    ("G16", 3, ["0/4 P01 1.0"], ["0/3 P01 1.0"]),
    ("G17", 3, ["0/1 P01 1.0", "2/1 P09 =0"], ["0/1 P01 1.0", "2/2 P09 1.0"]),
    ("G18", 3, ["0/1 P01 1.1", "2/1 P09 2.1"], ["0/1 P01 1.1", "2/1 P09 2.0"]),
    (
        "G19",
        4,
        ["0/1 P01 1.0", "1/1 P02 =0", "2/1 P09 2.0"],
        ["0/1 P01 1.0", "1/1 P02 1.1", "2/1 P09 2.0"],
    ),
]


@pytest.mark.parametrize(("goal", "points", "reached", "not_quite"), REACHED, ids=[row[0] for row in REACHED])
def test_a_goal_is_reached_by_what_it_asks_and_nothing_less(
    goal: str, points: int, reached: list[str], not_quite: list[str]
) -> None:
    assert GOALS[goal].points == points
    assert GOALS[goal].met(game(2, *reached).system, 0)
    assert not GOALS[goal].met(game(2, *not_quite).system, 0)
    assert not GOALS[goal].met(game(2).system, 0)


@pytest.mark.parametrize(
    ("letters", "words"),
    [
        ("", "nothing"),
        ("E", "1 energy"),
        ("GG", "2 gas"),
        ("EW", "1 energy and 1 water"),
        ("EEGW", "2 energy, 1 gas and 1 water"),
    ],
)
def test_crystals_are_told_in_words(letters: str, words: str) -> None:
    assert str(icons(letters)) == words
