"""Every kind of mistake has its code, and the code says where."""

import pytest

from domain.ruleset import Refused
from domain.rulesets.novagravity import RULESET
from domain.rulesets.novagravity.commands import Act, AnswerDraw, Command, OfferDraw
from tests.rulesets.novagravity.duels import act, command, events_of, practice
from tests.rulesets.novagravity.positions import name

AFAR = "bM@7,-7 rM@-7,7 rD@-7,0"

ILLEGAL = """
EMPTY_HEX         | an empty hex acts                     | bD@5,1           | -      | 1,-4>2,-4 | 1,-4
NOT_YOUR_SHIP     | the enemy's ship acts                 | bD@5,1 rE@1,-4   | -      | 1,-4>2,-4 | 1,-4
OWN_SHIP          | a ship attacks its own                | bE@1,-4 bD@2,-4  | -      | 1,-4>2,-4 | 2,-4
OWN_SHIP          | a ship does not stir                  | bE@1,-4          | -      | 1,-4>1,-4 | 1,-4
OUT_OF_RANGE      | an Escort flies three hexes           | bE@1,-4          | -      | 1,-4>4,-4 |
OUT_OF_RANGE      | a target off every axis               | bB@1,-4          | -      | 1,-4>2,-3 |
OUT_OF_RANGE      | a Cruiser flies on the oblique        | bC@1,-4          | -      | 1,-4>1,-3 |
OUT_OF_RANGE      | a Mother jumps on the vertical        | bE@5,-6          | -      | 7,-7>6,-5 |
BLOCKED           | a ship of one's own stands between    | bE@1,-4 bD@2,-4  | -      | 1,-4>3,-4 | 2,-4
BLOCKED           | an enemy's ship stands between        | bE@1,-4 rD@2,-4  | -      | 1,-4>3,-4 | 2,-4
BLOCKED           | V12: a black hole lies between        | bB@2,-4 rC@5,-4  | H@4,-4 | 2,-4>5,-4 | 4,-4
BLOCKED           | an asteroid field lies between        | bE@1,-4          | A@2,-4 | 1,-4>3,-4 | 2,-4
BLOCKED           | a planet lies there                   | bE@1,-4          | P@2,-4 | 1,-4>2,-4 | 2,-4
BLOCKED           | the star lies there                   | bC@-2,0          | -      | -2,0>0,0  | 0,0
BLOCKED           | a Void Shifter ends on the star       | bW@-2,0          | -      | -2,0>0,0  | 0,0
LANE_CLOSED       | V02: a ship in one lane               | bE@1,-4 rC@0,-3  | -      | 1,-4>0,-2 | 0,-3
LANE_CLOSED       | V04: asteroids in one lane            | bE@1,-4          | A@1,-3 | 1,-4>0,-2 | 1,-3
LANE_CLOSED       | a ship in a lane of the second step   | bB@1,-4 rC@-1,-1 | -      | 1,-4>-1,0 | -1,-1
ASTEROID_FIELD    | a hull flies into asteroids           | bE@1,-4          | A@2,-4 | 1,-4>2,-4 | 2,-4
ASTEROID_FIELD    | a Void Shifter ends in asteroids      | bW@1,-4          | A@2,-4 | 1,-4>2,-4 | 2,-4
ASTEROID_FIELD    | V08: a hull rams a Drone in asteroids | bE@1,-4 rD@2,-4  | A@2,-4 | 1,-4>2,-4 | 2,-4
ASTEROID_FIELD    | the Mother selects asteroids          | bE@1,-4          | A@6,-6 | 7,-7>6,-6 | 6,-6
SHELTERED         | V06: a Drone fires from asteroids     | bD@1,-3 rD@2,-3  | A@1,-3 | 1,-3>2,-3 | 1,-3
MOTHER_MUST_LEAVE | V46: another ship acts                | bD@5,-5          | H@7,-7 | 5,-5>5,-4 | 7,-7
"""

