"""What all tests share: the switch that writes goldens anew, and a title of their own."""

import pytest

from domain.catalogue import CATALOGUE, NEWEST, AnyRuleset

pytest.register_assert_rewrite("tests.rulesets.laws", "tests.rulesets.hiding")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the playthroughs anew instead of comparing them")


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> AnyRuleset:
    """The toy title, in the catalogue for one test."""
    from tests.rulesets.toy import TOY

    newest = {**NEWEST, TOY.name: TOY}
    monkeypatch.setattr("domain.game.state.CATALOGUE", {**CATALOGUE, (TOY.name, TOY.version): TOY})
    monkeypatch.setattr("domain.game.rules.NEWEST", newest)
    monkeypatch.setattr("tests.rulesets.playthrough.NEWEST", newest)
    return TOY
