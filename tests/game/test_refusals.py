"""Every refusal that a game has of its own, with its facts and its English."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from domain.catalogue import AnyRuleset
from domain.game import REFUSALS, AddEntropy, LeaveSeat, OpenGame, Resign, StartGame, TakeSeat
from domain.ruleset import Refused, Seat
from domain.rulesets.gravwell.commands import DraftStack
from domain.rulesets.gravwell.options import Options as GravwellOptions
from tests.game.table import Table, opened, refusal, started
from tests.rulesets.toy import TOY, Guess, Options

pytestmark = pytest.mark.usefixtures("toy")

GIVEN = "ab" * 16


def over() -> Table:
    table = started()
    table.do(0, Resign())
    return table


def one_retired() -> Table:
    table = started(seats=3)
    table.do(2, Resign())
    return table


def forked() -> Table:
    return over().forked(2)


@dataclass(frozen=True, slots=True)
class OtherTitles:
    """A command of some other title."""


REFUSED: list[tuple[str, Callable[[], Table], Seat | None, Any, dict[str, Any]]] = [
    ("ALREADY_SEATED", lambda: opened(seats=3), 0, TakeSeat(1), {"seat": 0}),
    ("BAD_ENTROPY", opened, 0, AddEntropy("ab"), {}),
    ("GAME_FULL", lambda: opened(bots=1, start=False), None, TakeSeat(1), {}),
    ("GAME_OVER", over, 1, Guess(1), {}),
    ("GAME_OVER", over, 1, Resign(), {}),
    ("GAME_OVER", over, None, TakeSeat(), {}),
    ("GAME_OVER", over, 0, LeaveSeat(), {}),
    ("GAME_OVER", over, 0, AddEntropy(GIVEN), {}),
    ("GAME_OVER", over, 0, StartGame(), {}),
    ("GAME_STARTED", started, None, TakeSeat(), {}),
    ("GAME_STARTED", started, 0, LeaveSeat(), {}),
    ("GAME_STARTED", started, 0, AddEntropy(GIVEN), {}),
    ("GAME_STARTED", started, 0, StartGame(), {}),
    ("NOT_AWAITED", lambda: started("gravwell", options=GravwellOptions(age_rank=(0, 1))), 1, DraftStack(0), {}),
    ("NOT_HOST", lambda: opened(bots=1, start=False), 0, StartGame(), {}),
    ("NOT_SEATED", opened, None, LeaveSeat(), {}),
    ("NOT_SEATED", opened, None, AddEntropy(GIVEN), {}),
    ("NOT_SEATED", started, None, Guess(1), {}),
    ("NOT_SEATED", started, None, Resign(), {}),
    ("NOT_STARTED", opened, 0, Guess(1), {}),
    ("NOT_STARTED", opened, 0, Resign(), {}),
    ("NO_SUCH_SEAT", opened, None, TakeSeat(2), {"last": 1}),
    ("NO_SUCH_SEAT", opened, None, TakeSeat(-1), {"last": 1}),
    ("GAME_STARTED", forked, None, TakeSeat(), {}),
    ("NOT_SEATED", forked, None, Guess(1), {}),
    ("RETIRED", one_retired, 2, Guess(1), {}),
    ("RETIRED", one_retired, 2, Resign(), {}),
    ("SEAT_TAKEN", lambda: opened(seats=3), None, TakeSeat(0), {"seat": 0}),
    ("WRONG_RULESET", started, 0, OtherTitles(), {"ruleset": "toy"}),
    ("WRONG_RULESET", started, 0, OpenGame("toy", 2), {"ruleset": "toy"}),
]

UNOPENABLE: list[tuple[str, OpenGame, dict[str, Any]]] = [
    (
        "BAD_OPTION",
        OpenGame("toy", 2, Options(generous=True)),
        {"option": "generous", "reason": "two seats would both win"},
    ),
    ("BOTS_OUT_OF_RANGE", OpenGame("toy", 3, bots=3), {"least": 0, "most": 2}),
    ("BOTS_OUT_OF_RANGE", OpenGame("toy", 3, bots=4, sit=False), {"least": 0, "most": 3}),
    ("BOTS_OUT_OF_RANGE", OpenGame("toy", 3, bots=-1), {"least": 0, "most": 2}),
    ("SEATS_OUT_OF_RANGE", OpenGame("toy", 1), {"seats": [2, 3, 4]}),
    ("SEATS_OUT_OF_RANGE", OpenGame("toy", 5), {"seats": [2, 3, 4]}),
    ("TURN_HOURS_OUT_OF_RANGE", OpenGame("toy", 2, turn_seconds=0), {"least_seconds": 1, "most_seconds": 31_622_400}),
    (
        "TURN_HOURS_OUT_OF_RANGE",
        OpenGame("toy", 2, turn_seconds=31_622_401),
        {"least_seconds": 1, "most_seconds": 31_622_400},
    ),
]

ELSEWHERE: list[tuple[str, dict[str, Any]]] = [
    ("NOT_FULL", {"free": [1, 2]}),
    ("DOES_NOT_FOLD", {}),
    ("NOT_OVER", {}),
    ("NOT_YOUR_SEAT", {"seat": 1}),
    ("NO_HOUSE_BOT", {}),
    ("NO_SUCH_RULES", {"versions": [1]}),
    ("VERSION_OUT_OF_RANGE", {"least": 5, "most": 9}),
    ("STALE", {"expected": 3, "least": 4, "head": 5}),
    ("TOO_MUCH_ENTROPY", {}),
]
"""Codes that need a story, with facts as their tests have them."""


@pytest.mark.parametrize(("code", "table", "seat", "command", "facts"), REFUSED)
def test_a_command_that_does_not_fit_is_refused(
    code: str, table: Callable[[], Table], seat: Seat | None, command: Any, facts: dict[str, Any]
) -> None:
    assert refusal(table(), seat, command) == (code, facts)


@pytest.mark.parametrize(("code", "opening", "facts"), UNOPENABLE)
def test_a_game_that_cannot_be_is_not_opened(code: str, opening: OpenGame, facts: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        Table(opening)
    assert (refused.value.code, refused.value.facts) == (code, facts)


def test_a_title_without_a_bot_has_no_house_bots(enter: Callable[[AnyRuleset], None]) -> None:
    enter(replace(TOY, advise=None))
    with pytest.raises(Refused, match="NO_HOUSE_BOT"):
        opened(bots=1)
    opened()


def test_the_host_cannot_start_a_game_with_free_seats() -> None:
    table = opened(seats=4, bots=1, start=False)
    assert refusal(table, 0, StartGame(), host=True) == ("NOT_FULL", {"free": [1, 2]})


def test_every_code_is_met_by_a_test_and_its_english_fits_its_facts() -> None:
    met = [(code, facts) for code, *_, facts in REFUSED] + [(code, facts) for code, _, facts in UNOPENABLE] + ELSEWHERE
    assert {code for code, _ in met} == set(REFUSALS)
    for code, facts in met:
        assert REFUSALS[code].format(**facts).endswith(".")
