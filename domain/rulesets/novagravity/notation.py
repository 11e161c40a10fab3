"""The compact text of a game: a header, then one line an action; and the way back to what was played."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from domain.rulesets.novagravity.board import FLEET, Cause, Kind, Side
from domain.rulesets.novagravity.commands import Act
from domain.rulesets.novagravity.events import Deed, DuelEnded, DuelStarted, Event, ShipActed
from domain.rulesets.novagravity.options import Blue, Options
from domain.rulesets.novagravity.position import standing_of


def game_text(events: Iterable[Event]) -> str:
    """A game in letters: what was chosen and drawn, and each action by its number (RULES.md, 13.2).

    `12. b C5*F5` is Red's Star Bomber firing at F5; `-` is a move, `x` a close attack. What came of it follows:
    `@E5` the ship recoiled to, `=B` promoted, `!D5` the Escort that took the blow, `~G3` swallowed, `+` check.
    """
    header: dict[str, str] = {}
    lines: list[str] = []
    plies, result = 0, "*"
    for event in events:
        match event:
            case DuelStarted(blue, layout_seed, position, no_progress):
                header = {
                    "Ruleset": "novagravity",
                    "Blue": f"seat {blue}",
                    "Layout": layout_seed or "-",
                    "NoProgress": "on" if no_progress else "off",
                    "Position": position,
                }
                plies = standing_of(position).plies
            case ShipActed(_, deed, check):
                plies += 1
                lines.append(f"{plies}. {_action(deed)}{'+' if check else ''}")
            case DuelEnded(ending, winner):
                result = f"{'draw' if winner is None else f'seat {winner}'} by {ending.lower()}"
    header["Result"] = result
    return "\n".join((*(f'[{key} "{value}"]' for key, value in header.items()), "", *lines, ""))


def game_of(text: str) -> tuple[Options, tuple[Act, ...]]:
    """The options that start the game of a text as it was started, and its actions. Raises ValueError."""
    header: dict[str, str] = {}
    acts: list[Act] = []
    for number, line in enumerate(text.splitlines(), 1):
        if action := _ACTION.fullmatch(line):
            acts.append(Act(*action.groups()))
        elif entry := _HEADER.fullmatch(line):
            header[entry[1]] = entry[2]
        elif line.strip():
            raise ValueError(f"line {number} is neither a header nor an action")
    if not {"Blue", "Layout", "NoProgress", "Position"} <= header.keys():
        raise ValueError("the header of a game names Blue, Layout, NoProgress and Position")
    practice = header["Layout"] == "-"
    options = Options(
        blue=Blue(header["Blue"].replace("seat ", "SEAT_")),
        no_progress=header["NoProgress"] == "on",
        layout_seed=None if practice else int(header["Layout"]),
        start_from=header["Position"] if practice else None,
    )
    return options, tuple(acts)


_MARKS: Final[Mapping[Kind, str]] = MappingProxyType({Kind.MOVE: "-", Kind.CLOSE: "x", Kind.RANGED: "*"})
_HEADER: Final = re.compile(r'\[(\w+) "([^"]*)"\]')
_ACTION: Final = re.compile(r"\d+\. [A-Za-z] ([A-O]\d+)[-x*]([A-O]\d+)\S*")


def _action(deed: Deed) -> str:
    letter = FLEET[deed.unit].letter
    fates = {loss.cause: loss.at for loss in deed.destroyed}
    return "".join(
        (
            letter if deed.side is Side.BLUE else letter.lower(),
            f" {deed.origin}{_MARKS[deed.kind]}{deed.target}",
            f"@{deed.landed or deed.origin}" if deed.recoiled else "",
            "=B" if deed.promoted else "",
            f"!{fates[Cause.ABSORBED]}" if Cause.ABSORBED in fates else "",
            *(f"~{loss.at}" for loss in deed.destroyed if loss.cause is Cause.SWALLOWED),
        )
    )
