"""What all tests share: the switch that writes goldens anew, a title of their own, and one pair of real servers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from domain.catalogue import CATALOGUE, NEWEST, AnyRuleset
from service.servers import Servers, joined

pytest.register_assert_rewrite("tests.rulesets.laws", "tests.rulesets.hiding")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the playthroughs anew instead of comparing them")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Asynchronous tests run on asyncio, as the service does."""
    return "asyncio"


@pytest.fixture(scope="session")
def open_folder() -> Iterator[Path]:
    """A short-named folder that other accounts may pass through: under root, the servers run as one of their own."""
    with TemporaryDirectory(prefix="slowlight-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        yield folder


@pytest.fixture(scope="session")
def servers(open_folder: Path) -> Iterator[Servers]:
    """One PostgreSQL and one Valkey for the whole session."""
    with joined(open_folder / "servers") as servers:
        yield servers


@pytest.fixture
def enter(monkeypatch: pytest.MonkeyPatch) -> Callable[[AnyRuleset], None]:
    """Enters a ruleset into the catalogue, for one test."""

    def enter(ruleset: AnyRuleset) -> None:
        newest = {**NEWEST, ruleset.name: ruleset}
        catalogue = {**CATALOGUE, (ruleset.name, ruleset.version): ruleset}
        monkeypatch.setattr("domain.game.state.CATALOGUE", catalogue)
        monkeypatch.setattr("domain.game.rules.CATALOGUE", catalogue)
        monkeypatch.setattr("domain.game.rules.NEWEST", newest)
        monkeypatch.setattr("tests.rulesets.playthrough.CATALOGUE", catalogue)

    return enter


@pytest.fixture
def toy(enter: Callable[[AnyRuleset], None]) -> AnyRuleset:
    """The toy title, in the catalogue for one test."""
    from tests.rulesets.toy import TOY

    enter(TOY)
    return TOY
