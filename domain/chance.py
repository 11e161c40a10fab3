"""Chance as a pure function of a seed and a label, so that every card can be dealt again (FORMAT.md, Chance)."""

import hmac
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from domain.canonical import canonical

T = TypeVar("T")

WORDS = 1 << 64


class Draw:
    """The draws under one label: an endless, reproducible row of 64-bit words."""

    def __init__(self, seed: bytes, label: str) -> None:
        self._words = _words(seed, label)

    def below(self, n: int) -> int:
        """A uniform integer in 0 .. n-1, for 1 <= n <= 2^64. Words past the last whole multiple of n are skipped."""
        limit = WORDS - WORDS % n
        return next(word for word in self._words if word < limit) % n

    def shuffled(self, items: Iterable[T]) -> tuple[T, ...]:
        """The items in a uniform order: Fisher-Yates from the last place down."""
        row = list(items)
        for i in range(len(row) - 1, 0, -1):
            j = self.below(i + 1)
            row[i], row[j] = row[j], row[i]
        return tuple(row)


Draws: TypeAlias = Callable[[str], Draw]
"""label -> Draw. A label is used once in a game."""


def draws_from(seed: bytes) -> Draws:
    """The draws of a game whose seed is known."""
    return lambda label: Draw(seed, label)


def seed_of(secret: bytes, entropies: Sequence[str | None]) -> bytes:
    """The seed of a game: its secret (32 bytes) and, in order of events, the entropies given (hex, or None)."""
    message = canonical([given and given.lower() for given in entropies]).encode()
    return hmac.digest(secret, b"slowlight/seed/1" + message, "sha256")


def _words(seed: bytes, label: str) -> Iterator[int]:
    block = 0
    while True:
        message = b"slowlight/draw/1" + label.encode() + b"\0" + block.to_bytes(4, "big")
        digest = hmac.digest(seed, message, "sha256")
        for at in range(0, len(digest), 8):
            yield int.from_bytes(digest[at : at + 8], "big")
        block += 1
