"""Where the processes of a simulation are born: the service is loaded once, and every `slowlight` is a fork of that.

`python -m tests.simulation.nursery` takes orders on its standard input, an object a line, and answers each. When the
orders end, so does everyone born here. This module itself loads nothing: a house bot's process begins with it, too.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NoReturn

SOUND: Final = "sound"
"""The build that is not broken."""

RUNNING: Final = "running"
STOPPED: Final = "stopped"
APPENDING: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND


class Nursery:
    """A nursery at work, as whoever gives the orders sees it."""

    def __init__(self, talking: subprocess.Popen[str]) -> None:
        self._talking = talking

    def start(self, arguments: tuple[str, ...], environment: dict[str, str], log: Path, build: str) -> int:
        """The pid of a new `slowlight` with these arguments; `build` is one of `tests.simulation.broken`."""
        order = {"arguments": arguments, "environment": environment, "log": str(log), "build": build}
        return int(self._asked(order))

    def look(self, pid: int) -> str | int:
        """RUNNING, STOPPED, or how it has ended: its exit code, or less the signal that killed it."""
        answer: str | int = self._asked({"pid": pid})
        return answer

    def _asked(self, order: dict[str, Any]) -> Any:
        assert self._talking.stdin is not None
        assert self._talking.stdout is not None
        self._talking.stdin.write(f"{json.dumps(order)}\n")
        self._talking.stdin.flush()
        return json.loads(self._talking.stdout.readline())


@contextmanager
def nursery() -> Iterator[Nursery]:
    """A nursery, until the context is left."""
    command = [sys.executable, "-m", "tests.simulation.nursery"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as talking:
        try:
            yield Nursery(talking)
        finally:
            assert talking.stdin is not None
            talking.stdin.close()


def main() -> None:
    """Load the service, and do what is ordered."""
    import tests.simulation.broken  # noqa: F401

    living: dict[int, str] = {}
    for line in sys.stdin:
        order = json.loads(line)
        sys.stdout.write(f"{json.dumps(_looked(living, **order) if 'pid' in order else _born(living, **order))}\n")
        sys.stdout.flush()
    for pid in living:
        os.kill(pid, signal.SIGKILL)


def _looked(living: dict[int, str], pid: int) -> str | int:
    """RUNNING, STOPPED, or how it has ended."""
    while True:
        seen, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
        if not seen:
            return living[pid]
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            del living[pid]
            return os.waitstatus_to_exitcode(status)
        living[pid] = STOPPED if os.WIFSTOPPED(status) else RUNNING


def _born(living: dict[int, str], arguments: list[str], environment: dict[str, str], log: str, build: str) -> int:
    pid = os.fork()
    if not pid:
        os.environ.update(environment)
        for number, path, flags in ((0, os.devnull, os.O_RDONLY), (1, log, APPENDING), (2, log, APPENDING)):
            os.dup2(os.open(path, flags, 0o600), number)
        _live(arguments, build)
    living[pid] = RUNNING
    return pid


def _live(arguments: list[str], build: str) -> NoReturn:
    """Be `slowlight` with these arguments, to the end."""
    import importlib
    import random
    import traceback

    import service.faults
    import service.main
    from tests.simulation.broken import break_as

    code = 1
    try:
        random.seed()
        importlib.reload(service.faults)  # looks at the environment of this life
        break_as(build)
        service.main.cli(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except BaseException:  # noqa: BLE001 - above this there is only the nursery
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
