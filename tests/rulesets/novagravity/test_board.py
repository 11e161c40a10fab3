"""The board and its lines, the fleet and the opening, the layouts: as the rule sheet gives them."""

from itertools import islice

import pytest

from domain.rulesets.novagravity.board import FLEET, Axis
from domain.rulesets.novagravity.hexes import (
    CENTRE,
    COORDINATES,
    HEX_NAMED,
    HEXES,
    LINES,
    NAMES,
    NEIGHBOURS,
    distance,
    mirror,
    norm,
)
from domain.rulesets.novagravity.layout import numbers_of, terrain_of
from domain.rulesets.novagravity.position import ASTEROIDS, HOLE, OPEN, PLANET, STAR, opening
from tests.rulesets.novagravity.positions import at, board_of, name, position


def test_the_board_has_169_hexes_in_15_rows() -> None:
    rows = [sum(r == row for _, r in COORDINATES) for row in range(-7, 8)]
    assert rows == [8, 9, 10, 11, 12, 13, 14, 15, 14, 13, 12, 11, 10, 9, 8]


def test_hexes_are_named_by_row_and_place() -> None:
    assert (name("0,0"), name("3,-6"), name("-3,6")) == ("H8", "B5", "N5")
    assert (NAMES[0], NAMES[-1]) == ("A1", "O8")
    assert len(HEX_NAMED) == 169
    assert NAMES[CENTRE] == "H8"


def test_the_mirror_of_a_hex_has_the_opposite_coordinates() -> None:
    assert all(COORDINATES[mirror(hex_)] == tuple(-x for x in COORDINATES[hex_]) for hex_ in HEXES)


def test_neighbours_are_the_hexes_at_distance_one() -> None:
    for hex_ in HEXES:
        assert set(NEIGHBOURS[hex_]) == {other for other in HEXES if distance(hex_, other) == 1}


def test_the_lanes_of_a_vertical_step_are_the_hexes_beside_both_its_ends() -> None:
    for origin in HEXES:
        for target, line in LINES[origin].items():
            if line.axis is Axis.V and line.steps == 1:
                assert set(line.lanes) == set(NEIGHBOURS[origin]) & set(NEIGHBOURS[target])
                assert len(line.lanes) == 2


def test_a_recoil_prefers_the_lane_nearer_to_the_centre() -> None:
    for origin in HEXES:
        for line in LINES[origin].values():
            if line.recoil:
                nearer, farther = (norm(lane, CENTRE) for lane in line.recoil)
                assert nearer <= farther


@pytest.mark.parametrize(
    ("origin", "target", "preferred"),
    [("2,-4", "1,-2", "1,-3"), ("-2,4", "-1,2", "-1,3"), ("-1,2", "-2,4", "-2,3"), ("1,-2", "2,-4", "2,-3")],
    ids=["V18", "V19", "south of the star", "north of the star"],
)
def test_on_the_centre_column_it_prefers_the_right_hand_lane(origin: str, target: str, preferred: str) -> None:
    assert LINES[at(origin)][at(target)].recoil[0] == at(preferred)


def test_17_ships_a_side_stand_as_the_sheet_says() -> None:
    ships = board_of(opening(terrain_of(1))).ships
    front = "CWBEMEBWC"
    blue = {(q, -6): "b" + front[q + 1] for q in range(-1, 8)} | {(q, -7): "bD" for q in range(8)}
    red = {(1 - place, 6): "r" + letter for place, letter in enumerate(front)} | {(-q, 7): "rD" for q in range(8)}
    assert ships == blue | red


def test_the_opening_has_as_many_of_each_unit_as_the_fleet() -> None:
    ships = list(board_of(opening(terrain_of(1))).ships.values())
    for design in FLEET.values():
        assert ships.count(f"b{design.letter}") == ships.count(f"r{design.letter}") == design.per_side


@pytest.mark.parametrize(
    ("seed", "numbers"),
    [(1, [2693262067, 11749833, 2265367787, 4213581821, 4159151403]), (0, [1144304738, 1416247, 958946056])],
)
def test_mulberry32_gives_the_known_numbers(seed: int, numbers: list[int]) -> None:
    assert list(islice(numbers_of(seed), len(numbers))) == numbers


@pytest.mark.parametrize(
    ("seed", "obstacles"),
    [
        (0, "H@-3,0 H@3,0 P@-7,0 P@-6,2 P@6,-2 P@7,0 A@-5,-2 A@-3,-4 A@0,-2 A@0,2 A@3,4 A@5,2"),
        (4294967295, "H@-4,3 H@4,-3 P@-6,0 P@0,-3 P@0,3 P@6,0 A@-3,-4 A@-2,3 A@-1,-4 A@1,4 A@2,-3 A@3,4"),
    ],
)
def test_a_layout_has_the_known_obstacles(seed: int, obstacles: str) -> None:
    assert terrain_of(seed) == position("", obstacles=obstacles).terrain


@pytest.mark.parametrize("seed", range(0, 2**32, 2**32 // 97))
def test_every_layout_is_fair_and_leaves_room(seed: int) -> None:
    land = terrain_of(seed).land
    placed = [hex_ for hex_ in HEXES if land[hex_] not in (OPEN, STAR)]
    assert [list(land).count(kind) for kind in (HOLE, PLANET, ASTEROIDS, STAR)] == [2, 4, 6, 1]
    assert land == land[::-1]
    assert all(abs(COORDINATES[hex_][1]) <= 4 for hex_ in placed)
    assert all(distance(a, b) >= 2 for a in (*placed, CENTRE) for b in placed if a != b)
