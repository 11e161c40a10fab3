"""A limit on how long pure code may run in this thread, so that a reducer that never returns is one game's affair."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType


class Overrun(BaseException):
    """The code ran past its limit. Not an Exception, so that no `except Exception` within it can swallow it."""


AGAIN_SECONDS = 0.05
"""How soon to raise again: what is raised while the collector of garbage calls back is swallowed by it."""

_armed: list[float] = []


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise Overrun in the body once it has kept the processor for `seconds`. In the main thread only; not nested.

    The process's own time counts: that a machine was busy with others, or stood still, is no fault of the body.
    """
    assert not _armed, "limited() does not nest"
    _listen()
    _armed.append(seconds)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN_SECONDS)
    try:
        yield
    finally:
        _armed.clear()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


@cache
def _listen() -> None:
    signal.signal(signal.SIGVTALRM, _interrupt)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    if _armed:  # a signal that arrives after the body is done has come too late to matter
        raise Overrun
