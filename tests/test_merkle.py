"""Merkle trees against the known answers of the RFC and of Certificate Transparency, and proofs that prove nothing."""

from hashlib import sha256
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.merkle import (
    Node,
    Span,
    consistency_spans,
    grown,
    inclusion_spans,
    is_consistent,
    is_included,
    leaf_hash,
    node_hash,
)

ENTRIES = [
    bytes.fromhex(entry)
    for entry in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
"""The eight entries that logs of Certificate Transparency are tested with, and the roots of their first 0 to 8."""

ROOTS = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)


def tree(entries: list[bytes]) -> dict[Node, bytes]:
    return grown(0, {}, map(leaf_hash, entries))


def root(entries: list[bytes]) -> bytes:
    """The definition of the RFC (2.1.1), word for word."""
    if not entries:
        return sha256().digest()
    if len(entries) == 1:
        return sha256(b"\x00" + entries[0]).digest()
    half = max(power for power in (1, 2, 4, 8, 16, 32, 64) if power < len(entries))
    return sha256(b"\x01" + root(entries[:half]) + root(entries[half:])).digest()


def inclusion(entries: list[bytes], place: int) -> list[bytes]:
    known = tree(entries)
    return [span.hash(known) for span in inclusion_spans(place, len(entries))]


def consistency(entries: list[bytes], old: int) -> list[bytes]:
    known = tree(entries)
    return [span.hash(known) for span in consistency_spans(old, len(entries))]


@pytest.mark.parametrize("size", range(9))
def test_the_roots_are_the_known_ones(size: int) -> None:
    assert Span(0, size).hash(tree(ENTRIES)).hex() == ROOTS[size]
    assert root(ENTRIES[:size]).hex() == ROOTS[size]


@pytest.mark.parametrize(
    ("old", "size", "path"),
    [
        (1, 1, ()),
        (
            1,
            8,
            (
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ),
        ),
        (
            6,
            8,
            (
                "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ),
        ),
        (
            2,
            5,
            (
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            ),
        ),
    ],
)
def test_the_consistency_proofs_are_the_known_ones(old: int, size: int, path: tuple[str, ...]) -> None:
    found = consistency(ENTRIES[:size], old)
    assert [step.hex() for step in found] == list(path)
    assert is_consistent(old, bytes.fromhex(ROOTS[old]), size, bytes.fromhex(ROOTS[size]), found)


DRAWN = {letter: Span(place, place + 1) for place, letter in enumerate("abcdefj")} | {
    letter: Span(*ends) for letter, ends in {"g": (0, 2), "h": (2, 4), "i": (4, 6), "k": (0, 4), "l": (4, 7)}.items()
}
"""The tree of seven leaves that the RFC draws in 2.1.5, by its letters."""


@pytest.mark.parametrize(("place", "path"), [(0, "bhl"), (3, "cgl"), (4, "fjk"), (6, "ik")])
def test_the_inclusion_proofs_of_the_rfc_s_example(place: int, path: str) -> None:
    assert inclusion_spans(place, 7) == tuple(DRAWN[letter] for letter in path)


@pytest.mark.parametrize(("old", "path"), [(3, "cdgl"), (4, "l"), (6, "ijk")])
def test_the_consistency_proofs_of_the_rfc_s_example(old: int, path: str) -> None:
    assert consistency_spans(old, 7) == tuple(DRAWN[letter] for letter in path)


def test_a_tree_grows_in_steps_as_it_does_at_once() -> None:
    entries = [bytes([number]) for number in range(21)]
    leaves = [leaf_hash(entry) for entry in entries]
    known: dict[Node, bytes] = {}
    for start, end in ((0, 1), (1, 6), (6, 6), (6, 13), (13, 21)):
        peaks = {node: known[node] for node in Span(0, start).peaks}
        known |= grown(start, peaks, leaves[start:end])
    assert known == tree(entries)


def test_what_is_not_as_long_as_a_hash_proves_nothing() -> None:
    """Two hashes in the place of one, and nothing in that of the other: what is hashed over them is the same."""
    known, whole = tree(ENTRIES), bytes.fromhex(ROOTS[8])
    halves = known[Node(2, 0)] + known[Node(2, 1)]
    assert node_hash(b"", halves) == whole
    assert not is_consistent(4, b"", 8, whole, [halves])
    assert not is_included(b"", 0, 2, [halves], whole)
    assert not is_included(halves, 0, 2, [b""], whole)
    assert not is_included(b"", 0, 1, [], b"")
    assert not is_consistent(1, b"", 1, b"", [])


def test_every_proof_of_small_trees_proves_what_it_is_of_and_nothing_else() -> None:
    entries = [bytes([number]) for number in range(13)]
    roots = [root(entries[:size]) for size in range(14)]
    for size in range(1, 14):
        for place in range(size):
            path = inclusion(entries[:size], place)
            leaf = leaf_hash(entries[place])
            assert is_included(leaf, place, size, path, roots[size])
            for other in set(range(size + 1)) - {place}:
                assert not is_included(leaf, other, size, path, roots[size])
            assert not is_included(leaf_hash(b"other"), place, size, path, roots[size])
            assert not is_included(leaf, place, size, [*path, roots[size]], roots[size])
            assert not path or not is_included(leaf, place, size, path[:-1], roots[size])
    for old, size in combinations(range(1, 14), 2):
        path = consistency(entries[:size], old)
        assert is_consistent(old, roots[old], size, roots[size], path)
        assert not is_consistent(old, roots[old - 1], size, roots[size], path)
        assert not is_consistent(old, roots[old], size, roots[size - 1], path)
        assert not is_consistent(old, roots[old], size, roots[size], path[:-1])
        assert not is_consistent(old, roots[old], size, roots[size], [*path, roots[1]])
        assert not is_consistent(old, roots[old], size, roots[size], [])


def test_nothing_and_the_same_need_no_proof() -> None:
    nothing, one = (bytes.fromhex(text) for text in ROOTS[:2])
    assert is_consistent(0, nothing, 1, one, [])
    assert is_consistent(0, nothing, 0, nothing, [])
    assert is_consistent(1, one, 1, one, [])
    assert not is_consistent(0, one, 1, one, [])
    assert not is_consistent(0, nothing, 0, one, [])
    assert not is_consistent(1, one, 1, nothing, [])
    assert not is_consistent(1, one, 1, one, [one])
    assert not is_consistent(2, one, 1, one, [])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_path_with_one_bit_changed_proves_nothing(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 40))
    entries = [bytes([number]) for number in range(size)]
    place, old = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size - 1))
    paths = inclusion(entries, place), consistency(entries, old)
    bit = data.draw(st.integers(0, 255))
    for path in paths:
        at = data.draw(st.integers(0, len(path) - 1))
        path[at] = (int.from_bytes(path[at]) ^ 1 << bit).to_bytes(32)
    assert not is_included(leaf_hash(entries[place]), place, size, paths[0], root(entries))
    assert not is_consistent(old, root(entries[:old]), size, root(entries), paths[1])


def test_an_entry_is_never_taken_for_a_node() -> None:
    left, right = leaf_hash(b"a"), leaf_hash(b"b")
    assert leaf_hash(left + right) != node_hash(left, right)
