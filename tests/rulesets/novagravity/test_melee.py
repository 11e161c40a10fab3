"""Who takes a blow meant for a Mother, and when she is in check at all (RULES.md, 6)."""

import pytest

from domain.rulesets.novagravity.combat import resolve
from domain.rulesets.novagravity.legality import attackers, in_check
from domain.rulesets.novagravity.position import BOTH_SIDES, Position
from tests.rulesets.novagravity.positions import at, position, ships_of

BLOWS = """
the nearer by steps       | bM@0,-6 bE@-1,-6 bE@1,-6 rW@3,-6  | r | 3,-6>0,-6  | bE@1,-6
as many steps, but nearer | bM@0,-4 bE@-1,-4 bE@-1,-3 rC@4,-4 | r | 4,-4>0,-4  | bE@-1,-3
the upper of Blue's       | bM@0,-4 bE@1,-5 bE@0,-3 rC@4,-4   | r | 4,-4>0,-4  | bE@1,-5
the left of Blue's        | bM@0,-4 bE@-1,-3 bE@0,-3 rW@-1,-2 | r | -1,-2>0,-4 | bE@-1,-3
the lower of Red's        | rM@0,4 rE@-1,5 rE@0,3 bC@-4,4     | b | -4,4>0,4   | rE@-1,5
the right of Red's        | rM@0,4 rE@1,3 rE@0,3 bW@1,2       | b | 1,2>0,4    | rE@1,3
"""


def rows() -> list[object]:
    split = [[cell.strip() for cell in line.split("|")] for line in BLOWS.strip().splitlines()]
    return [pytest.param(*cells[1:], id=cells[0]) for cells in split]


@pytest.mark.parametrize(("ships", "side", "action", "fallen"), rows())
def test_of_several_escorts_one_takes_the_blow(ships: str, side: str, action: str, fallen: str) -> None:
    found = position(f"{ships} {'bM@7,-7' if side == 'b' else 'rM@-7,7'}", side)
    origin, _, target = action.partition(">")
    after = Position(resolve(found, at(origin), at(target)).cells, found.terrain, found.side ^ BOTH_SIDES)
    escorts = {ship for ship in ships_of(found) if ship[1] == "E"}
    assert escorts - ships_of(after) == {fallen}


@pytest.mark.parametrize(
    ("what", "ships", "obstacles", "expected"),
    [
        ("a Drone beside her fires", "rD@1,-6", "-", {"1,-6"}),
        ("not from an asteroid field", "rD@1,-6", "A@1,-6", set()),
        ("a Bomber beside her rams, another fires", "rB@1,-6 rB@0,-2", "-", {"1,-6", "0,-2"}),
        ("a Cruiser is not stopped by a black hole in a lane", "rC@-1,-4", "H@0,-5", {"-1,-4"}),
        ("but by one on its way", "rC@4,-6", "H@2,-6", set()),
        ("a Void Shifter by nothing", "rW@3,-6 bD@1,-6 bD@2,-6", "-", {"3,-6"}),
        ("not even by planets in both lanes", "rW@-1,-4", "P@0,-5 P@-1,-5", {"-1,-4"}),
        ("nobody, while an Escort is at her side", "rC@4,-6 rW@3,-6 bE@0,-5", "-", set()),
        ("an enemy's Escort is no help", "rC@4,-6 rE@0,-5", "-", {"4,-6", "0,-5"}),
    ],
)
def test_a_mother_is_in_check_if_one_blow_could_destroy_her(
    what: str, ships: str, obstacles: str, expected: set[str]
) -> None:
    found = position(f"bM@0,-6 rM@-7,7 {ships}", "b", obstacles)
    assert set(attackers(found)) == {at(coordinates) for coordinates in expected}, what
    assert in_check(found) == bool(expected)


def test_an_enemy_that_may_not_strike_gives_check_all_the_same() -> None:
    # The Bomber on -3,6 shields its own Mother from the Cruiser, and still it holds Blue's Mother in check.
    found = position("bM@-3,3 bC@-2,6 rB@-3,6 rM@-5,6")
    assert attackers(found) == [at("-3,6")]
