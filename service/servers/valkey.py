"""The embedded Valkey: started when nobody has, and keeping nothing, since hints may be lost."""

import socket
from pathlib import Path
from time import monotonic, sleep
from typing import Final
from urllib.parse import quote

from service.servers.account import run
from service.servers.place import Place
from service.servers.programs import valkey_program
from service.servers.unfit import Unfit

SOCKET_NAME: Final = "valkey.sock"
START_SECONDS_MAX: Final = 10
REPLY_SECONDS_MAX: Final = 10


def running(place: Place) -> str:
    """The address of the server. The caller stands at the door alone; the server is started if there is none."""
    if not _answers(place):
        _start(place)
    return f"unix://{quote(str(place.sockets / SOCKET_NAME))}"


def stop(place: Place) -> None:
    """Stop the server, if it runs: its reply to that is the end of the connection."""
    try:
        _asked(place, b"SHUTDOWN NOSAVE NOW FORCE")
    except (FileNotFoundError, ConnectionError):
        return


def _answers(place: Place) -> bool:
    """Whether a server is there. A socket that a killed one left behind refuses the connection."""
    try:
        return _asked(place, b"PING") == b"+PONG\r\n"
    except (FileNotFoundError, ConnectionError):
        return False
    except TimeoutError:
        raise Unfit(
            f"Valkey runs at {place.sockets / SOCKET_NAME} but does not answer. End it, and start again."
        ) from None


def _asked(place: Place, command: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(REPLY_SECONDS_MAX)
        connection.connect(str(place.sockets / SOCKET_NAME))
        connection.sendall(command + b"\r\n")
        return connection.recv(1024)


def _start(place: Place) -> None:
    logfile = place.valkey / "server.log"
    logfile.unlink(missing_ok=True)
    settings: dict[str, str | Path] = {
        "port": "0",
        "unixsocket": place.sockets / SOCKET_NAME,
        "unixsocketperm": "700",
        "dir": place.valkey,
        "logfile": logfile,
        "pidfile": place.valkey / "server.pid",
        "save": "",
        "appendonly": "no",
        "daemonize": "yes",
    }
    options = (word for name, value in settings.items() for word in (f"--{name}", value))
    started = run([valkey_program(place), *options], place.account)
    patience = monotonic() + START_SECONDS_MAX
    while not _answers(place):
        if started.returncode != 0 or monotonic() > patience:
            words = logfile.read_text(errors="replace") if logfile.exists() else started.stdout + started.stderr
            raise Unfit(f"Valkey does not start: {words.strip()}")
        sleep(0.01)
