"""The embedded PostgreSQL: made once, started when nobody has, adopted or recovered when somebody was killed."""

import os
import shlex
import shutil
import signal
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final
from urllib.parse import quote

import psutil
import psycopg
import structlog

from service.servers.account import run
from service.servers.place import Place, make_private
from service.servers.programs import postgres_programs
from service.servers.unfit import Unfit

MAJOR_VERSION: Final = "18"
NAME: Final = "slowlight"
"""The database, and the role that owns everything in it."""

SETTLE_SECONDS_MAX: Final = 60
STOP_SECONDS_MAX: Final = 30
LOG_BYTES_MAX: Final = 1_000_000

SETTINGS: Final = {
    "listen_addresses": "",
    "port": "5432",
    "unix_socket_permissions": "0700",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "max_wal_size": "512MB",
    "checkpoint_timeout": "15min",
    "random_page_cost": "1.1",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
}
"""Durable, on a socket only, and modest enough for a machine that is used for other things too."""

MAKING: Final = (
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--auth-local=trust",  # who may connect is said by the rights of the socket's folder
    "--auth-host=reject",
)

log = structlog.get_logger(__name__)


def running(place: Place) -> str:
    """The address of the database. The caller stands at the door alone; the server is started if there is none."""
    _refuse_other_version(place)
    if not _settled(place):
        _start(place)
        if not _settled(place):
            raise Unfit(f"PostgreSQL does not stay up. {_last_words(place)}")
    return _address(place)


def stop(place: Place) -> None:
    """Stop the server, if it runs, as fast as is safe: who is connected is cut off, and all is written to disk.

    A recovery is let finish first: told to stop amid one, PostgreSQL 18 was seen to wait for ever.
    """
    _settled(place)
    for number in (signal.SIGINT, signal.SIGQUIT):
        for process in _residents(place):
            if process.pid == _postmaster_pid(place):
                process.send_signal(number)
        if _until(lambda: not _residents(place), STOP_SECONDS_MAX):
            return
        log.warning("postgres_not_stopped", folder=str(place.postgres), seconds=STOP_SECONDS_MAX)


def _settled(place: Place) -> bool:
    """Wait while the server is on its way up or down, and say whether it answers then."""
    _until(lambda: _answers(place) or not _residents(place), SETTLE_SECONDS_MAX)
    return _answers(place)


def _until(true: Callable[[], bool], seconds: float) -> bool:
    """Wait until something is true, and say whether it came to be so in time."""
    patience = monotonic() + seconds
    while not true():
        if monotonic() > patience:
            return False
        sleep(0.02)
    return True


def _address(place: Place) -> str:
    return f"postgresql://{NAME}@/{NAME}?host={quote(str(place.sockets), safe='')}&port={SETTINGS['port']}"


def _refuse_other_version(place: Place) -> None:
    try:
        found = (place.postgres / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        if place.postgres.is_dir() and any(place.postgres.iterdir()):
            raise Unfit(f"{place.postgres} is not a data directory of PostgreSQL. Move it away.") from None
        return
    if found != MAJOR_VERSION:
        raise Unfit(
            f"{place.postgres} was written by PostgreSQL {found}, and this is PostgreSQL {MAJOR_VERSION}. Dump it with "
            "the Slowlight that wrote it and load the dump into a new folder: deploy/README.md, Upgrade."
        )


def _answers(place: Place) -> bool:
    try:
        psycopg.connect(_address(place), connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def _residents(place: Place) -> list[psutil.Process]:
    """The processes of the server: they, and only they, are named so and work in its data directory.

    That tells them from a stranger to whom the system has since given the number in a stale `postmaster.pid`.
    """
    return [
        process
        for process in psutil.process_iter(["name", "cwd"])
        if process.info["cwd"] == str(place.postgres) and process.info["name"].startswith("postgres")
    ]


def _postmaster_pid(place: Place) -> int | None:
    try:
        return int((place.postgres / "postmaster.pid").read_text().splitlines()[0])
    except (FileNotFoundError, IndexError, ValueError):
        return None


def _start(place: Place) -> None:
    """Start the server, and wait until it is ready."""
    if _residents(place):
        raise Unfit(f"PostgreSQL runs in {place.postgres} but does not answer. {_last_words(place)}")
    programs = postgres_programs(place)
    if not (place.postgres / "PG_VERSION").exists():
        _make(place, programs)
    for stale in (place.postgres / "postmaster.pid", *place.sockets.glob(".s.PGSQL.*")):
        stale.unlink(missing_ok=True)
    _turn_log(place)
    settings = SETTINGS | {"unix_socket_directories": '"{}"'.format(str(place.sockets).replace('"', '""'))}
    # Relative to `data`, since pg_ctl hands these two paths to a shell without quoting what is special to it.
    command: list[str | Path] = [
        programs / "pg_ctl",
        "start",
        "--silent",
        "-D",
        "postgres",
        "-l",
        "postgres/server.log",
    ]
    options = shlex.join(f"--{name}={value}" for name, value in settings.items())
    started = run([*command, f"--timeout={SETTLE_SECONDS_MAX}", "-o", options], place.account, cwd=place.data)
    if started.returncode != 0 and not _residents(place):
        raise Unfit(f"PostgreSQL does not start: {_last_words(place) or started.stderr.strip()}")


def _make(place: Place, programs: Path) -> None:
    """Make the data directory with its database in it, and give it its name only when it is whole."""
    log.info("making_database", folder=str(place.postgres))
    for leftover in place.data.glob("postgres.partial-*"):
        _end_makers(leftover)
        shutil.rmtree(leftover, ignore_errors=True)
    partial = Path(tempfile.mkdtemp(prefix="postgres.partial-", dir=place.data))
    make_private(partial, place.account)
    initdb: list[str | Path] = [programs / "initdb", "-D", partial, f"--username={NAME}", *MAKING]
    single: list[str | Path] = [programs / "postgres", "--single", "-D", partial, "-c", "exit_on_error=on", "postgres"]
    for command, stdin in ((initdb, ""), (single, f"CREATE DATABASE {NAME}")):
        made = run(command, place.account, stdin=stdin)
        if made.returncode != 0:
            raise Unfit(f"The database cannot be made: {made.stderr.strip()}")
    partial.rename(place.postgres)
    _sync(place.data)


def _end_makers(leftover: Path) -> None:
    """End what still writes in `leftover`: who started it was killed, and `initdb` itself works on without them."""
    for maker in _makers(leftover):
        with suppress(ProcessLookupError):
            os.killpg(os.getpgid(maker.pid), signal.SIGKILL)  # `run` gave it, and all it starts, a group of their own
    if not _until(lambda: not _makers(leftover), STOP_SECONDS_MAX):
        raise Unfit(f"A process still writes in {leftover}, and could not be ended.")


def _makers(leftover: Path) -> list[psutil.Process]:
    return [
        process
        for process in psutil.process_iter(["cmdline", "cwd"])
        if process.info["cwd"] == str(leftover) or str(leftover) in (process.info["cmdline"] or ())
    ]


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _turn_log(place: Place) -> None:
    path = place.postgres / "server.log"
    if path.exists() and path.stat().st_size > LOG_BYTES_MAX:
        path.rename(path.with_suffix(".log.1"))


def _last_words(place: Place) -> str:
    try:
        lines = (place.postgres / "server.log").read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return ""
    return "\n".join(lines[-10:])
