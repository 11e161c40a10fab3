"""The canonical text of a JSON value (RFC 8785) for the values a stream may hold (FORMAT.md, Values)."""

import json
from typing import TypeAlias

Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json] | None"

_encode = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
).encode


def canonical(value: object) -> str:
    """The one text of `value`: strings, integers within +-(2^53 - 1), booleans, None, lists, dicts with ASCII keys.

    Within these values the standard library's encoder writes what RFC 8785 asks for; a test holds it to that.
    """
    return _encode(value)
