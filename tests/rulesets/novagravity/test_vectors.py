"""The numbered vectors of the rule sheet, as it writes them.

In V33 and V34 it puts a bystander, rD, on 4,4, which is not on the board; here it stands on 3,4.
"""

import pytest

from domain.rulesets.novagravity.combat import resolve
from domain.rulesets.novagravity.hexes import COORDINATES
from domain.rulesets.novagravity.legality import in_check, legal_actions, verdict
from domain.rulesets.novagravity.options import Blue, Options
from domain.rulesets.novagravity.position import BOTH_SIDES, Position
from tests.rulesets.novagravity.duels import act, duel
from tests.rulesets.novagravity.positions import at, position, ships_of

TARGETS = """
V01 | bE@1,-4 bM@7,-7 rM@-7,7 | - | 1,-4 > -1,-4 -1,-2 0,-4 0,-3 0,-2 1,-6 1,-5 1,-3 1,-2 2,-6 2,-5 2,-4 3,-6 3,-4
V02 | bE@1,-4 rC@0,-3 bM@7,-7 rM@-7,7 | - | 1,-4 > -1,-4 0,-4 0,-3 1,-6 1,-5 1,-3 1,-2 2,-6 2,-5 2,-4 3,-6 3,-4
V03 | bE@1,-4 bM@7,-7 rM@-7,7 | H@1,-3 | 1,-4 > -1,-4 -1,-2 0,-4 0,-3 0,-2 1,-6 1,-5 1,-3 2,-6 2,-5 2,-4 3,-6 3,-4
V04 | bE@1,-4 bM@7,-7 rM@-7,7 | A@1,-3 | 1,-4 > -1,-4 -1,-2 0,-4 0,-3 1,-6 1,-5 2,-6 2,-5 2,-4 3,-6 3,-4
V06 | bD@1,-3 rD@2,-3 rD@1,-2 bM@7,-7 rM@-7,7 | A@1,-3 | 1,-3 > 0,-3 0,-2 1,-4 2,-5 2,-4
V07 | bD@1,-3 rD@2,-3 rD@1,-2 bM@7,-7 rM@-7,7 | - | 1,-3 > 0,-3 0,-2 1,-4 1,-2 2,-5 2,-4 2,-3
V12 | bB@2,-4 rC@5,-4 bM@7,-7 rM@-7,7 | H@4,-4 | 2,-4 > \
    -2,-4 -2,0 -1,-4 -1,-1 0,-4 0,-2 1,-4 1,-3 1,-2 2,-7 2,-6 2,-5 2,-3 2,-2 2,-1 2,0 3,-6 3,-5 3,-4 4,-6 4,-4 5,-7
V13 | bW@0,-4 bD@2,-4 rD@3,-4 bD@0,-3 bD@-1,-3 bM@7,-7 rM@-7,7 | P@1,-4 H@-1,-4 | 0,-4 > \
    -3,-4 -3,2 -2,-4 -2,0 -1,-4 -1,-2 1,-6 3,-4
V14 | bC@-2,0 bM@7,-7 rM@-7,7 | - | -2,0 > -6,0 -5,0 -4,0 -4,4 -3,0 -3,2 -1,-2 -1,0 0,-4
V46 | bM@1,-3 bD@5,-5 rM@-7,7 | H@1,-3 | 5,-5 >
"""

