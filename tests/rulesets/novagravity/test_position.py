"""The text of a position says all of it, and what is not one says why."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.ruleset import Refused
from domain.rulesets.novagravity.layout import terrain_of
from domain.rulesets.novagravity.position import BadText, Position, Standing, opening, standing_of, text_of
from domain.rulesets.novagravity.practice import practice
from tests.rulesets.novagravity.positions import crowded, position

SHIPS = "DDDDDDDD/CWBEMEBWC/10/11/12/13/14/15/14/13/12/11/10/cwbemebwc/dddddddd"
SEED_1 = "H:E3,K10;P:D10,F9,J5,L2;A:D1,E12,G3,I12,K1,L11"
"""H@-2,-3 is the third hex of row E, and so on; row by row."""

BAD = {
    "no text": "",
    "a field too few": f"{SHIPS} b - 0",
    "a field too many": f"{SHIPS} b - 0 0 0",
    "a third side": f"{SHIPS} g - 0 0",
    "a negative count": f"{SHIPS} b - -1 0",
    "a count without end": f"{SHIPS} b - {'9' * 10} 0",
    "digits of another script": f"{SHIPS} b - \u0661 0",
    "a row too few": f"{SHIPS[:-9]} b - 0 0",
    "a row too many": f"{SHIPS}/8 b - 0 0",
    "a row too long": f"{SHIPS}d b - 0 0",
    "a row too short": f"{SHIPS[:-1]} b - 0 0",
    "a row of many": f"{SHIPS.replace('/15/', '/99/')} b - 0 0",
    "a run of none": f"{SHIPS.replace('/15/', '/015/')} b - 0 0",
    "an unknown ship": f"{SHIPS.replace('C', 'X')} b - 0 0",
    "an unknown obstacle": f"{SHIPS} b X:H1 0 0",
    "an obstacle off the board": f"{SHIPS} b P:H16 0 0",
    "an obstacle nowhere": f"{SHIPS} b P: 0 0",
    "an obstacle on the star": f"{SHIPS} b P:H8 0 0",
    "two obstacles on one hex": f"{SHIPS} b H:H1;P:H1 0 0",
}

UNPLAYABLE = {
    "no Mother": f"{SHIPS.replace('M', 'E')} b - 0 0",
    "two Mothers": f"{SHIPS.replace('W', 'M', 1)} b - 0 0",
    "an eighteenth ship": f"{SHIPS.replace('/10/', '/D9/', 1)} b - 0 0",
    "a ship on a planet": f"{SHIPS} b P:B1 0 0",
    "a hull in asteroids": f"{SHIPS} b A:B1 0 0",
    "asteroids on a rear row": f"{SHIPS} b A:A1 0 0",
    "a ship on the star": f"{SHIPS.replace('/15/', '/7D7/').replace('DDDDDDDD/', '1DDDDDDD/')} b - 0 0",
}


def test_the_opening_reads_row_by_row() -> None:
    assert text_of(Standing(opening(terrain_of(1)))) == f"{SHIPS} b {SEED_1} 0 0"


@given(crowded, st.integers(0, 999_999), st.integers(0, 999_999))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_a_position_is_read_back_from_its_text(found: Position, quiet_plies: int, plies: int) -> None:
    standing = Standing(found, quiet_plies, plies)
    assert standing_of(text_of(standing)) == standing


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_what_is_not_a_position_is_said_to_be_none(text: str) -> None:
    with pytest.raises(BadText):
        standing_of(text)


@pytest.mark.parametrize("text", UNPLAYABLE.values(), ids=UNPLAYABLE)
def test_what_cannot_be_played_is_read_and_yet_no_start_of_a_practice_game(text: str) -> None:
    standing_of(text)
    with pytest.raises(Refused) as refusal:
        practice(text, no_progress=False)
    assert (refusal.value.code, refusal.value.facts["option"]) == ("BAD_OPTION", "start_from")


@given(st.text(alphabet="DCWBEMdcwbem123456789/ -:;,HPA\u0664\0", max_size=120))
@settings(max_examples=50, derandomize=True)
def test_junk_is_never_worse_than_bad_text(text: str) -> None:
    with pytest.raises(BadText):
        standing_of(text)


def test_a_drone_may_start_in_asteroids_and_any_ship_in_a_black_hole() -> None:
    found = Standing(position("bM@7,-7 bD@1,-3 rC@2,2 rM@-7,7", "r", "A@1,-3 H@2,2"))
    assert practice(text_of(found), no_progress=True) == found


def test_the_key_tells_ships_and_the_side_to_act_apart() -> None:
    found = position("bM@7,-7 bE@1,-4 rM@-7,7")
    others = (position("bM@7,-7 bE@1,-5 rM@-7,7"), position("bM@7,-7 bE@1,-4 rM@-7,7", "r"))
    assert found.key == position("rM@-7,7 bE@1,-4 bM@7,-7").key
    assert found.key not in {other.key for other in others}
