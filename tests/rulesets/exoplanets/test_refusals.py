"""Each refusal once, by its code and in English; and no code that nothing raises."""

from dataclasses import replace

import pytest

from domain import game as life_of_a_game
from domain.ruleset import Refused
from domain.rulesets.exoplanets import RULESET
from domain.rulesets.exoplanets.board import Special
from domain.rulesets.exoplanets.commands import (
    AttachTile,
    ClaimGoal,
    Command,
    CreateLife,
    CreateLifeWaiving,
    DrawPlanets,
    EndTurn,
    Gain,
    GravityExchange,
    GravityRemoveTile,
    HurlMeteor,
    PlaceDrawn,
    PlaceFromReserve,
    ResolveSolarStorm,
    Undo,
)
from domain.rulesets.exoplanets.crystals import Resource
from domain.rulesets.exoplanets.state import Phase, State
from tests.rulesets.exoplanets.positions import DEFAULT, DRAWS, game, holding, played, started

E, G, W = Resource

PLACING = started(2)
CHOOSING = played(PLACING, DrawPlanets())
ACTING = holding(game(2, "0/1 P01 S28", "0/2 P09", "0/3 P10", "0/4 P11", "1/1 P02 =1"), 0, hand="S14 S30 S11")
FULL = game(2, "0/1 P01", "0/2 P09", "0/3 P10", "0/4 P11", phase=Phase.PLACE)
SPENT = holding(game(2, "0/1 P01 3.0", "1/1 P02 3.0", "2/1 P03"), 0, "EGW")
GROWN = game(2, "0/1 P01 3.0", "0/2 P09 =0", "0/3 P10 =0", "0/4 P11 =0", "1/1 P02 =0")
OVER = replace(ACTING, ranking=((0, 1),))
TIRED = replace(ACTING, taken_back=3)

REFUSED: list[tuple[str, State, Command]] = [
    ("ALREADY_DRAWN", CHOOSING, DrawPlanets()),
    ("ALREADY_PLACED", ACTING, PlaceFromReserve(0, 1)),
    ("BAD_DISCARD", CHOOSING, PlaceDrawn(0, 0, 2)),
    ("BAD_EXCHANGE", holding(ACTING, 0, "E", gravity=1), GravityExchange(E, E)),
    ("BAD_WAIVE", ACTING, CreateLifeWaiving(0, 2, E)),
    ("BAG_EMPTY", replace(PLACING, bag=()), DrawPlanets()),
    ("CANNOT_PAY", ACTING, CreateLife(0, 1)),
    ("DOMINATED", ACTING, CreateLife(1, 1)),
    ("GAME_OVER", OVER, EndTurn()),
    ("GOAL_NOT_MET", ACTING, ClaimGoal("S14")),
    ("ILLEGAL_TARGET", ACTING, HurlMeteor("S11", 0, 1, 1)),
    ("MUST_PLACE", PLACING, EndTurn()),
    ("NOTHING_DRAWN", PLACING, PlaceDrawn(0, 0, 0)),
    ("NOTHING_PENDING", ACTING, ResolveSolarStorm(0)),
    ("NOTHING_TO_UNDO", ACTING, Undo()),
    ("NOT_AWAITED", replace(ACTING, active=1), EndTurn()),
    ("NOT_IN_HAND", ACTING, ClaimGoal("S01")),
    ("NO_GRAVITY", game(2, options=replace(DEFAULT, gravity=False)), GravityRemoveTile(0, 1)),
    ("NO_LIFE_LEFT", SPENT, CreateLife(2, 1)),
    ("NO_MARKERS", ACTING, GravityRemoveTile(0, 1)),
    ("NO_PLANET", ACTING, CreateLife(1, 2)),
    ("NO_SPECIES_LEFT", GROWN, CreateLife(0, 1)),
    ("NO_UNDER_TILE", holding(ACTING, 0, gravity=3), GravityRemoveTile(0, 2)),
    ("PENDING", replace(ACTING, pending=Special.SOLAR_STORM), EndTurn()),
    ("RAY_FULL", FULL, PlaceFromReserve(0, 0)),
    ("RESERVE_EMPTY", replace(PLACING, reserves=((), ("P09",))), PlaceFromReserve(0, 0)),
    ("TOO_MANY_UNDOS", TIRED, Undo()),
    ("UNDER_TAKEN", ACTING, AttachTile("S30", 0, 1)),
    ("WRONG_TILE", ACTING, Gain("S30")),
]

TEXTS = {**life_of_a_game.REFUSALS, **RULESET.refusals}


@pytest.mark.parametrize(("code", "state", "command"), REFUSED, ids=[row[0] for row in REFUSED])
def test_a_refusal_has_its_code_and_tells_its_facts(code: str, state: State, command: Command) -> None:
    with pytest.raises(Refused) as refused:
        RULESET.decide(state, 0, command, DRAWS)
    assert refused.value.code == code
    told = TEXTS[code].format(**refused.value.facts)
    assert "{" not in told
    assert "Resource." not in told
    assert "None" not in told


def test_every_code_of_the_rules_is_raised_somewhere() -> None:
    assert RULESET.refusals.keys() <= {code for code, _, _ in REFUSED}


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (PlaceFromReserve(-1, 0), "RESERVE_EMPTY"),
        (PlaceFromReserve(2, 0), "RESERVE_EMPTY"),
        (PlaceFromReserve(0, -1), "ILLEGAL_TARGET"),
        (PlaceFromReserve(0, 4), "ILLEGAL_TARGET"),
    ],
)
def test_numbers_beyond_the_board_do_not_wrap_around(command: Command, code: str) -> None:
    with pytest.raises(Refused) as refused:
        RULESET.decide(PLACING, 0, command, DRAWS)
    assert refused.value.code == code


@pytest.mark.parametrize("drawn", [-1, 2])
def test_a_planet_that_was_not_drawn_is_not_placed(drawn: int) -> None:
    with pytest.raises(Refused) as refused:
        RULESET.decide(CHOOSING, 0, PlaceDrawn(drawn, 0, 0), DRAWS)
    assert refused.value.code == "ILLEGAL_TARGET"


@pytest.mark.parametrize("command", [CreateLife(-1, 1), CreateLife(0, 0), CreateLife(0, -1), CreateLife(4, 1)])
def test_there_is_no_planet_beyond_the_board(command: Command) -> None:
    with pytest.raises(Refused) as refused:
        RULESET.decide(ACTING, 0, command, DRAWS)
    assert refused.value.code == "NO_PLANET"