EXPOSING = """
V32: the only Escort leaves           | bM@0,-6 bE@0,-5 rC@4,-6 rM@-7,7         | -      | 0,-5>0,-4 | 0,-6
the Mother steps into fire            | bM@0,-6 bD@5,-5 rC@4,-7 rM@-7,7         | -      | 0,-6>1,-7 | 1,-7
the check is not answered             | bM@0,-6 bE@2,-4 rC@4,-6 rM@-7,7         | -      | 2,-4>2,-3 | 0,-6
a shield leaves the line              | bM@0,-6 bE@2,-6 rC@4,-6 rM@-7,7         | -      | 2,-6>2,-5 | 0,-6
a shield leaves the lane              | bM@0,-6 bB@0,-5 rE@-1,-4 rM@-7,7        | -      | 0,-5>1,-5 | 0,-6
shot away, an enemy shields no more   | bM@0,-6 bC@1,-4 rD@2,-6 rC@4,-6 rM@-7,7 | -      | 1,-4>2,-6 | 0,-6
a blow takes an Escort off the line   | bM@0,-6 bC@6,-5 rM@3,-5 rE@3,-6 rC@4,-6 | -      | 6,-5>3,-5 | 0,-6
one attack takes two out of the lanes | bM@4,-5 bE@2,-2 rC@3,-4 rC@2,-1 rM@-7,7 | -      | 2,-2>3,-4 | 4,-5
a black hole will take the Escort     | bM@0,-6 bE@0,-5 bD@5,-5 rC@4,-6 rM@-7,7 | H@0,-5 | 5,-5>5,-4 | 0,-6
"""


def rows(table: str, label: int) -> list[object]:
    split = [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]
    return [pytest.param(*cells, id=cells[label]) for cells in split]


@pytest.mark.parametrize(("code", "what", "ships", "obstacles", "action", "where"), rows(ILLEGAL, label=1))
def test_an_action_out_of_reach_is_refused(
    code: str, what: str, ships: str, obstacles: str, action: str, where: str
) -> None:
    refusal = refused(f"{AFAR} {ships}", obstacles, action)
    assert refusal.code == code, what
    if where:
        assert refusal.facts == {"at": name(where)}


@pytest.mark.parametrize(("what", "ships", "obstacles", "action", "mother"), rows(EXPOSING, label=0))
def test_an_action_that_exposes_the_mother_is_refused(
    what: str, ships: str, obstacles: str, action: str, mother: str
) -> None:
    refusal = refused(ships, obstacles, action)
    assert (refusal.code, refusal.facts) == ("EXPOSES_MOTHER", {"at": name(mother)}), what
    assert command(action) not in RULESET.legal(practice(ships, "b", obstacles), 0)


def test_v37_a_mother_does_not_ram_an_escorted_mother() -> None:
    refusal = refused("rM@0,-6 rE@0,-5 bM@1,-6", "-", "1,-6>0,-6")
    assert (refusal.code, refusal.facts) == ("MOTHER_REPELLED", {"at": name("0,-6")})


def test_out_of_range_says_from_where_to_where() -> None:
    refusal = refused(f"{AFAR} bE@1,-4", "-", "1,-4>4,-4")
    assert refusal.facts == {"origin": name("1,-4"), "target": name("4,-4")}


@pytest.mark.parametrize(
    ("asked", "which"),
    [
        (Act("A9", "B4"), "origin"),
        (Act("B4", "P1"), "target"),
        (Act("b4", "B4"), "origin"),
        (Act("B04", "B4"), "origin"),
        (Act("", "B4"), "origin"),
        (Act("B4", "B\u0664"), "target"),
    ],
)
def test_what_is_not_a_hex_by_name_is_off_the_board(asked: Act, which: str) -> None:
    state = practice(f"{AFAR} bE@1,-4")
    with pytest.raises(Refused) as refusal:
        act(state, asked)
    assert (refusal.value.code, refusal.value.facts) == ("OFF_BOARD", {"which": which})


@pytest.mark.parametrize("asked", [Act("B5", "A5"), OfferDraw()])
def test_who_is_not_to_act_does_not_act(asked: Command) -> None:
    state = practice(f"{AFAR} bE@1,-4")
    with pytest.raises(Refused, match="NOT_AWAITED"):
        act(state, asked, seat=1)


@pytest.mark.parametrize("asked", [Act("B5", "A5"), OfferDraw(), AnswerDraw(accept=True)])
@pytest.mark.parametrize("seat", [0, 1])
def test_nothing_is_done_once_the_duel_is_over(asked: Command, seat: int) -> None:
    state = act(practice(f"{AFAR} bE@1,-4"), OfferDraw())
    state = act(state, AnswerDraw(accept=True), seat=1)
    with pytest.raises(Refused, match="GAME_OVER"):
        act(state, asked, seat)


def test_every_refusal_of_an_action_has_its_english() -> None:
    codes = {line.split("|")[0].strip() for line in ILLEGAL.strip().splitlines()}
    offers = {"DRAW_ALREADY_OFFERED", "NO_DRAW_OFFERED", "OFFER_TOO_SOON"}
    assert set(RULESET.refusals) == codes | offers | {"OFF_BOARD", "EXPOSES_MOTHER", "MOTHER_REPELLED"}


def refused(ships: str, obstacles: str, action: str) -> Refused:
    with pytest.raises(Refused) as refusal:
        events_of(practice(ships, "b", obstacles), action)
    return refusal.value
