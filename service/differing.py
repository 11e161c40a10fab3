"""What differs between two JSON values, as a list that people can read."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from domain.canonical import canonical


def changes(before: Any, after: Any) -> list[dict[str, Any]]:
    """Each place where they differ, in order: `{"path", "from", "to"}`.

    For an item of a list that came or went it is `{"path", "added"}` or `{"path", "removed"}`. A path is written as in
    a programming language: `view.ships[0].position`. The index of what was removed counts in the list as it was, every
    other index in the list as it is.
    """
    return [{"path": path.removeprefix("."), **what} for path, what in _changes("", before, after)]


def _changes(path: str, before: Any, after: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    match before, after:
        case dict(), dict():
            for name in before | after:
                yield from _changes(f"{path}.{name}", before.get(name), after.get(name))
        case list(), list():
            yield from _list_changes(path, before, after)
        case _ if canonical(before) != canonical(after):
            yield path, {"from": before, "to": after}


def _list_changes(path: str, before: list[Any], after: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Item by item where as many stand in one's place as before; else what went and what came."""
    if len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _changes(f"{path}[{index}]", old, new)
        return
    texts = [canonical(item) for item in before], [canonical(item) for item in after]
    for kind, start, end, new_start, new_end in SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        kept = min(end - start, new_end - new_start)
        for index in range(kept):
            yield from _changes(f"{path}[{new_start + index}]", before[start + index], after[new_start + index])
        yield from _items(path, "removed", before, range(start + kept, end))
        yield from _items(path, "added", after, range(new_start + kept, new_end))


def _items(path: str, what: str, items: Sequence[Any], places: range) -> Iterator[tuple[str, dict[str, Any]]]:
    for place in places:
        yield f"{path}[{place}]", {what: items[place]}
