"""The numbered vectors of the rule sheet: where the ships stand, a card of A, where they stand then."""

import pytest

from domain.rulesets.gravwell.board import Fuel
from domain.rulesets.gravwell.events import Cause
from domain.rulesets.gravwell.options import Options
from domain.rulesets.gravwell.rules import resolved
from domain.rulesets.gravwell.state import Stage, moved
from tests.rulesets.gravwell.races import dealt, fold, fuels, lapse, names, race, track

VECTORS = """
1   | A0 B0 C0 D1 26 D2 36    | M | A10
2   | A0 B5 D1 26 D2 36       | D | A6
3   | A0 B5 C6 D1 26 D2 36    | G | A7
4   | A10 B12 C13 D1 26 D2 36 | P | A15
5   | A10 B12 C15 D1 26 D2 36 | D | A16
6   | A20 B18 C23 D1 26 D2 36 | D | A15
7   | A20 B18 C13 D1 26 D2 36 | O | A12
8   | A20 B22 C18 D1 30       | C | A23
9   | A20 B18 C10 D1 22       | L | A16
10  | A31 B0 D1 26 D2 36      | R | A31
11  | A31 B0 D1 26 D2 36      | S | A31
13  | A20 B22 C18 D1 30       | N | A14
14  | A31 D1 26 D2 36         | N | A31
15  | A20 B22 D1 26 D2 36     | U | A15
16  | A21 B19 D1 26 D2 36     | U | A27
17  | A0 B1 D1 26 D2 36       | N | A0
18  | A4 B3 D1 26 D2 36       | M | A0
19  | A4 B3 C0 D1 26 D2 36    | H | A0 C0
21  | A1 B0 C30 D1 26 D2 36   | C | A4
22S | A7 B0 C0 D1 0 D2 0      | W | A7
22R | A7 B0 C0 D1 0 D2 0      | N | A7
23  | A0 B0 C0 D1 0 D2 0      | C | A3
24  | A50 B52 D1 26 D2 36     | S | A54
25  | A50 B52 D1 26 D2 36     | L | A54
27  | A49 B51 D1 26 D2 36     | H | A53
28  | A49 B47 D1 26 D2 36     | U | A54
29  | A20 B15 C27 D1 26 D2 36 | J | A20 B17 D1 24 C25 D2 34
31  | A20 B18 D1 26 D2 36     | J | B21 D1 24 D2 34
32  | A20 B19 C21 D1 26 D2 36 | J | B22 C19 D1 24 D2 34
34  | A20 B21 C22 D1 23 D2 24 | J | B19 C18 D1 21 D2 22
36  | A0 B2 C5 D1 26 D2 36    | Q | B0 C2 D1 23 D2 33
37  | A0 B0 C1 D1 26 D2 36    | J | B0 C0 D1 24 D2 34
38  | A10 B0 C0 D1 26 D2 36   | J | B2 C3 D1 24 D2 34
41  | A53 B40 D1 26 D2 52     | J | B42 D1 28 D2 -
42  | A0 B9 D1 2 D2 36        | Q | D1 0 B6 D2 33
"""

ROWS = [[cell.strip() for cell in line.split("|")] for line in VECTORS.strip().splitlines()]


