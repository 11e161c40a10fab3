"""Every playthrough of every title reads as the rules play it, and together they show every way a game can end."""

import re
from difflib import unified_diff
from functools import cache
from pathlib import Path

import pytest

from domain import rulesets
from domain.catalogue import NEWEST, AnyRuleset
from tests.rulesets.playthrough import Replay, replayed

TITLES = Path(rulesets.__path__[0])
PATHS = sorted(TITLES.glob("*/playthroughs/*.txt"))
LINES_MAX = 200


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--golden"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_playthrough_reads_as_the_rules_play_it(path: Path, golden: bool) -> None:
    text, played = path.read_text(), replay(path).text
    if golden:
        path.write_text(played)
    elif text != played:
        lines = unified_diff(text.splitlines(), played.splitlines(), "as written", "as played", n=4, lineterm="")
        pytest.fail("\n".join((f"{path.name} (`make golden` writes it anew):", *lines)), pytrace=False)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_playthrough_can_be_read_at_one_sitting(path: Path) -> None:
    assert len(replay(path).text.splitlines()) < LINES_MAX


@pytest.mark.parametrize("ruleset", NEWEST.values(), ids=lambda ruleset: ruleset.name)
def test_every_way_a_game_can_end_has_a_playthrough(ruleset: AnyRuleset) -> None:
    newest = re.compile(rf"^game {ruleset.name} +rules {ruleset.version} ", re.MULTILINE)
    own = [path for path in PATHS if newest.search(path.read_text())]
    seen = {reason for path in own for reason in replay(path).reasons}
    assert set(ruleset.reasons) <= seen


@cache
def replay(path: Path) -> Replay:
    return replayed(path.read_text())


@pytest.mark.usefixtures("toy")
class TestPlaythroughs:
    def test_what_is_indented_is_written_anew(self) -> None:
        written = replayed("game toy rules 1 seats 2 seed 01\n> seat 1: guess number=3\n  nonsense\n").text
        assert "nonsense" not in written
        assert written.splitlines()[2:] == ["> seat 1: guess number=3", "  Guessed(seat=1, number=3 to 1)"]
        assert replayed(written).text == written

    def test_a_sealed_value_is_shown_with_its_audience(self) -> None:
        opening = replayed("game toy rules 1 seats 2 seed 01 prize=FARTHEST\n").text.splitlines()[1]
        assert opening.startswith("  NumberHidden(seats=2, options=Options(prize=FARTHEST, generous=False), number=")
        assert opening.endswith(" to nobody)")

    def test_a_refusal_is_shown_with_its_facts(self) -> None:
        lines = replayed("game toy rules 1 seats 2 seed 01\n> seat 1: guess number=10\n").text.splitlines()
        assert lines[-1] == "  refused OUT_OF_RANGE least=1 most=9"

    def test_the_clock_lapses_whoever_is_awaited(self) -> None:
        text = "game toy rules 1 seats 3 seed 01\n> seat 1: guess number=4\n> lapse\n"
        lines = replayed(text).text.splitlines()
        assert lines[5] == "  Lapsed(seat=0)"
        assert lines[7] == "  Lapsed(seat=2)"
        assert ", guesses=(1, 4, 1), " in lines[9]

    def test_a_view_is_shown_a_field_a_line(self) -> None:
        text = "game toy rules 1 seats 2 seed 01\n> seat 1: guess number=4\n> view public\n> view 1 guesses\n"
        lines = replayed(text).text.splitlines()
        assert lines[5:8] == ["  guesses: (None, HIDDEN)", "  points: (0, 0)", "  rounds: 0"]
        assert lines[8:] == ["> view 1 guesses", "  guesses: (None, 4)"]

    def test_random_turns_go_on_to_the_end(self) -> None:
        replay = replayed("game toy rules 1 seats 2 seed 01\n> random 99\n")
        assert "  ... 6 turns to version " in replay.text
        assert replay.reasons <= {"most_points", "shared"}
        assert replay.reasons

    @pytest.mark.parametrize("line", ["> lapsed", "> seat 1: think", "seat 1: guess number=1", "> view nobody"])
    def test_a_line_that_cannot_be_read_is_an_error(self, line: str) -> None:
        with pytest.raises(ValueError, match=r"cannot read|cannot do|there is no command"):
            replayed(f"game toy rules 1 seats 2 seed 01\n{line}\n")

    def test_rules_that_there_are_not_are_an_error(self) -> None:
        with pytest.raises(ValueError, match="no rules 2 of toy"):
            replayed("game toy rules 2 seats 2 seed 01\n")
