"""The limit on pure code: it ends a loop, whatever the loop swallows, and blames nobody for a busy machine."""

import signal
import sys
import time
from contextlib import suppress
from types import FrameType
from typing import Any

import pytest

from service import overrun
from service.overrun import Overrun, limited


def spin(seconds: float) -> int:
    """Keep the processor for so long."""
    until, turns = time.process_time() + seconds, 0
    while time.process_time() < until:
        turns += 1
    return turns


def test_code_that_keeps_within_its_limit_is_left_alone() -> None:
    for _ in range(100):
        with limited(0.5):
            assert spin(0.001) > 0


def test_a_loop_is_interrupted() -> None:
    began = time.process_time()
    with pytest.raises(Overrun), limited(0.05):
        spin(60)
    assert 0.04 < time.process_time() - began < 1


def test_a_loop_that_swallows_every_exception_is_interrupted() -> None:
    def stubborn() -> None:
        while True:
            with suppress(Exception):
                spin(0.001)

    with pytest.raises(Overrun), limited(0.05):
        stubborn()


def test_time_that_others_take_does_not_count() -> None:
    with limited(0.05):
        time.sleep(0.2)
        spin(0.001)


def test_what_comes_after_is_not_limited() -> None:
    with limited(0.05):
        pass
    assert spin(0.15) > 0


def test_after_an_overrun_the_next_limit_holds() -> None:
    for _ in range(3):
        with pytest.raises(Overrun), limited(0.02):
            spin(5)


def test_limits_do_not_nest() -> None:
    with limited(1), pytest.raises(AssertionError), limited(1):
        pass


def test_a_limit_that_is_overrun_as_it_begins_or_ends_does_not_outlast_its_body() -> None:
    def late(frame: FrameType, _event: str, _arg: object) -> Any:
        if frame.f_code.co_filename != overrun.__file__ or frame.f_code is overrun._interrupt.__code__:
            return None
        signal.raise_signal(signal.SIGVTALRM)  # before each of its lines
        return late

    with limited(5):
        pass  # so that the signal is heard
    before = sys.gettrace()
    sys.settrace(late)
    try:
        with limited(5):
            pass
    finally:
        sys.settrace(before)
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
    with limited(5):
        spin(0.001)
