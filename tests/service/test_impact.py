"""What a change of rules comes to, on streams as a released version wrote them."""

import json
from datetime import UTC, datetime
from uuid import UUID

import pytest

from domain.canonical import canonical
from domain.ruleset import Secret
from domain.rulesets.gravwell.board import Fuel
from domain.rulesets.gravwell.commands import Stop
from domain.rulesets.gravwell.events import FuelChosen, FuelOrder
from domain.stream import Row
from service.codec import codec_of
from service.impact import Impact, _told, impact_on
from service.seen import Visibility
from service.streams import GameRow
from tests.rulesets.histories import TITLES, rows_of


@pytest.fixture(scope="module")
def tail() -> list[Row]:
    """A race of Gravwell under rules 1, in which a stop is spent on a repulsor in the Singularity."""
    return history("no_secrets-true")


def history(name: str) -> list[Row]:
    return rows_of((TITLES / f"gravwell/histories/rules-1-{name}.jsonl").read_text())


def row_of(tail: list[Row]) -> GameRow:
    """What stands in the store beside a whole stream, as far as it matters here."""
    first, last = (json.loads(row.public) for row in (tail[0], tail[-1]))
    return GameRow(
        game_id=UUID(first["game"]),
        ruleset=first["data"]["ruleset"],
        rules=first["data"]["rules"],
        seats=first["data"]["seats"],
        visibility=Visibility.PUBLIC,
        join_secret=None,
        host_id=UUID(int=1),
        secret=bytes.fromhex(last["data"]["secret"]),
        created_at=datetime(2026, 11, 29, 20, tzinfo=UTC),
        version=len(tail),
        head_hash=tail[-1].hash,
        head_at=datetime(2026, 11, 30, tzinfo=UTC),
        status="ENDED",
        awaiting=[],
        deadline=None,
        quarantined=False,
        imported=False,
        players=[UUID(int=1), UUID(int=2)],
    )


def test_a_race_parts_where_a_stop_was_first_spent_on_a_card_that_moves_nobody(tail: list[Row]) -> None:
    impact = impact_on(row_of(tail), tail, (1, 2))
    assert impact.fault is None
    assert impact.parting is not None
    used = json.loads(tail[impact.parting.version - 1].public)
    assert used["name"] == "gravwell.stop_used"
    first, second = impact.parting.under
    assert first.startswith(f"gravwell.stop_used: Seat {used['data']['seat']} uses its Emergency Stop")
    assert second.startswith(f"gravwell.fuel_resolved: Seat {used['data']['seat']} resolves {used['data']['card']} ")
    assert second.endswith(": nobody moves.")


def test_the_other_way_round_it_parts_at_the_same_event(tail: list[Row]) -> None:
    there, back = (impact_on(row_of(tail), tail, versions).parting for versions in ((1, 2), (2, 1)))
    assert there is not None
    assert back is not None
    assert (back.version, back.under) == (there.version, there.under[::-1])


def test_a_race_in_which_no_stop_was_spent_like_that_does_not_part() -> None:
    tail = history("default")
    assert impact_on(row_of(tail), tail, (1, 2)) == Impact(row_of(tail).game_id, len(tail), None)


def test_a_game_that_its_own_rules_would_not_play_like_this_is_a_fault(tail: list[Row]) -> None:
    at = next(at for at, row in enumerate(tail) if json.loads(row.public)["name"] == "gravwell.fuel_resolved")
    public = json.loads(tail[at].public)
    public["data"]["cause"] = "TIE"
    bent = [*tail[:at], tail[at]._replace(public=canonical(public)), *tail[at + 1 :]]
    first = next(row.version for row in reversed(tail[: at + 1]) if "first" not in json.loads(row.public)["cause"])
    assert impact_on(row_of(tail), bent, (1, 2)).fault == f"version {first}: not what rules 1 decide"


def test_a_game_that_does_not_fold_is_a_fault(tail: list[Row]) -> None:
    bent = [row._replace(public=row.public.replace("gravwell.race_begun", "gravwell.race_bogus")) for row in tail]
    assert impact_on(row_of(tail), bent, (1, 2)).fault == "does not fold: KeyError"


def test_what_a_seat_keeps_hidden_is_not_told_of_a_game_that_goes_on() -> None:
    chosen = FuelChosen(0, Secret(FuelOrder(Fuel.Q, Stop.NEVER), (0,)))
    told = [_told(codec_of("gravwell", 2), chosen, ended=ended) for ended in (True, False)]
    assert told == [
        "gravwell.fuel_chosen: Seat 0 has chosen Q (Qt 3, tractor), without a stop.",
        "gravwell.fuel_chosen: Seat 0 has chosen its fuel.",
    ]
