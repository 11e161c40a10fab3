"""Differences between two JSON values, as they are told."""

from typing import Any

import pytest

from service.differing import changes


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [{"path": "a", "from": 1, "to": 2}]),
        ({"a": True}, {"a": 1}, [{"path": "a", "from": True, "to": 1}]),
        ({"a": {"b": [0, 1]}}, {"a": {"b": [0, 2]}}, [{"path": "a.b[1]", "from": 1, "to": 2}]),
        ({"view": None}, {"view": {"a": 1}}, [{"path": "view", "from": None, "to": {"a": 1}}]),
        ({"a": 1}, {"b": 1}, [{"path": "a", "from": 1, "to": None}, {"path": "b", "from": None, "to": 1}]),
        ({"hand": ["A", "B", "C"]}, {"hand": ["A", "C"]}, [{"path": "hand[1]", "removed": "B"}]),
        ({"hand": ["A", "C"]}, {"hand": ["A", "B", "C"]}, [{"path": "hand[1]", "added": "B"}]),
        (
            {"ships": [{"at": 1}, {"at": 5}, {"at": 9}]},
            {"ships": [{"at": 1}, {"at": 6}]},
            [{"path": "ships[1].at", "from": 5, "to": 6}, {"path": "ships[2]", "removed": {"at": 9}}],
        ),
        ({"a": []}, {"a": [1, 2]}, [{"path": "a[0]", "added": 1}, {"path": "a[1]", "added": 2}]),
        ({"a": [1]}, {"a": 1}, [{"path": "a", "from": [1], "to": 1}]),
    ],
)
def test_a_difference_is_told_where_it_is(before: Any, after: Any, told: list[dict[str, Any]]) -> None:
    assert changes(before, after) == told
