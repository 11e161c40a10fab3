"""A replay finds whatever the store says of a game that its events do not: one broken row each."""

import json
from typing import LiteralString
from uuid import UUID

import pytest

from domain.canonical import canonical
from domain.game import Resign
from domain.stream import COMMAND, Row, commitment, salt_of
from service import replaying, store
from tests.service.database import Database
from tests.service.house import House
from tests.verifier.games import rebuilt

OTHER_HASH: LiteralString = "decode(repeat('ab', 32), 'hex')"

OF_THE_GAME: list[tuple[LiteralString, str]] = [
    (f"update games set head_hash = {OTHER_HASH} where game_id = %s", "head_hash"),
    ("update games set head_at = head_at + interval '1 microsecond' where game_id = %s", "head_at"),
    ("update games set seats = 3 where game_id = %s", "seats"),
    ("update games set rules = 1 where game_id = %s", "rules"),
    (f"update games set secret = {OTHER_HASH} where game_id = %s", "secret"),
    ("update games set status = 'PAUSED' where game_id = %s", "status"),
    ("update games set awaiting = '{}' where game_id = %s", "awaiting"),
    ("delete from seats where seat = 1 and game_id = %s", "players"),
]
OF_A_SUBMISSION: list[LiteralString] = [
    f"update submissions set hash = {OTHER_HASH} where first_version = 1 and game_id = %s",
    "update submissions set version = version + 1 where first_version = 1 and game_id = %s",
    "update submissions set first_version = 2 where first_version = 1 and game_id = %s",
    "update submissions set received_at = received_at - interval '1 second' where first_version = 1 and game_id = %s",
    (
        "update submissions set status = 'REFUSED', first_version = null, version = null, hash = null, refusal = '{}'"
        " where first_version = 1 and game_id = %s"
    ),
    "delete from submissions where first_version = 1 and game_id = %s",
    (
        "insert into submissions (game_id, sender_id, key, submission_id, content, received_at, status, first_version,"
        " version, hash) select game_id, gen_random_uuid(), 'made up', gen_random_uuid(), content, received_at, status,"
        " first_version, version, hash from submissions where first_version = 1 and game_id = %s"
    ),
]


@pytest.fixture
async def game_id(house: House) -> UUID:
    """A running game in which four turns were taken."""
    game_id = await house.table(*await house.players(2))
    await house.play(game_id, 4)
    return game_id


async def faults(database: Database, game_id: UUID, *, verify: bool = False) -> tuple[str, ...]:
    """What a replay finds wrong with a game."""
    async with await store.connect(database.url) as connection:
        replayed = await replaying.replay(connection, game_id, verify=verify)
    assert replayed is not None
    return replayed.faults


def falsified(database: Database, statement: LiteralString, game_id: UUID) -> None:
    """Do to one row what only its owner can, past the triggers that hold events to be written once."""
    with database.owner() as connection:
        connection.execute("set session_replication_role = replica")
        assert connection.execute(statement, (game_id,)).rowcount == 1


async def test_nothing_is_wrong_with_a_game_that_was_played(house: House, database: Database, game_id: UUID) -> None:
    assert await faults(database, game_id) == ()
    ended = await house.table(*await house.players(2))
    await house.play(ended)
    assert await faults(database, ended) == ()


@pytest.mark.parametrize(("statement", "name"), OF_THE_GAME)
async def test_what_a_row_says_of_its_game_is_what_the_events_say(
    database: Database, game_id: UUID, statement: LiteralString, name: str
) -> None:
    falsified(database, statement, game_id)
    assert f"{name}: the read model differs from the fold" in await faults(database, game_id)


@pytest.mark.parametrize("statement", OF_A_SUBMISSION)
async def test_a_submission_was_answered_what_its_decision_did(
    database: Database, game_id: UUID, statement: LiteralString
) -> None:
    falsified(database, statement, game_id)
    (fault,) = await faults(database, game_id)
    assert fault.startswith("submission ")
    assert fault.endswith(": what it was answered is not what the stream says of it")


async def test_no_event_lies_beyond_the_head(database: Database, game_id: UUID) -> None:
    version = len(database.events(game_id)) + 1
    beyond: LiteralString = (
        "insert into events select game_id, version + 1, public, secret, prev_hash, hash from events"
        " where game_id = %s order by version desc limit 1"
    )
    falsified(database, beyond, game_id)
    assert await faults(database, game_id) == (f"version {version}: lies beyond the head of its game",)


@pytest.mark.parametrize(
    "secret", ["null", """'{"$command":{"leave_seat":{}}}'""", """replace(secret, '{', '{"more":1,')"""]
)
async def test_what_is_kept_of_a_sealed_field_is_what_was_committed_to(
    database: Database, game_id: UUID, secret: LiteralString
) -> None:
    falsified(database, f"update events set secret = {secret} where version = 1 and game_id = %s", game_id)
    assert "version 1: what is kept of its sealed fields is not what it commits to" in await faults(database, game_id)


@pytest.mark.parametrize("ended", [False, True], ids=["going on", "ended"])
async def test_what_was_dealt_is_told_by_a_verifying_replay_only_once_the_game_has_ended(
    house: House, database: Database, ended: bool
) -> None:
    players = await house.players(2)
    game_id = await house.table(*players)
    if ended:
        await house.send(players[1], game_id, Resign())
    row, field, cards = dealt_otherwise(database, game_id)
    (fault,) = await faults(database, game_id, verify=True)
    name = json.loads(row.public)["name"]
    if ended:
        assert fault.startswith(f"event {row.version} {name}: {field} is ")
        assert json.dumps(cards) in fault
    else:
        assert fault == f"event {row.version} {name}: something is wrong with it [RULES]"


def dealt_otherwise(database: Database, game_id: UUID) -> tuple[Row, str, list[str]]:
    """Turn a hand around as only the server could: commitment, chain and head are right again. Gives what was dealt."""
    ((secret,),) = database.ask("select secret from games where game_id = %s", game_id)
    found = database.ask(
        "select version, public, secret, prev_hash, hash from events where game_id = %s order by version", game_id
    )
    rows = [Row(*one) for one in found]
    row, field, cards = next(
        (row, field, value)
        for row in rows
        for field, value in json.loads(row.secret or "{}").items()
        if field != COMMAND and isinstance(value, list) and value != value[::-1]
    )
    public, values = json.loads(row.public), json.loads(row.secret or "")
    public["sealed"][field]["c"] = commitment(salt_of(secret, row.version, field), cards[::-1])
    dealt = row._replace(public=canonical(public), secret=canonical({**values, field: cards[::-1]}))
    with database.owner() as connection:
        connection.execute("set session_replication_role = replica")
        for one in rebuilt(rows, {row.version: dealt})[row.version - 1 :]:
            connection.execute(
                "update events set public = %s, secret = %s, prev_hash = %s, hash = %s"
                " where game_id = %s and version = %s",
                (one.public, one.secret, one.prev_hash, one.hash, game_id, one.version),
            )
            connection.execute(
                "update games set head_hash = %s where game_id = %s and version = %s", (one.hash, game_id, one.version)
            )
            connection.execute(
                "update submissions set hash = %s where game_id = %s and version = %s", (one.hash, game_id, one.version)
            )
    return row, field, cards
