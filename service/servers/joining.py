"""Who uses the embedded servers of a folder: the first to come starts them, the last to leave stops them.

Two locks of the operating system say it all, and both fall with the process that holds them, however it dies:
`door` is held alone by whoever starts or stops, `members` is shared by all who use the servers. What a process
killed in between leaves behind is the next one's to adopt or to recover.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN, flock
from pathlib import Path

from service.servers import postgres, valkey
from service.servers.place import folder_for, leave_no_trace, place_in


@dataclass(frozen=True, slots=True)
class Servers:
    """Where the two servers answer."""

    database_url: str
    redis_url: str


@contextmanager
def joined(data: Path, database_url: str | None = None, redis_url: str | None = None) -> Iterator[Servers]:
    """The servers at the two addresses; one that has none is embedded in `data`, and runs while the context is open.

    The folder is made if need be, and any number of processes may have joined its servers. Raises `Unfit`, with what to
    do about it, where servers cannot run.
    """
    if database_url and redis_url:
        yield Servers(database_url, redis_url)
        return
    folder = folder_for(data)
    with _file(folder / "door") as door, _file(folder / "members") as members:
        with _alone(door):
            place = place_in(folder)
            flock(members, LOCK_SH)
        try:
            with _alone(door):
                servers = Servers(database_url or postgres.running(place), redis_url or valkey.running(place))
            yield servers
        finally:
            with _alone(door):
                if _nobody_else(members):
                    valkey.stop(place)
                    postgres.stop(place)
                    leave_no_trace(place)
                flock(members, LOCK_UN)


@contextmanager
def _file(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _alone(door: int) -> Iterator[None]:
    flock(door, LOCK_EX)
    try:
        yield
    finally:
        flock(door, LOCK_UN)


def _nobody_else(members: int) -> bool:
    """Whether ours is the only membership, which is given up in asking."""
    try:
        flock(members, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    return True
