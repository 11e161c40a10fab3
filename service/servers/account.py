"""As whom the servers run: as ourselves or, since PostgreSQL refuses to run as root, as an account of their own."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from service.servers.unfit import Unfit

NAME: Final = "slowlight-servers"
"""The system account made where root starts the servers of a new folder."""

_ENVIRONMENT: Final = {"LC_ALL": "C", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Account:
    """An unprivileged account."""

    uid: int
    gid: int
    name: str


def account_for(owned: Path) -> Account | None:
    """Whom the servers run as that keep their data in `owned`: None for ourselves.

    For root it is whoever owns `owned` or, where there is nothing yet, the system account NAME.
    """
    if os.geteuid() != 0:
        return None
    account = _owner(owned) or _system_account()
    log.warning("running_as_root", servers_run_as=account.name)
    return account


def run(
    command: Sequence[str | Path], account: Account | None, *, cwd: Path = Path("/"), stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end as `account`, in a session of its own: a Ctrl-C at the terminal is meant for us."""
    return subprocess.run(
        command,
        check=False,
        cwd=cwd,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=_ENVIRONMENT,
        umask=0o077,
        start_new_session=True,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
    )


def _owner(owned: Path) -> Account | None:
    try:
        found = owned.stat()
    except FileNotFoundError:
        return None
    if found.st_uid == 0:
        return None
    try:
        name = pwd.getpwuid(found.st_uid).pw_name
    except KeyError:
        name = str(found.st_uid)
    return Account(found.st_uid, found.st_gid, name)


def _system_account() -> Account:
    try:
        entry = pwd.getpwnam(NAME)
    except KeyError:
        entry = _made()
    return Account(entry.pw_uid, entry.pw_gid, entry.pw_name)


def _made() -> pwd.struct_passwd:
    useradd = shutil.which("useradd", path=_ENVIRONMENT["PATH"])
    if useradd is None:
        raise Unfit(
            "PostgreSQL does not run as root, and here is no useradd to make an account for it. "
            f"Start Slowlight as an ordinary user, or make a system account named {NAME}."
        )
    made = run(
        [useradd, "--system", "--user-group", "--no-create-home", "--home-dir=/", "--shell=/usr/sbin/nologin", NAME],
        None,
    )
    try:
        return pwd.getpwnam(NAME)
    except KeyError:
        raise Unfit(
            f"PostgreSQL does not run as root, and making the account {NAME} for it failed: {made.stderr.strip()} "
            "Start Slowlight as an ordinary user."
        ) from None
