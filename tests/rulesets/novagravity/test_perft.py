"""Every count of legal action sequences that the rule sheet publishes."""

import pytest

from domain.rulesets.novagravity.layout import terrain_of
from domain.rulesets.novagravity.legality import legal_actions
from domain.rulesets.novagravity.movement import kind_of
from domain.rulesets.novagravity.perft import perft
from domain.rulesets.novagravity.position import opening
from tests.rulesets.novagravity.positions import position

OBSTACLES = {
    1: "H@-2,-3 H@2,3 P@-6,4 P@-3,2 P@3,-2 P@6,-4 A@-7,3 A@-4,-1 A@-3,-4 A@3,4 A@4,1 A@7,-3",
    2: "H@-1,4 H@1,-4 P@-5,1 P@-3,2 P@3,-2 P@5,-1 A@-6,4 A@-2,0 A@-1,-3 A@1,3 A@2,0 A@6,-4",
    8: "H@-6,0 H@6,0 P@-7,2 P@-2,-3 P@2,3 P@7,-2 A@-3,-4 A@-3,4 A@0,-4 A@0,4 A@3,-4 A@3,4",
    14: "H@-7,0 H@7,0 P@-7,2 P@-2,-3 P@2,3 P@7,-2 A@-2,-1 A@-2,2 A@0,-4 A@0,4 A@2,-2 A@2,1",
}

G1 = (
    "bB@0,-1 bC@-1,-6 bD@0,-4 bD@0,-7 bD@1,-6 bD@2,-6 bD@4,-7 bD@5,-7 bD@6,-7 bD@7,-6 bE@4,-4 bE@4,-6 bM@3,-6 "
    "bW@1,-3 rB@-1,-2 rC@-5,6 rC@1,4 rD@-1,7 rD@-2,7 rD@-3,7 rD@-4,7 rD@-5,7 rD@-6,6 rD@-7,7 rD@0,7 rE@-4,6 "
    "rE@0,1 rM@-3,5 rW@-7,4"
)
G2 = (
    "bB@-1,-4 bC@-1,-6 bD@0,-4 bD@0,-6 bD@1,-7 bD@3,-7 bD@4,-6 bD@4,-7 bD@7,-7 bE@3,-5 bE@6,-5 bM@3,-6 "
    "bW@-5,2 rB@-5,5 rB@7,-4 rC@1,6 rD@-2,7 rD@-3,6 rD@-4,6 rD@-6,7 rD@-7,6 rD@0,6 rD@0,7 rD@2,1 rE@-4,5 "
    "rE@-5,4 rM@-2,6 rW@-1,6 rW@-6,4"
)


@pytest.mark.parametrize("seed", OBSTACLES)
def test_a_layout_has_the_obstacles_listed_with_its_counts(seed: int) -> None:
    assert terrain_of(seed) == position("", obstacles=OBSTACLES[seed]).terrain


@pytest.mark.parametrize(
    ("seed", "counts"), [(1, (38, 1444, 69816, 3374278)), (2, (36, 1296, 58511, 2640839))], ids=["seed 1", "seed 2"]
)
def test_the_opening_has_these_sequences(seed: int, counts: tuple[int, ...]) -> None:
    found = opening(terrain_of(seed))
    assert tuple(perft(found, depth) for depth in range(1, len(counts) + 1)) == counts


@pytest.mark.parametrize(
    ("seed", "ships", "counts"),
    [(8, G1, (77, 5429, 402034)), (14, G2, (82, 5219, 435888))],
    ids=["G1", "G2"],
)
def test_a_middlegame_has_these_sequences(seed: int, ships: str, counts: tuple[int, ...]) -> None:
    found = position(ships, "r", OBSTACLES[seed])
    assert tuple(perft(found, depth) for depth in range(1, len(counts) + 1)) == counts


@pytest.mark.parametrize(
    ("seed", "ships", "kinds"),
    [(8, G1, {"MOVE": 74, "CLOSE": 1, "RANGED": 2}), (14, G2, {"MOVE": 79, "CLOSE": 2, "RANGED": 1})],
    ids=["G1", "G2"],
)
def test_its_actions_are_of_these_kinds(seed: int, ships: str, kinds: dict[str, int]) -> None:
    found = position(ships, "r", OBSTACLES[seed])
    played = [kind_of(found.cells, *action) for action in legal_actions(found)]
    assert {kind: played.count(kind) for kind in set(played)} == kinds


def test_a_sequence_does_not_go_on_where_the_game_is_over() -> None:
    stalemate = position("bM@-6,5 bD@-5,5 rM@-7,7", "r")
    bare = position("bM@3,-6 bW@-1,-4 rM@-3,6 rC@2,2")
    assert (perft(stalemate, 0), perft(stalemate, 1), perft(bare, 1)) == (1, 0, 0)
