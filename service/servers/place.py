"""Where the embedded servers live: the folder `--data`, what is in it, and whose it is."""

import os
import shutil
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

import structlog

from service.servers.account import Account, account_for, run
from service.servers.unfit import Unfit

SOCKET_PATH_BYTES_MAX: Final = 103 if sys.platform == "darwin" else 107
LONGEST_SOCKET_NAME: Final = ".s.PGSQL.5432"

OPEN_PLACE: Final = Path("/var/lib/slowlight")
"""Where root's data goes if the folder asked for lies where the servers' account cannot come."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """One pair of servers: its folder, the folder of its sockets, and whom it runs as (None for ourselves).

    Every folder in it is its account's alone (0700): whoever may enter may connect, and nobody else.
    """

    data: Path
    sockets: Path
    account: Account | None

    @property
    def postgres(self) -> Path:
        """The data directory of PostgreSQL, which is there only when it is whole."""
        return self.data / "postgres"

    @property
    def valkey(self) -> Path:
        """The folder of Valkey."""
        return self.data / "valkey"


def folder_for(data: Path) -> Path:
    """The folder `data`, made if it is not there, as an absolute path without links.

    For root, whose own folders are closed to the account that runs the servers, a new one is made where it can work,
    and `data` is a link to it: no folder's rights are loosened.
    """
    folder = data.resolve()
    try:
        if os.geteuid() == 0 and not folder.exists() and _is_closed(folder):
            folder = _linked(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            if os.geteuid() == 0:
                folder.chmod(0o711)
    except OSError as error:
        raise Unfit(f"{folder} cannot be made: {error.strerror}. Name another folder with --data.") from error
    if not folder.is_dir() or not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise Unfit(f"{folder} is not a folder this user may write to. Name another with --data.")
    return folder


def _is_closed(folder: Path) -> bool:
    """Whether somebody who owns nothing on the way cannot come as far as `folder`."""
    return any(passed.exists() and not passed.stat().st_mode & stat.S_IXOTH for passed in folder.parents)


def _linked(folder: Path) -> Path:
    """A new folder where the servers' account can come, with a link to it under the name asked for."""
    OPEN_PLACE.mkdir(mode=0o711, parents=True, exist_ok=True)
    made = Path(mkdtemp(prefix=f"{folder.parent.name}-", dir=OPEN_PLACE))
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.symlink_to(made)
    except FileExistsError:  # another process was quicker
        made.rmdir()
        return folder.resolve()
    made.chmod(0o711)
    log.warning(
        "data_elsewhere", why="root's folder is closed to the servers' account", link=str(folder), data=str(made)
    )
    return made


def place_in(folder: Path) -> Place:
    """The place of the servers in an existing folder. What is missing is made; nothing above it is touched."""
    account = account_for(folder / "postgres")
    place = Place(folder, _sockets_for(folder), account)
    if account is not None:
        _refuse_closed_folders(folder, account)
    make_private(place.sockets, account)
    make_private(place.valkey, account)
    return place


def make_private(folder: Path, account: Account | None) -> None:
    """Make `folder` unless it is there, and its account's alone. Refuse what a stranger has put in its stead."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    owners = {os.geteuid()} | ({account.uid} if account else set())
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in owners:
        raise Unfit(f"{folder} is not a folder of the account that runs the servers. Remove it.")
    folder.chmod(0o700)
    if account is not None:
        os.chown(folder, account.uid, account.gid)


def leave_no_trace(place: Place) -> None:
    """Remove the folder of the sockets if it stands outside the place's own. The servers have stopped."""
    if place.sockets.parent != place.data:
        shutil.rmtree(place.sockets, ignore_errors=True)


def _sockets_for(folder: Path) -> Path:
    """The folder of the sockets: within `folder`, unless an address there would be longer than the system takes."""
    sockets = folder / "sockets"
    if len(os.fsencode(sockets / LONGEST_SOCKET_NAME)) <= SOCKET_PATH_BYTES_MAX:
        return sockets
    found = folder.stat()
    name = sha256(f"{found.st_dev}:{found.st_ino}".encode()).hexdigest()[:12]
    short = Path("/tmp") / f"slowlight-{name}"  # noqa: S108 - the same for every process that joins, and 0700
    log.info("sockets_elsewhere", why="the folder's path is too long for a socket", sockets=str(short))
    return short


def _refuse_closed_folders(folder: Path, account: Account) -> None:
    for passed in (folder, *folder.parents)[::-1]:
        if run(["test", "-x", passed], account).returncode != 0:
            raise Unfit(
                f"{passed} may not be entered by {account.name}, as whom the embedded servers run under root, and its "
                "rights are not ours to loosen. Start Slowlight as an ordinary user, or keep its data elsewhere: "
                "--data /var/lib/slowlight (or SLOWLIGHT_DATA)."
            )
