"""The whole bench, in one run on one machine: every figure with its raw limit or peer, its ratio and its budget.

    python -m tests.bench

It sends traffic to this machine alone, and stops by itself.
"""

import faulthandler
import signal
import sys
import traceback
from time import perf_counter
from types import FrameType
from typing import Final

from tests.bench import commit, crowded, fold, followers, idle, length, titles, turns, verify
from tests.bench.figures import Figure, print_table, say, with_noise
from tests.bench.ground import Ground

PARTS: Final = (turns, length, fold, commit, followers, crowded, idle, titles, verify)

SECONDS_MAX: Final = 1_200
"""A bench that hangs ends itself after so long."""


class _Ended(SystemExit):
    """Told to end, or out of time."""


def main() -> None:
    """Take all figures and print them; exits with 1 if a budget was missed."""
    faulthandler.enable()
    for number in (signal.SIGALRM, signal.SIGTERM):
        signal.signal(number, _end)
    signal.alarm(SECONDS_MAX)
    began, found = perf_counter(), []
    with Ground.taken() as ground:
        for part in PARTS:
            say(f"-- {(part.__doc__ or '').splitlines()[0]}")
            try:
                found += with_noise(part.figures, ground)
            except Exception:  # noqa: BLE001  (the other parts have figures all the same)
                traceback.print_exc()
                found.append((Figure(part.__name__, "it failed: see standard error", held=False), 0.0))
    held = print_table(found)
    say(f"{perf_counter() - began:.0f} s")
    sys.exit(not held)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise _Ended(2)


if __name__ == "__main__":
    main()
