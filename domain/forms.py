"""How ids, hashes, words and whole numbers are written, for what others hand in (FORMAT.md, Values)."""

import re
from typing import Final

_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)
_HASH: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SIGNATURE: Final = re.compile(r"[0-9a-f]{128}", re.ASCII)
_WORD: Final = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


def matches(pattern: re.Pattern[str], value: object) -> bool:
    """Whether a value is text, and all of it is of a pattern."""
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def is_id(value: object) -> bool:
    """Whether a value names a game or a submission: a UUID in lower case with dashes."""
    return matches(_ID, value)


def is_hash(value: object) -> bool:
    """Whether a value is 32 bytes in lower-case hex: a hash, a public key, a salt or a secret."""
    return matches(_HASH, value)


def is_signature(value: object) -> bool:
    """Whether a value is 64 bytes in lower-case hex."""
    return matches(_SIGNATURE, value)


def is_word(value: object) -> bool:
    """Whether a value is a name in lower_snake."""
    return matches(_WORD, value)


def is_whole(value: object, least: int = 0) -> bool:
    """Whether a value is an integer that may stand in a stream or statement, and not below the least; True is none."""
    return type(value) is int and least <= value < 1 << 53
