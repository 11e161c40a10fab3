"""(i) Bundles verified offline, many of them: bytes, chain, commitments, every decision made again.

python -m tests.bench.verify
"""

import subprocess
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

from domain.bundle import read
from domain.catalogue import NEWEST
from tests.bench.figures import Figure, alone, alternated, at_most
from tests.bench.ground import SLOWLIGHT, Ground
from tests.verifier.games import random_game

ROUNDS: Final = 3
EVENTS: Final = 100_000
SECONDS_MAX: Final = 10.0

KINDS_OF_GAMES: Final = 40
"""How many different games of each title there are among the bundles; each is there many times."""


def figures(ground: Ground) -> Iterator[Figure]:
    """The figure of (i)."""
    paths, events = _bundles(ground.folder / "bundles")
    found = alternated(ROUNDS, {"verify": partial(_verified, paths), "read": partial(_hashed, paths)})
    seconds, bare = median(found["verify"]), median(found["read"])
    yield at_most(
        SECONDS_MAX,
        f"(i) {EVENTS:,} events verified, {len(paths)} bundles",
        f"{seconds * EVENTS / events:.1f} s, {events / seconds:,.0f} events/s",
        f"read and hashed only: {bare:.2f} s",
        seconds * EVENTS / events,
    )


def _bundles(folder: Path) -> tuple[list[Path], int]:
    """Bundles of random games of every title in equal parts, `EVENTS` events and a little more in all."""
    folder.mkdir()
    games = [
        game.bundle()
        for number in range(KINDS_OF_GAMES)
        for ruleset in NEWEST.values()
        if (game := random_game(ruleset, number)).ended
    ]
    sizes = [len(read(data).events) for data in games]
    paths, events = list[Path](), 0
    while events < EVENTS:
        kind = len(paths) % len(games)
        path = folder / f"{len(paths)}.jsonl"
        path.write_bytes(games[kind])
        paths.append(path)
        events += sizes[kind]
    return paths, events


def _verified(paths: list[Path]) -> float:
    """The seconds that the command takes, from its start to its end."""
    began = perf_counter()
    subprocess.run([*SLOWLIGHT, "verify", *map(str, paths)], check=True, capture_output=True)
    return perf_counter() - began


def _hashed(paths: list[Path]) -> float:
    began = perf_counter()
    for path in paths:
        sha256(path.read_bytes()).digest()
    return perf_counter() - began


if __name__ == "__main__":
    alone(figures)
