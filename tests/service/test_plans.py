"""How the database goes about the statements of the service: by index, row by row, however much else there is."""

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, Final

import psycopg
import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from service import store
from tests.service.database import Database

STATEMENTS: Final = sorted(file.name.removesuffix(".sql") for file in files("service.store").joinpath("sql").iterdir())

TYPES: Final = dict.fromkeys(("grace", "age", "lease", "within"), "interval")
"""What the service sends where the statement itself does not say."""

BIG: Final = ("games", "seats", "events", "submissions", "timers", "tokens", "players")


@pytest.fixture(scope="module")
def full(database: Database) -> Database:
    """A database with thousands of games, of which a few are due or have something pending."""
    with database.owner() as connection:
        connection.execute(
            "insert into players select gen_random_uuid(), 'p' || n, 'p' || n, decode(md5(n::text), 'hex'), null, now()"
            " from generate_series(1, 4000) n"
        )
        connection.execute(
            "insert into tokens select sha256(player_id::text::bytea), gen_random_uuid(), player_id, 'first', now()"
            " from players"
        )
        connection.execute(
            "insert into games select gen_random_uuid(), 'gravwell', 1, 2, 'PUBLIC', null, gen_random_uuid(),"
            " sha256(''), now(), 6, sha256(''), now(), 'RUNNING', array[0], now() + interval '1 day'"
            " from generate_series(1, 4000)"
        )
        connection.execute(
            "insert into seats select game_id, seat, gen_random_uuid() from games, generate_series(0, 1) seat"
        )
        connection.execute(
            "insert into events select game_id, place, '{}', null, sha256(''), sha256('')"
            " from games, generate_series(1, 6) place"
        )
        connection.execute(
            "insert into submissions select game_id, gen_random_uuid(), n::text, gen_random_uuid(), '{}', now(),"
            " case when game_id < '01000000-0000-0000-0000-000000000000' then 'PENDING' else 'APPLIED' end,"
            " case when game_id < '01000000-0000-0000-0000-000000000000' then null else 1 end,"
            " case when game_id < '01000000-0000-0000-0000-000000000000' then null else 1 end,"
            " case when game_id < '01000000-0000-0000-0000-000000000000' then null else sha256('') end"
            " from games, generate_series(1, 3) n"
        )
        connection.execute("insert into timers select game_id, 'lapse', -1, now() + interval '1 day', 1 from games")
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("vacuum analyze")
    return database


@pytest.fixture(scope="module")
def connection(full: Database) -> Iterator[Connection[TupleRow]]:
    """A connection that plans as the service's do."""
    with psycopg.connect(full.url, autocommit=True, options=store._OPTIONS) as connection:
        yield connection


def plan_of(connection: Connection[TupleRow], name: str) -> dict[str, Any]:
    """The plan that is kept for a statement, whatever its parameters."""
    text = store.sql(name)
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", text)))
    numbered = re.sub(r"%\((\w+)\)s", lambda match: f"${names.index(match[1]) + 1}", text).replace("%%", "%")
    types = ", ".join(TYPES.get(name, "unknown") for name in names)
    connection.execute(f"prepare asked_{name} {f'({types})' if names else ''} as {numbered}")
    given = f"({', '.join(['null'] * len(names))})" if names else ""
    explained = connection.execute(f"explain (format json) execute asked_{name}{given}").fetchone()
    assert explained is not None
    plan: dict[str, Any] = explained[0][0]["Plan"]
    return plan


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes(inner)


def complaints(plan: dict[str, Any]) -> list[str]:
    """What in a plan costs more the more there is."""
    found = []
    for node in nodes(plan):
        table = re.sub(r"_\d\d$", "", node.get("Relation Name", ""))
        if node["Node Type"] == "Seq Scan" and table in BIG:
            found.append(f"reads all of {node['Relation Name']}")
        if node["Node Type"].startswith("Index") and table == "timers" and "Index Cond" not in node:
            found.append(f"goes through all of {node['Relation Name']}")
        if node["Node Type"] in ("Hash Join", "Merge Join"):
            found.append(f"a {node['Node Type']}")
    return found


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_goes_by_index(connection: Connection[TupleRow], name: str) -> None:
    assert complaints(plan_of(connection, name)) == []


def test_a_statement_that_reads_a_whole_table_is_complained_of(full: Database) -> None:
    ((explained,),) = full.ask("explain (format json) select * from events e join games g using (game_id)")
    assert complaints(explained[0]["Plan"]) != []


def test_a_statement_that_reads_the_clock_again_for_every_timer_is_complained_of(
    connection: Connection[TupleRow],
) -> None:
    asked = connection.execute("explain (format json) select from timers where due <= slowlight_now() order by due")
    ((explained,),) = asked.fetchall()
    assert {complaint.partition("_")[0] for complaint in complaints(explained[0]["Plan"])} == {
        "goes through all of timers"
    }
