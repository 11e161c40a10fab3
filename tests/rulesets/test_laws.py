"""Every law of every ruleset at every number of seats; and every law catches a ruleset that breaks it."""

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from domain.catalogue import CATALOGUE, AnyRuleset
from domain.ruleset import Setup
from tests.rulesets.broken import BROKEN, DISORDERLY
from tests.rulesets.laws import LAWS, Law, declared, narrated
from tests.rulesets.play import Plan, plans, played, variations
from tests.rulesets.toy import TOY

RULESETS: tuple[AnyRuleset, ...] = (TOY, *CATALOGUE.values())

EXAMPLES = 16
"""Plans for each ruleset and number of seats; the same ones each time, so that what fails here fails everywhere."""

TURNS_MAX = 2_000
"""The most turns of a game in which everybody does anything that is legal."""

MODESTLY = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)

TABLES = [
    pytest.param(ruleset, seats, id=f"{ruleset.name}-{ruleset.version}-{seats}-seats")
    for ruleset in RULESETS
    for seats in ruleset.seats
]


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
@given(data=st.data())
@MODESTLY
def test_the_laws_hold(ruleset: AnyRuleset, seats: int, data: st.DataObject) -> None:
    play = played(ruleset, data.draw(plans(ruleset, seats)))
    for law in (*LAWS, narrated):
        law(play)


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_a_game_of_any_turns_whatever_ends_with_the_default_options_or_one_that_bounds_it(
    ruleset: AnyRuleset, seats: int
) -> None:
    tried = (ruleset.options(), *(options for _, options in variations(ruleset.options)))
    plans = (Plan(Setup(seats, options), seed=2026, warm_up=TURNS_MAX) for options in tried)
    assert any(len(played(ruleset, plan).steps) < TURNS_MAX for plan in plans)


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: f"{ruleset.name}-{ruleset.version}")
def test_the_facts_of_a_ruleset_are_in_order(ruleset: AnyRuleset) -> None:
    declared(ruleset)


@pytest.mark.parametrize(("law", "ruleset"), BROKEN)
def test_a_law_catches_who_breaks_it(law: Law, ruleset: AnyRuleset) -> None:
    def is_caught(plan: Plan) -> bool:
        try:
            law(played(ruleset, plan))
        except AssertionError:
            return True
        return False

    find(plans(ruleset, 2), is_caught, settings=settings(MODESTLY, max_examples=100, phases=[Phase.generate]))


@pytest.mark.parametrize("ruleset", DISORDERLY)
def test_facts_out_of_order_are_found(ruleset: AnyRuleset) -> None:
    with pytest.raises(AssertionError):
        declared(ruleset)
