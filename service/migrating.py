"""Bringing a database to the newest schema: the files of `migrations/`, each once, in order, under yoyo's lock."""

import re
from importlib.resources import as_file, files

import psycopg
from psycopg.errors import InsufficientPrivilege, UndefinedTable
from yoyo import get_backend, read_migrations


def migrate(owner_url: str) -> list[str]:
    """Apply what is missing, as the role that owns the tables; gives the names of what was applied."""
    backend = get_backend(re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", owner_url))
    try:
        with as_file(files("migrations")) as folder, backend.lock():
            steps = read_migrations(str(folder)).filter(lambda step: _is_step(step.path))
            missing = backend.to_apply(steps)
            backend.apply_migrations(missing)
            return [migration.id for migration in missing]
    finally:
        backend.connection.close()


def unapplied(url: str) -> list[str]:
    """The names of the migrations that a database does not have, asked as the service. Raises OperationalError."""
    names = sorted(file.name.removesuffix(".sql") for file in files("migrations").iterdir() if _is_step(file.name))
    try:
        with psycopg.connect(url) as connection:
            applied = {name for (name,) in connection.execute("select migration_id from _yoyo_migration")}
    except (UndefinedTable, InsufficientPrivilege):
        return names
    return [name for name in names if name not in applied]


def _is_step(path: str) -> bool:
    """Whether a file is a step to apply: `0001.the-stream.sql`, not its rollback and not the schema they make."""
    return re.search(r"(?:^|/)\d{4}\.[a-z-]+\.sql$", path) is not None
