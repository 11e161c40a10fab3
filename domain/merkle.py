"""Merkle trees over an append-only list, their proofs and the checks of those, as RFC 9162 (section 2.1) has them.

A tree is kept by its *complete* subtrees, which never change once they are there: `Node(level, place)` is the one over
the leaves from `place << level` on, `1 << level` of them. Every hash of the RFC is put together from a few of these.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from typing import NamedTuple


class Node(NamedTuple):
    """A complete subtree: `1 << level` leaves, from `place << level` on."""

    level: int
    place: int


@dataclass(frozen=True, slots=True)
class Span:
    """Neighbouring leaves, from `start` to before `end`, that are a subtree of some tree: what the RFC calls MTH of."""

    start: int
    end: int

    @property
    def peaks(self) -> tuple[Node, ...]:
        """The complete subtrees it is made of, left to right, each smaller than the one before."""
        found, start = list[Node](), self.start
        while start < self.end:
            level = (self.end - start).bit_length() - 1
            found.append(Node(level, start >> level))
            start += 1 << level
        return tuple(found)

    def hash(self, known: Mapping[Node, bytes]) -> bytes:
        """Its hash, from those of its peaks; for no leaves at all that of nothing."""
        peaks = [known[node] for node in self.peaks]
        return reduce(lambda right, left: node_hash(left, right), reversed(peaks)) if peaks else sha256().digest()


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry as a leaf."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash over two subtrees."""
    return sha256(b"\x01" + left + right).digest()


def grown(size: int, peaks: Mapping[Node, bytes], leaves: Iterable[bytes]) -> dict[Node, bytes]:
    """The complete subtrees that come to a tree of `size` leaves, known by its peaks, as these leaf hashes do."""
    made: dict[Node, bytes] = {}
    for place, leaf in enumerate(leaves, size):
        node, digest = Node(0, place), leaf
        made[node] = digest
        while node.place % 2:
            left = Node(node.level, node.place - 1)
            digest = node_hash(made[left] if left in made else peaks[left], digest)
            node = Node(node.level + 1, node.place >> 1)
            made[node] = digest
    return made


def inclusion_spans(place: int, size: int) -> tuple[Span, ...]:
    """What proves that a tree of `size` leaves has its leaf `place`, from the leaf upward (RFC 9162, 2.1.3.1)."""
    assert 0 <= place < size, "there is no such leaf"
    spans, start, end = list[Span](), 0, size
    while end - start > 1:
        middle = start + _left(end - start)
        if place < middle:
            spans.append(Span(middle, end))
            end = middle
        else:
            spans.append(Span(start, middle))
            start = middle
    return tuple(reversed(spans))


def consistency_spans(old: int, size: int) -> tuple[Span, ...]:
    """What proves that a tree of `size` leaves begins with all of one of `old` (RFC 9162, 2.1.4.1).

    Nothing does for equal trees, and nothing has to for an empty one.
    """
    assert 0 <= old <= size, "a tree does not shrink"
    if old in (0, size):
        return ()
    spans, start, end = list[Span](), 0, size
    while end != old:
        middle = start + _left(end - start)
        if old <= middle:
            spans.append(Span(middle, end))
            end = middle
        else:
            spans.append(Span(start, middle))
            start = middle
    return tuple(reversed(spans if start == 0 else [*spans, Span(start, end)]))


def is_included(leaf: bytes, place: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether the path proves a leaf hash at `place` of the tree with this size and root (RFC 9162, 2.1.3.2)."""
    if not 0 <= place < size or not _are_hashes(leaf, root, *path):
        return False
    inner, last, digest = place, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if inner & 1 or inner == last:
            digest = node_hash(sibling, digest)
            while inner and not inner & 1:
                inner, last = inner >> 1, last >> 1
        else:
            digest = node_hash(digest, sibling)
        inner, last = inner >> 1, last >> 1
    return last == 0 and digest == root


def is_consistent(old: int, old_root: bytes, size: int, root: bytes, path: Sequence[bytes]) -> bool:
    """Whether the path proves that the tree of `size` begins with all of the one of `old` (RFC 9162, 2.1.4.2)."""
    if not _are_hashes(old_root, root, *path):
        return False
    if not 0 < old < size:
        empty = old == 0 and old_root == sha256().digest() and (size > 0 or root == old_root)
        return not path and (empty or (0 < old == size and old_root == root))
    if not path:
        return False
    first, *rest = path if old & (old - 1) else (old_root, *path)
    inner, last, old_digest, digest = old - 1, size - 1, first, first
    while inner & 1:
        inner, last = inner >> 1, last >> 1
    for sibling in rest:
        if last == 0:
            return False
        if inner & 1 or inner == last:
            old_digest, digest = node_hash(sibling, old_digest), node_hash(sibling, digest)
            while inner and not inner & 1:
                inner, last = inner >> 1, last >> 1
        else:
            digest = node_hash(digest, sibling)
        inner, last = inner >> 1, last >> 1
    return last == 0 and old_digest == old_root and digest == root


def _are_hashes(*given: bytes) -> bool:
    """Whether all have the length of a hash: what is put together from others could be parted anywhere."""
    return all(len(one) == sha256().digest_size for one in given)


def _left(size: int) -> int:
    """How many of so many leaves, two at least, stand in the left subtree: the greatest power of two below it."""
    return 1 << (size - 1).bit_length() - 1
