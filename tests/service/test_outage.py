"""A server that is away: a submission has a durable receipt or does not exist, and nobody has to mend anything."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

import psycopg
import pytest
from psycopg import OperationalError, sql
from psycopg_pool import PoolTimeout
from structlog.testing import LogCapture

from domain.game import AddEntropy, OpenGame, Status
from service.process import Role, running
from service.seen import Player, Receipt, Visibility
from service.writer import Unavailable
from tests.service.database import Database, beside
from tests.service.house import APPLIED, Another, House, incoming, until
from tests.service.line import Line

AWAY = (OperationalError, PoolTimeout, Unavailable)


def entropy(number: int) -> AddEntropy:
    return AddEntropy(f"{number:032x}")


async def open_game(house: House) -> tuple[Player, UUID]:
    host = await house.player()
    return host, await house.open(host, OpenGame("gravwell", 4))


def keys(database: Database, game_id: UUID) -> dict[str, str]:
    """What stands of a game, by key."""
    return dict(database.ask("select key, status from submissions where game_id = %s", game_id))


def hung_up(database: Database) -> None:
    """Cut off every process of the service."""
    database.do(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = current_database() and application_name = 'slowlight'"
    )


@contextmanager
def away(database: Database) -> Iterator[None]:
    """While this lasts nobody gets a connection to the database."""
    name = urlsplit(database.url).path.removeprefix("/")
    allow = sql.SQL("alter database {} allow_connections {}")
    with psycopg.connect(beside(database.url, "postgres"), autocommit=True) as connection:
        connection.execute(allow.format(sql.Identifier(name), False))
        connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,))
        yield
        connection.execute(allow.format(sql.Identifier(name), True))


async def send_until_received(house: House, player: Player, game_id: UUID, command: AddEntropy, key: str) -> Receipt:
    """Send again under the same key for as long as the database is away, as a client does."""
    async with asyncio.timeout(10):
        while True:
            try:
                return await house.send(player, game_id, command, key=key)
            except AWAY:
                await asyncio.sleep(0.05)


async def test_a_connection_that_was_cut_costs_one_answer_at_most(own_house: House) -> None:
    player, game_id = await open_game(own_house)
    for number in range(3):
        hung_up(own_house.database)
        receipt = await send_until_received(own_house, player, game_id, entropy(number), f"k{number}")
        assert (receipt.status, receipt.version) == (APPLIED, 3 + number)
    assert keys(own_house.database, game_id).keys() - {"k0", "k1", "k2"} == {
        key for key in keys(own_house.database, game_id) if not key.startswith("k")
    }
    own_house.database.events(game_id)


async def test_while_the_database_is_away_nothing_is_received_and_afterwards_all_goes_on(
    own_house: House, logged: LogCapture
) -> None:
    player, game_id = await open_game(own_house)
    await own_house.send(player, game_id, entropy(0))
    with away(own_house.database):
        for number in range(1, 6):
            with pytest.raises(Unavailable):
                await own_house.writer.submit(incoming(player, game_id, entropy(number), key=f"lost{number}"))
        answers = await asyncio.gather(
            *(own_house.writer.submit(incoming(player, game_id, entropy(9), key=f"many{n}")) for n in range(20)),
            return_exceptions=True,
        )
        assert {type(answer) for answer in answers} == {Unavailable}
    receipt = await send_until_received(own_house, player, game_id, entropy(1), "lost1")
    assert receipt.version == 4
    assert [key for key in keys(own_house.database, game_id) if key.startswith(("lost", "many"))] == ["lost1"]
    assert {entry["event"] for entry in logged.entries} <= {"database_away", "received"}


async def test_a_database_that_is_away_is_told_to_whoever_asks(own_house: House) -> None:
    player, game_id = await open_game(own_house)
    own_house.pool.timeout = 0.3
    with away(own_house.database):
        with pytest.raises(AWAY):
            await own_house.service.game(player, game_id)
        with pytest.raises(AWAY):
            await own_house.service.open_game(player, "new", OpenGame("gravwell", 2), Visibility.PUBLIC, 0)
        with pytest.raises(AWAY):
            await own_house.service.accounts.register("Somebody", None)
        with pytest.raises(AWAY):
            await own_house.service.accounts.player_of("unheard of")
        await asyncio.sleep(4)

    async def answered() -> bool:
        try:
            return await own_house.service.game(player, game_id) is not None
        except AWAY:
            return False

    await until(answered, seconds_max=2.5)
    assert own_house.database.ask("select count(*) from games") == [(1,)]


async def test_a_flush_that_is_cut_off_in_the_middle_leaves_nothing(own_house: House) -> None:
    player, game_id = await open_game(own_house)
    await own_house.send(player, game_id, entropy(0))
    with own_house.database.owner() as blocking:
        blocking.execute("lock table clock in access exclusive mode")
        waiting = asyncio.create_task(own_house.writer.submit(incoming(player, game_id, entropy(1), key="cut")))
        await until(lambda: bool(own_house.database.ask("select from pg_stat_activity where wait_event_type = 'Lock'")))
        hung_up_others = own_house.database.do(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and wait_event_type = 'Lock'"
        )
        assert hung_up_others == 1
        with pytest.raises(Unavailable):
            await waiting
    assert "cut" not in keys(own_house.database, game_id)
    receipt = await send_until_received(own_house, player, game_id, entropy(1), "cut")
    assert (receipt.status, receipt.version) == (APPLIED, 4)


@pytest.fixture
async def line(own_database: Database, tmp_path: Path) -> AsyncIterator[Line]:
    async with Line(own_database.url, tmp_path).laid() as line:
        yield line


@asynccontextmanager
async def at_the_end_of(line: Line, database: Database) -> AsyncIterator[House]:
    async with running(line.url, database.redis_url, frozenset({Role.API})) as service:
        yield House(service, database)


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "ordinary"])
async def test_who_never_heard_of_the_commit_finds_the_receipt_under_the_key(
    own_database: Database, line: Line, monkeypatch: pytest.MonkeyPatch, quick: bool
) -> None:
    def reached(point: str) -> None:
        line.deaf = line.deaf or point == "decided"

    async with at_the_end_of(line, own_database) as house:
        player, game_id = await open_game(house)
        await house.send(player, game_id, entropy(0))
        await house.send(player, game_id, entropy(1))
        if not quick:
            house.writer._read_time = None
        with monkeypatch.context() as patched:
            patched.setattr("service.writer.reached", reached)
            with pytest.raises(Unavailable):
                await house.writer.submit(incoming(player, game_id, entropy(2), key="unsure"))
            assert house.service._streams.cached(game_id) is None
        await until(lambda: keys(own_database, game_id).get("unsure") == "APPLIED")
        line.deaf = False
        assert len(own_database.events(game_id)) == 5
        receipt = await send_until_received(house, player, game_id, entropy(2), "unsure")
        assert (receipt.status, receipt.version) == (APPLIED, 5)
        assert (await house.send(player, game_id, entropy(3))).version == 6
        own_database.events(game_id)


async def test_a_database_that_says_nothing_keeps_nobody_waiting_for_ever(
    own_database: Database, line: Line, monkeypatch: pytest.MonkeyPatch, logged: LogCapture
) -> None:
    monkeypatch.setattr("service.writer.FLUSH_SECONDS_MAX", 0.5)
    async with at_the_end_of(line, own_database) as house:
        player, game_id = await open_game(house)
        await house.send(player, game_id, entropy(0))
        line.silent = True
        async with asyncio.timeout(15):  # psycopg gives the database ten seconds more to call it off
            with pytest.raises(Unavailable):
                await house.writer.submit(incoming(player, game_id, entropy(1), key="unsure"))
        line.silent = False
        assert "database_away" in {entry["event"] for entry in logged.entries}
        receipt = await send_until_received(house, player, game_id, entropy(1), "unsure")
        assert (receipt.status, receipt.version) == (APPLIED, 4)


async def test_a_worker_finds_its_way_back_to_the_database_by_itself(another: Another) -> None:
    async with another() as house:
        with away(house.database):
            await asyncio.sleep(1.2)
        player, game_id = await open_game(house)
        bots = await house.open(player, OpenGame("gravwell", 2, sit=False, bots=2))
        with house.database.holding(game_id):
            receipt = await house.send(player, game_id, entropy(1), wait=0)
            hung_up(house.database)
        await until(lambda: keys(house.database, game_id)[receipt.key] == "APPLIED")
        await until(lambda: len(house.database.events(bots)) > 12)


@asynccontextmanager
async def without_redis(database: Database, url: str) -> AsyncIterator[House]:
    async with running(database.url, url) as service:
        yield House(service, database)


async def test_without_redis_a_game_is_played_no_slower(own_database: Database, tmp_path: Path) -> None:
    async with without_redis(own_database, f"unix://{tmp_path}/nobody.sock") as house:
        game_id = await house.table(*await house.players(2))
        began = time.monotonic()
        await house.play(game_id, turns_max=20)
        assert time.monotonic() - began < 5
        bots = await house.open(await house.player(), OpenGame("gravwell", 2, sit=False, bots=2))
        await until(lambda: len(own_database.events(bots)) > 12)


async def test_a_redis_that_does_not_answer_makes_nobody_wait(own_database: Database, tmp_path: Path) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_unix_server(silent, tmp_path / "silent.sock"):
        began = time.monotonic()
        async with without_redis(own_database, f"unix://{tmp_path}/silent.sock") as house:
            game_id = await house.table(*await house.players(2))
            seen = await house.play(game_id, turns_max=20)
            assert seen.status is Status.RUNNING
        assert time.monotonic() - began < 6


async def test_what_another_process_left_is_found_without_a_hint(
    own_house: House, own_database: Database, tmp_path: Path
) -> None:
    player, game_id = await open_game(own_house)
    async with own_house.stalling(player, game_id, entropy(1)) as (submission_id, _):
        pass  # received and committed by a process that died before it decided anything
    async with without_redis(own_database, f"unix://{tmp_path}/nobody.sock"):
        await until(
            lambda: (
                own_database.ask("select status from submissions where submission_id = %s", submission_id)
                == [("APPLIED",)]
            )
        )
