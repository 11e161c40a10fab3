"""The shape of what clients make up: idempotency keys (FORMAT.md, Ids)."""

import re

_KEY = re.compile(r"[!-~]{1,64}")


def key_fits(key: str) -> bool:
    """Whether this may be a key: 1 to 64 characters from `!` to `~`."""
    return _KEY.fullmatch(key) is not None
