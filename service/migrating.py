"""Bringing a database to the newest schema: the files of `migrations/`, each once, in order, under yoyo's lock."""

import re
from importlib.resources import as_file, files

from yoyo import get_backend, read_migrations


def migrate(owner_url: str) -> list[str]:
    """Apply what is missing, as the role that owns the tables; gives the names of what was applied."""
    backend = get_backend(re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", owner_url))
    try:
        with as_file(files("migrations")) as folder, backend.lock():
            steps = read_migrations(str(folder)).filter(lambda step: step.path.endswith(".sql"))
            missing = backend.to_apply(steps)
            backend.apply_migrations(missing)
            return [migration.id for migration in missing]
    finally:
        backend.connection.close()
