"""The store: appended behind an expected version, read from any, written once, by a role that may do no more."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Final, LiteralString
from uuid import UUID, uuid4

import pytest
from psycopg import Connection, sql
from psycopg.errors import AssertFailure, InsufficientPrivilege, NotNullViolation, RestrictViolation, UniqueViolation
from psycopg.rows import TupleRow

from domain.game import AddEntropy, OpenGame
from service import store
from service.deciding import Change, Pending, settle
from service.seen import Player
from service.streams import Stream, game_rows, tails_of
from service.writer import _receive_params, write
from tests.service.database import Database
from tests.service.house import APPLIED, House, incoming

PARTITIONS: Final = tuple(f"events_{number:02}" for number in range(4))
ROLE: Final = "slowlight_service"

GRANTED: Final = {
    "clock": {"SELECT"},
    "players": {"SELECT", "INSERT", "DELETE", "UPDATE register_key"},
    "leaving": {"SELECT", "INSERT", "DELETE"},
    "tokens": {"SELECT", "INSERT", "DELETE", "UPDATE last_used_at"},
    "games": {"SELECT", "INSERT"}
    | {
        f"UPDATE {column}"
        for column in (
            "host_id",
            "version",
            "head_hash",
            "head_at",
            "status",
            "awaiting",
            "deadline",
            "quarantined_at",
            "quarantine_cause",
        )
    },
    "seats": {"SELECT", "INSERT", "DELETE", "UPDATE player_id"},
    "events": {"SELECT", "INSERT"},
    "submissions": {"SELECT", "INSERT"}
    | {f"UPDATE {column}" for column in ("sender_id", "key", "status", "first_version", "version", "hash", "refusal")},
    "timers": {"SELECT", "INSERT", "DELETE"}
    | {f"UPDATE {column}" for column in ("due", "version", "fence", "leased_until")},
    "signing_keys": {"SELECT", "INSERT", "UPDATE retired_at"},
    "log_entries": {"SELECT", "INSERT"},
    "log_nodes": {"SELECT", "INSERT"},
    "checkpoints": {"SELECT", "INSERT"},
    "_yoyo_migration": {"SELECT"},
}
"""All that the service may do, by table."""


@pytest.fixture(scope="module")
def filled(database: Database) -> Database:
    """A database with events in every partition."""
    for _ in range(8):
        database.do(
            "insert into events select gen_random_uuid(), 1, '{}', null, sha256(''), sha256('')"
            " from generate_series(1, 50)"
        )
    assert {part for (part,) in database.ask("select distinct tableoid::regclass::text from events")} == {*PARTITIONS}
    return database


@pytest.fixture
def servant(database: Database) -> Iterator[Connection[TupleRow]]:
    """A connection as the role of the service, whose work is undone."""
    with database.owner() as connection:
        connection.execute("set role slowlight_service")
        yield connection
        connection.rollback()


async def open_game(house: House) -> tuple[Player, UUID]:
    host = await house.player()
    return host, await house.open(host, OpenGame("gravwell", 4))


async def decided(house: House, player: Player, game_id: UUID, entropy: str) -> Change:
    """What would be written of one more command, decided at the present head."""
    submission = incoming(player, game_id, AddEntropy(entropy))
    async with house.pool.connection() as connection:
        ((_, received_at),) = await store.rows(connection, "receive", _receive_params([submission]))
        (row,) = await game_rows(connection, [game_id])
        stream = (await house.service._streams.load(connection, {game_id: row.version}))[game_id]
    assert isinstance(stream, Stream)
    change = Change(stream, stream)
    settle(
        change,
        Pending(game_id, player.id, submission.key, submission.submission_id, submission.content, received_at),
        received_at,
    )
    return change


async def append(house: House, change: Change) -> None:
    async with await store.connect(house.database.url) as connection, connection.transaction():
        await write(connection, change.records())


async def test_what_is_decided_at_the_head_is_appended(house: House) -> None:
    player, game_id = await open_game(house)
    change = await decided(house, player, game_id, "ab" * 16)
    await append(house, change)
    events = house.database.events(game_id)
    assert [version for version, _, _ in events] == [1, 2, 3]
    assert json.loads(events[-1][1])["data"] == {"entropy": "ab" * 16, "seat": 0}
    assert house.database.ask(
        "select status, version from submissions where submission_id = %s", change.settled[0].pending.submission_id
    ) == [("APPLIED", 3)]


async def test_what_was_decided_at_a_head_that_has_moved_is_not_appended(house: House) -> None:
    player, game_id = await open_game(house)
    change = await decided(house, player, game_id, "ab" * 16)
    assert (await house.send(player, game_id, AddEntropy("cd" * 16))).status is APPLIED
    before = house.database.events(game_id)
    with pytest.raises(AssertFailure, match="a head moved under its lock"):
        await append(house, change)
    assert house.database.events(game_id) == before


async def test_a_decision_is_written_whole_or_not_at_all(house: House) -> None:
    player, game_id = await open_game(house)
    change = await decided(house, player, game_id, "ab" * 16)
    before = house.database.events(game_id)
    records = change.records()
    records["events"][-1]["hash"] = None
    with pytest.raises(NotNullViolation):
        async with await store.connect(house.database.url) as connection:
            await write(connection, records)
    assert house.database.events(game_id) == before
    assert house.database.ask(
        "select status from submissions where submission_id = %s", change.settled[0].pending.submission_id
    ) == [("PENDING",)]


async def test_a_submission_is_settled_once(house: House) -> None:
    player, game_id = await open_game(house)
    change = await decided(house, player, game_id, "ab" * 16)
    await append(house, change)
    again = Change(change.after, change.after, [], change.settled)
    with pytest.raises(AssertFailure, match="a submission was settled twice"):
        await append(house, again)


async def test_a_version_is_written_once(house: House) -> None:
    player, game_id = await open_game(house)
    change = await decided(house, player, game_id, "ab" * 16)
    await append(house, change)
    row = change.rows[0]
    with pytest.raises(UniqueViolation):
        house.database.do(
            "insert into events values (%s, %s, %s, %s, %s, %s)",
            game_id,
            row.version,
            row.public,
            row.secret,
            row.prev_hash,
            row.hash,
        )


async def test_a_stream_is_read_from_a_version_and_up_to_one(house: House) -> None:
    player, game_id = await open_game(house)
    _, beside = await open_game(house)
    for number in range(3):
        await house.send(player, game_id, AddEntropy(f"{number:032x}"))
    async with house.pool.connection() as connection:
        tails = await tails_of(connection, {game_id: (2, 4), beside: (1, 99), uuid4(): (0, 9)})
    assert {game: [row.version for row in rows] for game, rows in tails.items()} == {game_id: [3, 4], beside: [2]}
    stored = house.database.events(game_id)
    assert [(row.version, row.public, row.secret) for row in tails[game_id]] == stored[2:4]


@pytest.mark.parametrize("table", ["events", *PARTITIONS])
@pytest.mark.parametrize(
    "statement",
    [
        "update {} set public = 'forged'",
        "update {} set secret = null",
        "delete from {}",
        "truncate {}",
        "truncate {} cascade",
    ],
)
def test_the_owner_cannot_change_what_is_written(filled: Database, table: str, statement: LiteralString) -> None:
    before = filled.ask("select count(*), count(distinct game_id) from events")
    with filled.owner() as connection, pytest.raises(RestrictViolation, match="a stream is written once"):
        connection.execute(sql.SQL(statement).format(sql.Identifier(table)))
    assert filled.ask("select count(*), count(distinct game_id) from events") == before


@pytest.mark.parametrize(
    "statement",
    [
        "insert into events select * from events on conflict (game_id, version) do update set public = 'forged'",
        "merge into events e using events f on e.game_id = f.game_id when matched then update set public = 'forged'",
        "merge into events e using events f on e.game_id = f.game_id when matched then delete",
        "with gone as (delete from events returning 1) select count(*) from gone",
    ],
)
def test_no_detour_leads_the_owner_to_a_change(filled: Database, statement: LiteralString) -> None:
    with filled.owner() as connection, pytest.raises(RestrictViolation):
        connection.execute(statement)


@pytest.mark.parametrize("table", ["events", *PARTITIONS])
@pytest.mark.parametrize(
    "statement",
    [
        "update {} set public = 'forged'",
        "delete from {}",
        "truncate {}",
        "drop table {}",
        "alter table {} disable trigger all",
    ],
)
def test_the_service_may_not_even_try(
    filled: Database, servant: Connection[TupleRow], table: str, statement: LiteralString
) -> None:
    with pytest.raises(InsufficientPrivilege):
        servant.execute(sql.SQL(statement).format(sql.Identifier(table)))


@pytest.mark.parametrize("table", PARTITIONS)
def test_the_service_writes_and_reads_no_partition_but_through_its_table(
    servant: Connection[TupleRow], table: str
) -> None:
    with pytest.raises(InsufficientPrivilege):
        servant.execute(sql.SQL("select from {}").format(sql.Identifier(table)))


@pytest.mark.parametrize(
    "statement",
    [
        "update clock set ahead = '1 day'",
        "update games set secret = sha256('')",
        "update games set created_at = now()",
        "update games set visibility = 'PUBLIC'",
        "delete from games",
        "update submissions set content = '{}'",
        "update submissions set received_at = now()",
        "delete from submissions",
        "update players set salt = sha256('')",
        "update players set handle = 'x'",
        "update submissions set submission_id = gen_random_uuid()",
        "update tokens set token_hash = sha256('')",
        "truncate seats",
        "truncate timers",
        "select from _yoyo_log",
        "insert into _yoyo_migration (migration_id) values ('x')",
        "create table public.mine ()",
        "create function public.mine() returns int language sql as 'select 1'",
        "create or replace function slowlight_now() returns timestamptz language sql as 'select now()'",
        "create role another",
        "set session_replication_role = replica",
        "copy events to '/tmp/events'",
        "select pg_read_file('/etc/passwd')",
    ],
)
def test_the_service_may_do_nothing_beside_its_work(servant: Connection[TupleRow], statement: LiteralString) -> None:
    with pytest.raises(InsufficientPrivilege):
        servant.execute(statement)


def test_the_service_may_do_what_is_listed_and_nothing_else(database: Database) -> None:
    granted: dict[str, set[str]] = {}
    for table, privilege, column in database.ask(
        "select table_name, privilege_type, null from information_schema.role_table_grants where grantee = %s"
        " union select table_name, privilege_type, column_name from information_schema.role_column_grants g"
        " where grantee = %s and not exists (select from information_schema.role_table_grants t"
        " where t.grantee = g.grantee and t.table_name = g.table_name and t.privilege_type = g.privilege_type)",
        ROLE,
        ROLE,
    ):
        granted.setdefault(table, set()).add(f"{privilege} {column}" if column else privilege)
    assert granted == GRANTED


def test_the_service_owns_nothing_and_is_nobody_special(database: Database) -> None:
    owned = database.ask(
        "select classid::regclass::text, objid from pg_shdepend where refobjid = %s::regrole and deptype = 'o'", ROLE
    )
    assert owned == []
    assert database.ask(
        "select rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls"
        " from pg_roles where rolname = %s",
        ROLE,
    ) == [(False, True, False, False, False, False, False)]
    assert database.ask("select from pg_auth_members where member = %s::regrole", ROLE) == []


async def test_every_connection_of_the_service_works_as_its_role_in_utc(house: House) -> None:
    async with house.pool.connection() as pooled:
        assert await (await pooled.execute("select current_user::text, current_setting('timezone')")).fetchone() == (
            ROLE,
            "UTC",
        )
    async with await store.connect(house.database.url) as connection:
        assert await (await connection.execute("select current_user::text")).fetchone() == (ROLE,)


def test_every_statement_begins_with_what_it_is_for() -> None:
    for file in files("service.store").joinpath("sql").iterdir():
        first, *_ = file.read_text().splitlines()
        assert first.startswith("-- "), file.name
