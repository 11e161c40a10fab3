"""Rules that do not move: not a byte of a version that has a successor changes, nor of what it wrote."""

import shutil
from pathlib import Path

import pytest

from domain.catalogue import CATALOGUE, NEWEST, AnyRuleset
from tests.rulesets.frozen import LIST, TITLES, faults, newest_versions

OLD = [ruleset for ruleset in CATALOGUE.values() if ruleset.version < NEWEST[ruleset.name].version]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the titles, to be tampered with."""
    return Path(shutil.copytree(TITLES, tmp_path / "titles", ignore=shutil.ignore_patterns("__pycache__")))


def test_nothing_frozen_has_changed() -> None:
    assert list(faults(TITLES, newest_versions())) == []


@pytest.mark.parametrize("ruleset", OLD, ids=lambda ruleset: f"{ruleset.name}-{ruleset.version}")
def test_a_version_that_has_a_successor_decides_by_its_frozen_rules(ruleset: AnyRuleset) -> None:
    module = f"domain.rulesets.{ruleset.name}.rules_{ruleset.version}"
    for function in (ruleset.start, ruleset.decide, ruleset.lapse, ruleset.awaiting, ruleset.legal, ruleset.outcome):
        assert f"{function.__module__}.".startswith(f"{module}.")


@pytest.mark.parametrize("name", ["gravwell/rules_1.py", "gravwell/histories/rules-1-default.jsonl"])
def test_one_changed_byte_is_found(copied: Path, name: str) -> None:
    content = bytearray((copied / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copied / name).write_bytes(content)
    assert list(faults(copied, newest_versions())) == [
        f"{name} has changed: a game out there was decided by what it was"
    ]


def test_a_file_that_is_gone_is_found(copied: Path) -> None:
    (copied / "gravwell/rules_1.py").unlink()
    assert list(faults(copied, newest_versions())) == ["gravwell/rules_1.py is gone"]


def test_a_line_taken_off_the_list_is_found(copied: Path) -> None:
    lines = (copied / LIST).read_text().splitlines(keepends=True)
    (copied / LIST).write_text("".join(line for line in lines if "rules_1.py" not in line))
    assert list(faults(copied, newest_versions())) == [
        "gravwell/rules_1.py is not listed: its hash belongs into frozen.sha256"
    ]


def test_a_title_that_gains_a_version_must_list_what_its_old_one_wrote(copied: Path) -> None:
    found = list(faults(copied, {**newest_versions(), "novagravity": 2}))
    assert found == ["novagravity/histories/rules-1-default.jsonl is not listed: its hash belongs into frozen.sha256"]
