"""Every title there is: each package in `domain.rulesets`, by (name, version)."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, TypeAlias

from domain import rulesets
from domain.ruleset import Ruleset

AnyRuleset: TypeAlias = Ruleset[Any, Any, Any, Any]


def _found() -> Iterator[AnyRuleset]:
    for module in iter_modules(rulesets.__path__):
        package = import_module(f"{rulesets.__name__}.{module.name}")
        yield from getattr(package, "RULESETS", None) or (package.RULESET,)


CATALOGUE: Mapping[tuple[str, int], AnyRuleset] = MappingProxyType(
    {(ruleset.name, ruleset.version): ruleset for ruleset in _found()}
)
"""(name, version) -> ruleset. A package offers `RULESET`, or `RULESETS` once it has several versions."""

NEWEST: Mapping[str, AnyRuleset] = MappingProxyType(
    {name: ruleset for (name, _), ruleset in sorted(CATALOGUE.items(), key=lambda item: item[0])}
)
"""name -> the ruleset that a game opened now is pinned to."""
