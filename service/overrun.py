"""A limit on how long pure code may run in this thread, so that a reducer that never returns is one game's affair."""

import signal
from functools import cache
from types import FrameType
from typing import Final


class Overrun(BaseException):
    """The code ran past its limit. Not an Exception, so that no `except Exception` within it can swallow it."""


AGAIN_SECONDS = 0.05
"""How soon to raise again: what is raised while the collector of garbage calls back is swallowed by it."""

_armed: list[float] = []


class limited:  # noqa: N801 - it is used as a function is
    """Raise Overrun in the body once it has kept the processor for `seconds`. In the main thread only; not nested.

    The process's own time counts: that a machine was busy with others, or stood still, is no fault of the body.
    """

    __slots__ = ("_seconds",)

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        assert not _armed, "limited() does not nest"
        _listen()
        _armed.append(self._seconds)
        signal.setitimer(signal.ITIMER_VIRTUAL, self._seconds, AGAIN_SECONDS)

    def __exit__(self, *_error: object) -> None:
        _armed.clear()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


_OWN: Final = (limited.__enter__.__code__, limited.__exit__.__code__)


@cache
def _listen() -> None:
    signal.signal(signal.SIGVTALRM, _interrupt)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    if not _armed:  # a signal that arrives after the body is done has come too late to matter
        return
    while frame is not None:
        if frame.f_code in _OWN:  # raised here, it would leave the limit standing; if the body goes on, it comes again
            return
        frame = frame.f_back
    raise Overrun
