"""Named points on the path of a turn at which a test may have this process stop: nothing at all unless it asks.

`SLOWLIGHT_FAULT=committed:3` stops the process (SIGSTOP) as it comes to `committed` for the third time. Whoever set the
variable sees that it has stopped, does to it or around it what is to be survived, and kills it or lets it go on.
"""

import os
import signal
from collections.abc import Callable
from itertools import count
from typing import Final, Literal

Point = Literal[
    "arrived",  # a submission is in memory only
    "received",  # it is stored and its game is locked, if it was free; nothing is committed
    "decided",  # what follows is decided; nothing of it is written
    "committed",  # everything is durable; nobody has been told
    "told",  # whoever waits here is about to be answered; the hints are not out
    "opening",  # a new game is written; it is not committed
    "opened",  # a new game is committed; nobody has been told
    "looked",  # the sweep has seen what is due; it does not know yet what is past the fence
    "due",  # the sweep knows what is past the fence; the writer does not
    "leased",  # a worker has leased house bots; none has begun to think
    "advised",  # a house bot knows its move; it is not handed in
]

FAULT: Final = "SLOWLIGHT_FAULT"


def _stopping_at(wanted: str, nth: int) -> Callable[[Point], None]:
    times = count(1)

    def reached(point: Point) -> None:
        if point == wanted and next(times) == nth:
            os.kill(os.getpid(), signal.SIGSTOP)

    return reached


def _passing(point: Point) -> None:
    """Nothing."""


def _reached(fault: str | None) -> Callable[[Point], None]:
    if not fault:
        return _passing
    wanted, _, nth = fault.partition(":")
    return _stopping_at(wanted, int(nth))


reached: Final = _reached(os.environ.get(FAULT))
"""Called with the name of each point that the process comes to."""
