"""English for every code with which the service refuses: the edge's own, the game's, and each title's."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from domain import game
from domain.catalogue import CATALOGUE
from domain.ruleset import Refused
from service.seen import Refusal

REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        "ACCESS_LOST": "The game is not for you to see any more.",
        "AFTER_OUT_OF_RANGE": "`after` is {least} to {most}, the version of the newest event, not {given}.",
        "BAD_COMMAND": "The turn does not fit: {reason}.",
        "BAD_HANDLE": "A handle is {least} to {most} characters of A-Z, a-z, 0-9, `_` and `-`, a letter first.",
        "BAD_KEY": "A key is 1 to 64 characters from `!` to `~`.",
        "BAD_NAME": "A name is 1 to 64 characters of printable text.",
        "BAD_WAIT": "`wait` is {least} to {most} seconds.",
        "GAME_IMPORTED": "The game was played elsewhere: here it can only be read.",
        "HANDLE_TAKEN": "The handle {handle} is taken.",
        "KEY_REUSED": "The key {key} already stands for something else; nothing was received.",
        "LAGGED": "You did not keep up; go on with `after: {after}`.",
        "NOT_SIGNED_IN": "Sign in first: send `Authorization: Bearer <token>`.",
        "TOO_MANY_PENDING": "You have {most} submissions pending in this game; wait for their outcome.",
        "TOO_MANY_TOKENS": "You have {most} tokens; revoke one first.",
        "UNKNOWN_GAME": "There is no such game, or it is not for you.",
        "UNKNOWN_RECEIPT": "There is no such receipt, or it is not yours.",
        "UNKNOWN_OPTION": "There is no option {option}; there are {known}.",
        "UNKNOWN_TOKEN": "You have no such token.",
    }
)
"""The codes raised before a game is asked. `facts` of a refusal fill the braces."""


def refusal_of(code: str, ruleset: str | None = None, /, **facts: Any) -> Refusal:
    """A refusal with its English; `ruleset` tells whose text it is where it is a title's own code."""
    own = _texts_of(ruleset) if ruleset is not None else {}
    text = own.get(code) or game.REFUSALS.get(code) or REFUSALS.get(code, code)
    return Refusal(code, text.format_map(_Facts(facts)), facts)


def refusal_from(stored: str) -> Refusal:
    """A refusal as the store keeps it."""
    kept = json.loads(stored)
    return refusal_of(kept["code"], kept["ruleset"], **kept["facts"])


def refusal_by(refused: Refused, ruleset: str | None = None) -> Refusal:
    """What was raised in the domain, as a value."""
    return refusal_of(refused.code, ruleset, **refused.facts)


def _texts_of(title: str) -> Mapping[str, str]:
    """The codes of all versions of a title; the newest text of each."""
    versions = sorted(version for name, version in CATALOGUE if name == title)
    return {code: text for version in versions for code, text in CATALOGUE[title, version].refusals.items()}


class _Facts(dict[str, Any]):
    """Facts for a text, lists written as people write them; one that is missing shows its name."""

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name) if name in self else f"{{{name}}}"
        return ", ".join(map(str, value)) if isinstance(value, list) else value
