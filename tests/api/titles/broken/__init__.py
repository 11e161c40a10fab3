"""The toy of the laws with a bug in its view."""

from dataclasses import replace
from typing import NoReturn

from domain.ruleset import Viewer
from tests.rulesets.toy import TOY, State


def view(state: State, viewer: Viewer) -> NoReturn:
    raise KeyError("what only a debugger may see")


RULESET = replace(TOY, name="broken", title="Broken", view=view)
