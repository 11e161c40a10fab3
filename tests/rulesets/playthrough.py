"""Playthroughs: a game as one readable text, of which some lines are played and all others are what comes of them.

Whatever is indented is written anew; the other lines are the input:

    # a comment
    game gravwell  rules 1  seats 2  seed 0123  hardcore=True
    > seat 1: draft_stack stack=4
    > seat 0: resign
    > lapse
    > random 12
    > view public
    > view 0 hand track

The seed is in hex, the options follow it. A seat asks for what a command of the title, or of any game, is named. The
clock lapses all who are awaited. `random 12`: twelve times one of those awaited takes one of its turns, or until the
game is over. A view is that of the public or of a seat, whole or these fields of it.
"""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from textwrap import wrap
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from domain import game
from domain.catalogue import CATALOGUE
from domain.chance import draws_from
from domain.game import Game, OpenGame, Sender, TakeSeat
from domain.ruleset import Refused, Secret, snake

NOW: Final = datetime(2026, 11, 29, 20, tzinfo=UTC)
LINE_LENGTH: Final = 120

_GAME = re.compile(
    r"game (?P<title>\w+) +rules (?P<rules>\d+) +seats (?P<seats>\d+) +seed (?P<seed>[0-9a-f]+)(?P<options>.*)"
)
_SEAT = re.compile(r"seat (?P<seat>\d+): (?P<command>\w+)(?P<values>.*)")
_BARE = re.compile(r"[\w./+#-]+")


@dataclass(frozen=True, slots=True)
class Replay:
    """A playthrough written anew, and the reasons for which its games ended."""

    text: str
    reasons: frozenset[str]


def replayed(text: str) -> Replay:
    """The playthrough that the input lines of `text` lead to. Raises ValueError for a line that cannot be read."""
    table: Table | None = None
    lines: list[str] = []
    reasons: set[str] = set()
    for line in text.splitlines():
        if line.startswith("  "):
            continue
        lines.append(line)
        if opening := _GAME.fullmatch(line):
            table = Table(**opening.groupdict())
            lines.extend(table.opening)
        elif line.startswith("> ") and table is not None:
            lines.extend(table.asked(line[2:]))
            if table.game.outcome is not None:
                reasons.add(table.game.outcome.reason)
        elif line and not line.startswith("#"):
            raise ValueError(f"cannot read {line!r}")
    return Replay("\n".join(lines) + "\n", frozenset(reasons))


class Table:
    """A game that is being played through: all seats are taken by persons, and no turn is due at any time."""

    def __init__(self, title: str, rules: str, seats: str, seed: str, options: str) -> None:
        if (title, int(rules)) not in CATALOGUE:
            raise ValueError(f"there are no rules {rules} of {title}")
        ruleset = CATALOGUE[title, int(rules)]
        self._secret = bytes.fromhex(seed.ljust(64, "0"))
        opening = OpenGame(title, int(seats), _built(ruleset.options, options))
        decision = game.open_game(opening, self._secret, secret_hash="", now=NOW, rules=ruleset.version)
        while decision.game.free:
            decision = game.decide(decision.game, Sender(None), TakeSeat(), NOW, self._secret)
        self.game: Game = decision.game
        self.opening = [line for event in decision.events if type(event) in ruleset.events for line in _told(event)]

    def asked(self, line: str) -> list[str]:
        """What comes of one input line, as indented lines."""
        try:
            return list(self._answer(line))
        except Refused as refusal:
            facts = "".join(f" {name}={_shown(value)}" for name, value in refusal.facts.items())
            return _wrapped(f"refused {refusal.code}{facts}")

    def _answer(self, line: str) -> Iterator[str]:
        if seated := _SEAT.fullmatch(line):
            sender = Sender(int(seated["seat"]), host=seated["seat"] == "0")
            command = self._command(seated["command"], seated["values"])
            yield from self._recorded(game.decide(self.game, sender, command, NOW, self._secret))
        elif line == "lapse" and self.game.awaiting:
            yield from self._recorded(game.lapse(self.game, self.game.awaiting, NOW, self._secret))
        elif random := re.fullmatch(r"random (\d+)", line):
            yield from self._random(int(random[1]))
        elif view := re.fullmatch(r"view (public|\d+)((?: \w+)*)", line):
            viewer = None if view[1] == "public" else int(view[1])
            yield from _pictured(self.game.ruleset.view(self.game.state, viewer), view[2].split())
        else:
            raise ValueError(f"cannot do {line!r} here")

    def _recorded(self, decision: game.Decision) -> Iterator[str]:
        self.game = decision.game
        for event in decision.events:
            yield from _told(event)

    def _command(self, name: str, values: str) -> Any:
        for kind in (*game.COMMANDS, *self.game.ruleset.commands):
            if snake(kind.__name__) == name:
                return _built(kind, values)
        raise ValueError(f"there is no command {name}")

    def _random(self, turns: int) -> Iterator[str]:
        """Take so many turns, and tell of the last."""
        chance = draws_from(self._secret)(f"random-{self.game.version}")
        taken, last = 0, None
        while taken < turns and self.game.awaiting:
            seat = self.game.awaiting[chance.below(len(self.game.awaiting))]
            legal = game.legal(self.game, seat)
            command = legal[chance.below(len(legal))]
            last = game.decide(self.game, Sender(seat), command, NOW, self._secret)
            self.game, taken = last.game, taken + 1
        if last is not None:
            yield from _wrapped(
                f"... {taken} turns to version {self.game.version}, the last: seat {seat}, {_shown(command)}"
            )
            yield from self._recorded(last)


