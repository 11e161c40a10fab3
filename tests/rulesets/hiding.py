"""Law 6 in detail: which commands differ only in what they seal, and whether anybody else can tell them apart."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from domain.ruleset import Seat, Secret, redacted
from tests.rulesets.play import Play


def alike(play: Play, state: Any, seat: Seat, kind: type) -> Iterator[list[Any]]:
    """The legal turns of one kind, in groups of those whose public content is the same and whose sealed one is not."""
    turns = [turn for turn in play.ruleset.legal(state, seat) if type(turn) is kind]
    if len(turns) < 2 or _sealing(play.decided(state, seat, turns[0])) is None:
        return
    events = [_sealing(play.decided(state, seat, turn)) for turn in turns]
    if None in events:
        return
    public = [
        field.name for field in fields(kind) if not _is_sealed([getattr(turn, field.name) for turn in turns], events)
    ]
    groups: dict[tuple[Any, ...], dict[str, Any]] = {}
    for turn, event in zip(turns, events, strict=True):
        groups.setdefault(tuple(getattr(turn, name) for name in public), {}).setdefault(repr(_held(event)), turn)
    yield from (list(group.values()) for group in groups.values() if len(group) > 1)


def assert_hidden(play: Play, state: Any, seat: Seat, turns: list[Any]) -> None:
    """Nobody but the seat can tell these turns apart until all those still awaited have acted.

    Where nobody else is awaited the reveal may follow at once: then it is the events up to the sealed one that count.
    """
    rivals = [viewer for viewer in play.viewers if viewer != seat]
    others = [other for other in play.ruleset.awaiting(state) if other != seat]
    branches = [play.decided(state, seat, turn) for turn in turns]
    _assert_same(rivals, branches, revealed=not others)
    states = [play.folded(events, state) for events in branches]
    if others and all(turns[0] in play.ruleset.legal(state, seat) for state in states):
        _assert_same(rivals, [play.decided(state, seat, turns[0]) for state in states])
    for other in others:
        assert _one(play.ruleset.awaiting(state) for state in states), f"who is awaited depends on what {seat} sealed"
        for rival in rivals:
            assert _one(play.ruleset.view(state, rival) for state in states), f"{rival} sees what {seat} sealed"
        assert _one(play.ruleset.legal(state, other) for state in states), f"what {other} may do depends on it"
        order = play.any_order(states[0], other)
        branches = [play.decided(state, other, order) for state in states]
        _assert_same(rivals, branches, revealed=other == others[-1])
        states = [play.folded(events, state) for state, events in zip(states, branches, strict=True)]


def _assert_same(rivals: list[Any], branches: list[tuple[Any, ...]], *, revealed: bool = False) -> None:
    for rival in rivals:
        told = [
            [redacted(event, rival) for event in (_to_the_sealed(events) if revealed else events)]
            for events in branches
        ]
        assert _one(told), f"{rival} can tell what was sealed"


def _one(values: Iterable[Any]) -> bool:
    first, *others = values
    return all(value == first for value in others)


def _to_the_sealed(events: tuple[Any, ...]) -> tuple[Any, ...]:
    sealed = [at for at, event in enumerate(events) if _seals(event)]
    return events[: sealed[0] + 1] if sealed else ()


def _sealing(events: tuple[Any, ...]) -> Any:
    return next((event for event in events if _seals(event)), None)


def _is_sealed(contents: list[Any], events: list[Any]) -> bool:
    """Whether the sealed events hold this content of their commands, or hold what depends on it and show it nowhere."""
    if all(content in _held(event) for content, event in zip(contents, events, strict=True)):
        return True
    shown = {name for name, value in _values(events[0]) if not isinstance(value, Secret)}
    if any(
        all(getattr(event, name, None) == content for content, event in zip(contents, events, strict=True))
        for name in shown
    ):
        return False
    return len({repr(_held(event)) for event in events}) == len({repr(content) for content in contents})


def _held(event: Any) -> list[Any]:
    """What an event seals: each value, and its parts."""
    values = [secret.known for secret in _seals(event)]
    return [part for value in values for part in (value, *(inner for _, inner in _values(value)))]


def _seals(event: Any) -> list[Secret[Any]]:
    return [value for _, value in _values(event) if isinstance(value, Secret)]


def _values(record: Any) -> list[tuple[str, Any]]:
    return [(field.name, getattr(record, field.name)) for field in fields(record)] if is_dataclass(record) else []