ACTIONS = """
V10 | bC@1,-4 rD@4,-4 bM@7,-7 rM@-7,7 | b | A@4,-4 | 1,-4>4,-4 | RANGED | bC@1,-4 bM@7,-7 rM@-7,7
V15 | bB@2,-4 rC@3,-4 bM@7,-7 rM@-7,7 | b | - | 2,-4>3,-4 | CLOSE | bB@3,-4 bM@7,-7 rM@-7,7
V16 | bB@2,-4 rC@4,-4 bM@7,-7 rM@-7,7 | b | - | 2,-4>4,-4 | RANGED | bB@2,-4 bM@7,-7 rM@-7,7
V17 | bE@4,-4 rC@3,-2 bM@7,-7 rM@-7,7 | b | - | 4,-4>3,-2 | CLOSE | bE@3,-3 bM@7,-7 rM@-7,7
V18 | bE@2,-4 rC@1,-2 bM@7,-7 rM@-7,7 | b | - | 2,-4>1,-2 | CLOSE | bE@1,-3 bM@7,-7 rM@-7,7
V19 | rE@-2,4 bC@-1,2 bM@7,-7 rM@-7,7 | r | - | -2,4>-1,2 | CLOSE | bM@7,-7 rE@-1,3 rM@-7,7
V21 | bW@4,-4 rC@2,0 bM@7,-7 rM@-7,7 | b | P@2,-1 | 4,-4>2,0 | CLOSE | bM@7,-7 bW@3,-1 rM@-7,7
V23 | bE@1,-4 bM@7,-7 rM@-7,7 | b | H@1,-3 | 1,-4>1,-3 | MOVE | bE@1,-3 bM@7,-7 rM@-7,7
V24 | bE@1,-3 bD@5,-5 bM@7,-7 rM@-7,7 | b | H@1,-3 | 5,-5>5,-4 | MOVE | bD@5,-4 bM@7,-7 rM@-7,7
V25 | bE@1,-3 bD@5,-5 bM@7,-7 rM@-7,7 | b | H@1,-3 | 1,-3>2,-3 | MOVE | bD@5,-5 bE@2,-3 bM@7,-7 rM@-7,7
V27 | bE@1,-3 rD@3,3 bM@7,-7 rM@-7,7 | r | H@1,-3 | 3,3>3,2 | MOVE | bE@1,-3 bM@7,-7 rD@3,2 rM@-7,7
V28 | bE@1,-3 bM@7,-7 rM@-7,7 | b | H@1,-3 H@2,-3 | 1,-3>2,-3 | MOVE | bE@2,-3 bM@7,-7 rM@-7,7
V33 | bM@0,-6 bE@0,-5 rC@4,-6 rD@3,4 rM@-7,7 | r | - | 4,-6>0,-6 | RANGED | bM@0,-6 rC@4,-6 rD@3,4 rM@-7,7
V34 | bM@0,-6 bE@0,-5 rW@3,-6 rD@3,4 rM@-7,7 | r | - | 3,-6>0,-6 | CLOSE | bM@0,-6 rD@3,4 rM@-7,7
V35 | bM@0,-6 bE@-1,-6 bE@1,-6 rW@3,-6 rM@-7,7 | r | - | 3,-6>0,-6 | CLOSE | bE@-1,-6 bM@0,-6 rM@-7,7
V39 | bD@-2,6 bM@7,-7 rM@-7,6 | b | - | -2,6>-2,7 | MOVE | bB@-2,7 bM@7,-7 rM@-7,6
"""

ILLEGAL = """
V08 | bE@1,-4 rD@2,-4 bM@7,-7 rM@-7,7 | b | A@2,-4 | 1,-4>2,-4
V11 | bM@1,-4 rD@2,-4 rM@-7,7 | b | A@2,-4 | 1,-4>2,-4
V32 | bM@0,-6 bE@0,-5 rC@4,-6 rM@-7,7 | b | - | 0,-5>0,-4
V37 | bM@0,-6 bE@0,-5 rM@1,-6 | r | - | 1,-6>0,-6
"""

STATUSES = """
V29 | bM@0,-6 bE@2,-4 rC@4,-6 rM@-7,7 | b | check
V31 | bM@0,-6 bE@0,-5 rC@4,-6 rM@-7,7 | b | ongoing
V40 | bM@-6,5 bB@-4,7 rM@-7,7 | r | checkmate
V41 | bM@-6,5 bD@-5,5 rM@-7,7 | r | stalemate
V43 | bM@3,-6 bW@-1,-4 rM@-3,6 rC@2,2 | b | insufficient
V44 | bM@3,-6 bE@2,-4 rM@-3,6 | b | ongoing
V45 | bM@3,-6 bW@-1,-4 bW@-2,-4 rM@-3,6 | b | ongoing
"""