def _told(event: Any) -> list[str]:
    return _wrapped(_shown(event))


def _pictured(view: Any, names: list[str]) -> Iterator[str]:
    """A view, or these fields of it: each on a line, and on a line each the records in a field that holds several."""
    for name in names or [field.name for field in fields(view)]:
        value = getattr(view, name)
        if isinstance(value, tuple) and value and all(is_dataclass(item) for item in value):
            yield f"  {name}:"
            for item in value:
                yield from _wrapped(_shown(item), indent=4)
        else:
            yield from _wrapped(f"{name}: {_shown(value)}")


def _wrapped(text: str, indent: int = 2) -> list[str]:
    return wrap(
        text,
        LINE_LENGTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 4),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _shown(value: Any) -> str:
    match value:
        case Secret():
            return f"{_shown(value.value)} to {', '.join(map(str, value.to)) or 'nobody'}"
        case Enum():
            return value.name
        case str():
            return value if _BARE.fullmatch(value) else json.dumps(value, ensure_ascii=False)
        case tuple() | list():
            return f"({', '.join(map(_shown, value))})"
        case _ if is_dataclass(value):
            named = (f"{field.name}={_shown(getattr(value, field.name))}" for field in fields(value))
            return f"{type(value).__name__}({', '.join(named)})"
        case _:
            return str(value)


def _built(kind: type, values: str) -> Any:
    """A command, or options, from ` name=value name=value`."""
    hints = get_type_hints(kind)
    given = dict(word.split("=", 1) for word in shlex.split(values))
    return kind(**{name: _read(hints[name], value) for name, value in given.items()})


def _read(hint: Any, text: str) -> Any:
    """A value of a type from its text: `4`, `True`, `Q`, `None`, `1,2,3`; of a record inside of a command, `2/GAS`."""
    if get_origin(hint) in {Union, UnionType}:
        inner = [part for part in get_args(hint) if part is not NoneType]
        return None if text == "None" else _read(inner[0], text)
    if get_origin(hint) is tuple:
        return tuple(_read(get_args(hint)[0], part) for part in text.split(",") if part)
    if isinstance(hint, type) and is_dataclass(hint):
        return hint(*map(_read, get_type_hints(hint).values(), text.split("/")))
    return _READERS.get(hint, partial(_read_enum, hint))(text)


def _read_enum(kind: type[Enum], text: str) -> Enum:
    return kind[text] if text in kind.__members__ else kind(text)


def _read_bool(text: str) -> bool:
    return {"True": True, "False": False}[text]


_READERS: dict[Any, Callable[[str], Any]] = {int: int, str: str, bool: _read_bool}
