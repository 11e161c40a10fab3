"""What a duel starts from: chance, the options, or a position of one's own."""

from typing import Any

import pytest

from domain.chance import draws_from
from domain.ruleset import Refused, Setup
from domain.rulesets.novagravity import RULESET
from domain.rulesets.novagravity.events import DuelStarted, Event
from domain.rulesets.novagravity.layout import terrain_of
from domain.rulesets.novagravity.options import Blue, Options
from domain.rulesets.novagravity.position import Standing, opening, text_of
from tests.rulesets.novagravity.duels import DRAWS, fold
from tests.rulesets.novagravity.positions import text

AFAR = "bM@7,-7 bE@1,-4 rM@-7,7"


def start(**options: Any) -> Event:
    (event,) = RULESET.start(Setup(2, Options(**options)), DRAWS)
    return event


def test_layout_and_sides_are_drawn_under_their_labels() -> None:
    seed = DRAWS("layout").below(2**32)
    standing = text_of(Standing(opening(terrain_of(seed))))
    assert start() == DuelStarted(DRAWS("blue").below(2), str(seed), standing, no_progress=False, check=False)


def test_both_seats_come_to_command_blue() -> None:
    started = [RULESET.start(Setup(2, Options()), draws_from(bytes([n] * 32)))[0] for n in range(20)]
    assert {event.blue for event in started if isinstance(event, DuelStarted)} == {0, 1}


@pytest.mark.parametrize(("blue", "seat"), [(Blue.SEAT_0, 0), (Blue.SEAT_1, 1)])
def test_a_named_seat_commands_blue_and_acts_first(blue: Blue, seat: int) -> None:
    state = fold([start(blue=blue)])
    assert RULESET.awaiting(state) == (seat,)
    assert RULESET.legal(state, 1 - seat) == ()


def test_a_named_layout_seed_is_taken_and_stated() -> None:
    event = start(layout_seed=1)
    assert isinstance(event, DuelStarted)
    assert event.layout_seed == "1"
    assert len(RULESET.legal(fold([event]), event.blue)) == 38


def test_a_practice_game_starts_from_its_position() -> None:
    given = text(AFAR, "r", "H@1,-3 P@2,2 A@0,2", quiet_plies=7)
    event = start(start_from=given, blue=Blue.SEAT_0)
    assert event == DuelStarted(0, None, given, no_progress=False, check=False)
    assert RULESET.awaiting(fold([event])) == (1,)


def test_a_practice_game_may_start_in_check() -> None:
    event = start(start_from=text("bM@0,-6 bE@2,-4 rC@4,-6 rM@-7,7"))
    assert isinstance(event, DuelStarted)
    assert event.check


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"layout_seed": -1}, "layout_seed"),
        ({"layout_seed": 2**32}, "layout_seed"),
        ({"layout_seed": 1, "start_from": text(AFAR)}, "layout_seed"),
        ({"start_from": "nonsense"}, "start_from"),
        ({"start_from": text("bM@-6,5 bB@-4,7 rM@-7,7", "r")}, "start_from"),
        ({"start_from": text("bM@3,-6 bW@-1,-4 rM@-3,6 rC@2,2")}, "start_from"),
        ({"start_from": text(AFAR, quiet_plies=150), "no_progress": True}, "start_from"),
    ],
    ids=["below", "above", "two boards", "no text", "checkmate", "too few ships", "no progress"],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], option: str) -> None:
    with pytest.raises(Refused) as refusal:
        start(**options)
    assert (refusal.value.code, refusal.value.facts["option"]) == ("BAD_OPTION", option)