def rows(table: str) -> list[object]:
    split = [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]
    return [pytest.param(*cells, id=number) for number, *cells in split]


@pytest.mark.parametrize(("ships", "obstacles", "reach"), rows(TARGETS))
def test_a_ship_of_blue_has_these_legal_targets(ships: str, obstacles: str, reach: str) -> None:
    origin, _, targets = reach.partition(">")
    found = position(ships, "b", obstacles)
    assert {coordinates(target) for start, target in legal_actions(found) if start == at(origin)} == set(
        targets.split()
    )


@pytest.mark.parametrize(("ships", "side", "obstacles", "action", "kind", "after"), rows(ACTIONS))
def test_an_action_leaves_these_ships(
    ships: str, side: str, obstacles: str, action: str, kind: str, after: str
) -> None:
    found = position(ships, side, obstacles)
    assert steps(action) in legal_actions(found)
    assert resolve(found, *steps(action)).kind == kind
    assert ships_of(done(found, action)) == set(after.split())


@pytest.mark.parametrize(("ships", "side", "obstacles", "action"), rows(ILLEGAL))
def test_an_action_is_illegal(ships: str, side: str, obstacles: str, action: str) -> None:
    assert steps(action) not in legal_actions(position(ships, side, obstacles))


@pytest.mark.parametrize(("ships", "side", "status"), rows(STATUSES))
def test_a_position_has_this_status(ships: str, side: str, status: str) -> None:
    assert status_of(position(ships, side)) == status


def test_v29_there_are_five_flights_two_blocks_and_a_counterattack() -> None:
    flights = "0,-6>-1,-5 0,-6>-1,-6 0,-6>0,-5 0,-6>0,-7 0,-6>1,-7"
    defence = "2,-4>2,-6 2,-4>3,-6 2,-4>4,-6"
    found = position("bM@0,-6 bE@2,-4 rC@4,-6 rM@-7,7")
    assert set(legal_actions(found)) == {steps(action) for action in f"{flights} {defence}".split()}


def test_v33_a_ranged_blow_that_an_escort_took_leaves_a_check() -> None:
    found = position("bM@0,-6 bE@0,-5 rC@4,-6 rD@3,4 rM@-7,7", "r")
    assert status_of(done(found, "4,-6>0,-6")) == "check"


def test_v34_a_close_blow_that_an_escort_took_leaves_none() -> None:
    found = position("bM@0,-6 bE@0,-5 rW@3,-6 rD@3,4 rM@-7,7", "r")
    assert status_of(done(found, "3,-6>0,-6")) == "ongoing"


def test_v40_checkmate_and_v41_stalemate_leave_no_legal_action() -> None:
    assert not legal_actions(position("bM@-6,5 bB@-4,7 rM@-7,7", "r"))
    assert not legal_actions(position("bM@-6,5 bD@-5,5 rM@-7,7", "r"))


def test_v48_the_third_occurrence_of_the_opening_is_a_draw() -> None:
    state = duel(Options(blue=Blue.SEAT_0, layout_seed=1))
    counts = []
    for action in ("1,-6>1,-5", "-1,6>-1,5", "1,-5>1,-6", "-1,5>-1,6") * 2:
        assert state.end is None
        state = act(state, action)
        counts.append(state.occurrences)
    assert counts == [1, 1, 1, 2, 2, 2, 2, 3]
    assert state.end is not None
    assert (state.end.ending, state.end.winner) == ("THREEFOLD", None)


def coordinates(hex_: int) -> str:
    return "{},{}".format(*COORDINATES[hex_])


def steps(action: str) -> tuple[int, int]:
    origin, _, target = action.partition(">")
    return at(origin), at(target)


def done(found: Position, action: str) -> Position:
    return Position(resolve(found, *steps(action)).cells, found.terrain, found.side ^ BOTH_SIDES)


def status_of(found: Position) -> str:
    ending = verdict(found)
    return ending.lower() if ending else "check" if in_check(found) else "ongoing"
