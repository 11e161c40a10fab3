"""Many bundles verified at once, in as many processes as there are processors, and what anchors them outside."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from os import cpu_count
from pathlib import Path
from typing import Final

from domain.bundle import Damaged, read
from service.knowing import Known
from service.verifying import Verified, verify

ALONE_BYTES_MAX: Final = 2_000_000
"""Up to so many bytes of bundles are verified without other processes: those would take longer to start."""

AT_A_TIME_MAX: Final = 16
"""The most bundles that a process is handed at a time."""


@dataclass(frozen=True, slots=True)
class Audited:
    """One file: its size, what was verified of it, or what is wrong with it."""

    path: Path
    size: int
    verified: Verified | None = None
    damaged: Damaged | None = None


@dataclass(slots=True)
class Tally:
    """The sum of what was audited."""

    bundles: int = 0
    events: int = 0
    damaged: int = 0
    anchored: int = 0
    found: set[str] = field(default_factory=set)

    def add(self, audited: Audited) -> None:
        """Count one file."""
        self.bundles += 1
        if audited.verified is None:
            self.damaged += 1
            return
        self.events += audited.verified.events
        self.anchored += audited.verified.anchored_at is not None
        self.found |= audited.verified.anchors.keys()

    def verdict(self) -> str:
        """The last word: whether all holds, and whether anything outside says that it is what happened."""
        if self.damaged:
            return f"{self.damaged} of {self.bundles} damaged"
        if not self.anchored:
            return "consistent; not anchored"
        return "consistent; anchored" + (
            "" if self.anchored == self.bundles else f": {self.anchored} of {self.bundles}"
        )


def audit_files(paths: Sequence[Path], known: Known) -> Iterator[Audited]:
    """Verify bundles, in the order of their files. Raises OSError for a file that cannot be read."""
    audited = partial(_audited, known=known)
    if sum(path.stat().st_size for path in paths) <= ALONE_BYTES_MAX:
        yield from map(audited, paths)
        return
    processes = cpu_count() or 1
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(audited, paths, chunksize=min(AT_A_TIME_MAX, 1 + len(paths) // (8 * processes)))


def _audited(path: Path, known: Known) -> Audited:
    data = path.read_bytes()
    try:
        return Audited(path, len(data), verified=verify(read(data), known))
    except Damaged as damaged:
        return Audited(path, len(data), damaged=damaged)