@pytest.mark.parametrize(("before", "card", "after"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_card_of_a_moves_the_ships_as_the_vector_says(before: str, card: str, after: str) -> None:
    ships = track(before)
    event = resolved(ships, 0, Fuel[card], Options(), age_rank=(1, 2, 0))  # 38: B is younger than C
    assert moved(ships, event.moves) == track(after, ships)


def test_29_the_nearest_ship_is_pulled_first() -> None:
    event = resolved(track("A20 B15 C27 D1 26 D2 36"), 0, Fuel.J, Options(), (0, 1, 2))
    assert [move.ship for move in event.moves] == [1, 4, 2, 5]


def test_38_several_ships_in_the_singularity_are_pulled_from_the_youngest() -> None:
    ships = track("A10 B0 C0 D1 26 D2 36")
    event = resolved(ships, 0, Fuel.J, Options(), age_rank=(2, 1, 0))
    assert moved(ships, event.moves) == track("B3 C2 D1 24 D2 34", ships)


def test_43_a_stopped_card_is_gone_without_effect() -> None:
    state = race("A20 B18 D1 26 D2 36", "DE", "TY")
    state = fold(fuels(state, "D ALWAYS", "T"), state)
    assert state.ships[0] == 20
    assert state.stops == (False, True)
    assert state.hands[0].cards == (Fuel.E,)
    assert state.hands[0].played == (Fuel.D,)


def test_44_a_stop_does_not_resist_a_beam() -> None:
    state = race("A20 B15 C27 D1 26 D2 36", "JA", "SB", "TC")
    events = fuels(state, "J", "S ALWAYS", "T ALWAYS")
    assert fold(events, state).ships == track("A20 B17 D1 24 C25 D2 34")


def test_45_a_course_is_judged_when_its_letter_comes() -> None:
    state = race("A20 B23 D1 26 D2 36", "MN", "BC")
    events = fuels(state, "M", "B")
    assert fold(events[:4], state).ships == track("A20 B25 D1 26 D2 36")
    assert fold(events, state).ships == track("A30 B25 D1 26 D2 36")
    assert names(events[2:5]) == ["FuelRevealed", "FuelResolved", "FuelResolved"]


def test_47_after_six_rounds_the_nearest_wins() -> None:
    state = race("A40 B12 C0 D1 26 D2 36", "U", "W", "N", round=6, phase=6)
    state = fold(fuels(state, "U ALWAYS", "W ALWAYS", "N"), state)
    assert state.ships == track("A40 B12 C0 D1 26 D2 36")
    assert state.outcome is not None
    assert (state.outcome.reason, state.outcome.ranking) == ("nearest", ((0,), (1,), (2,)))


def test_48_after_six_rounds_in_the_singularity_it_is_a_draw() -> None:
    state = race("A0 B0 C0 D1 26 D2 36", "K", "N", "U", round=6, phase=6)
    outcome = fold(fuels(state, "K", "N", "U"), state).outcome
    assert outcome is not None
    assert (outcome.reason, outcome.ranking) == ("all_in_singularity", ((0, 1, 2),))


def test_49_the_last_ship_drafts_first_and_the_youngest_of_those_in_the_singularity() -> None:
    state = race("A12 B0 C0 E30 D1 26 D2 36", *"AKNU", round=2, phase=6, age_rank=(2, 1, 3, 0))
    events = fuels(state, "A ALWAYS", "K", "N", "U ALWAYS")
    assert fold(events, state).ships == track("A12 B0 C0 E30 D1 26 D2 36")
    assert (dealt(events).round, dealt(events).draft_order) == (3, (2, 1, 0, 3))
    state, drafters = fold(events, state), []
    while state.stage is Stage.DRAFT:
        drafters.append(state.draft.drafter)
        state = fold(lapse(state), state)
    assert drafters == [2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0]  # the last stack goes by itself


@pytest.mark.parametrize(
    ("before", "card", "cause"),
    [
        ("A0 B5 D1 26", "D", Cause.SINGULARITY),
        ("A20 B18 C23", "D", Cause.NEAREST),
        ("A20 B22 C18 D1 30", "C", Cause.MAJORITY),
        ("A31 D1 26 D2 36", "R", Cause.TIE),
        ("A7 B0 D1 0", "W", Cause.NO_GRAVITY),
        ("A7 B9", "J", Cause.BEAM),
    ],
)
def test_a_resolved_card_says_why(before: str, card: str, cause: Cause) -> None:
    assert resolved(track(before), 0, Fuel[card], Options(), (0, 1, 2)).cause is cause
