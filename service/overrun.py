"""A limit on how long pure code may run in this thread, so that a reducer that never returns is one game's affair."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType


class Overrun(BaseException):
    """The code ran past its limit. Not an Exception, so that no `except Exception` within it can swallow it."""


_armed: list[float] = []


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise Overrun in the body once it has run for `seconds` of wall clock. In the main thread only; not nested."""
    assert not _armed, "limited() does not nest"
    _listen()
    _armed.append(seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        _armed.clear()
        signal.setitimer(signal.ITIMER_REAL, 0)


@cache
def _listen() -> None:
    signal.signal(signal.SIGALRM, _interrupt)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    if _armed:  # a signal that arrives after the body is done has come too late to matter
        raise Overrun
