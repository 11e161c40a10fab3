"""What is frozen: the rules of versions that have a successor, and what those versions wrote, each file by its hash.

`domain/rulesets/frozen.sha256` lists them as sha256sum does, so that `sha256sum --check` reads it too.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from domain import rulesets
from domain.catalogue import NEWEST

TITLES = Path(rulesets.__path__[0])

LIST = "frozen.sha256"

_RULES = re.compile(r"\w+/rules_\d+(\.py|/.+\.py)")
_HISTORY = re.compile(r"(\w+)/histories/rules-(\d+)-.+\.jsonl")


def faults(titles: Path, newest: Mapping[str, int]) -> Iterator[str]:
    """What differs from the list in a folder of titles, of which these versions are the newest: nothing may."""
    lines = (line.split("  ", 1) for line in (titles / LIST).read_text().splitlines())
    listed = {name: digest for digest, name in lines}
    found = {path.relative_to(titles).as_posix(): path for path in titles.rglob("*") if path.is_file()}
    frozen = set(_frozen(found, newest))
    yield from (f"{name} is gone" for name in sorted(listed.keys() - found.keys()))
    yield from (f"{name} is not listed: its hash belongs into {LIST}" for name in sorted(frozen - listed.keys()))
    for name in sorted(listed.keys() & found.keys()):
        if sha256(found[name].read_bytes()).hexdigest() != listed[name]:
            yield f"{name} has changed: a game out there was decided by what it was"


def newest_versions() -> Mapping[str, int]:
    """The newest version of each title."""
    return {name: ruleset.version for name, ruleset in NEWEST.items()}


def _frozen(names: Iterable[str], newest: Mapping[str, int]) -> Iterator[str]:
    for name in names:
        history = _HISTORY.fullmatch(name)
        if _RULES.fullmatch(name) or (history is not None and int(history[2]) < newest[history[1]]):
            yield name
