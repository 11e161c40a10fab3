"""The log of all heads and its checkpoints: made daily, they prove what they say and find a replaced database."""

import asyncio
import json
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import psycopg
import pytest
from structlog.testing import LogCapture

from domain.canonical import canonical
from domain.game import OpenGame, TakeSeat
from domain.merkle import Span, grown, leaf_hash
from domain.stream import Row, chained, log_entry
from service import checkpoints, store
from service.anchors import CheckpointSaid, anchored, checkpoint_in, grew
from service.checkpoints import Checkpoint, LogContradicted, make_checkpoint
from service.keyring import Keyring
from service.process import Role
from service.seen import Visibility
from service.signing import Unproven
from tests.service.conftest import KEYRING
from tests.service.database import Database
from tests.service.house import Another, House, until

DAY = timedelta(days=1)
KEY = KEYRING.key()
assert KEY is not None
KEYS = {KEY.public: None}
WORKER = Role.WORKER


async def made(database: Database) -> Checkpoint:
    async with await store.connect(database.url) as connection:
        checkpoint = await make_checkpoint(connection, KEYRING)
    assert checkpoint is not None
    return checkpoint


async def anchor(house: House, game_id: UUID, number: int | None = None) -> dict[str, Any]:
    """Where a game stands in a checkpoint, as JSON that somebody keeps."""
    found = await house.service.public.anchor(await house.seen(None, game_id), number)
    assert found is not None
    kept: dict[str, Any] = json.loads(json.dumps(found.json()))
    return kept


def stream(database: Database, game_id: UUID) -> list[Row]:
    query = "select version, public, secret, prev_hash, hash from events where game_id = %s order by version"
    return [Row(*row) for row in database.ask(query, game_id)]


async def games(house: House, number: int) -> list[UUID]:
    host = await house.player()
    return [await house.open(host, OpenGame("gravwell", 2)) for _ in range(number)]


async def test_a_checkpoint_says_what_the_format_says(own_house: House) -> None:
    """A log of two heads, in the order of ids, put together by hand from RFC 9162, 2.1.1."""
    await games(own_house, 2)
    checkpoint = await made(own_house.database)
    heads = own_house.database.ask("select game_id, version, head_hash from games order by game_id")
    leaves = [
        sha256(b"\x00" + b"slowlight/head/1" + game.bytes + version.to_bytes(8, "big") + head_hash).digest()
        for game, version, head_hash in heads
    ]
    root = sha256(b"\x01" + leaves[0] + leaves[1]).hexdigest()
    assert KEY is not None
    assert json.loads(checkpoint.text) == {
        "v": 1,
        "kind": "checkpoint",
        "key": KEY.public,
        "at": checkpoint.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "number": 1,
        "size": 2,
        "root": root,
    }
    assert checkpoint.root == root
    assert checkpoint_in(checkpoint.json(), KEYS).root.hex() == root
    listed = await own_house.service.public.leaves(checkpoint, 0)
    assert list(listed) == [leaf.hex() for leaf in leaves]


async def test_the_log_takes_only_heads_that_moved(own_house: House) -> None:
    first, *_ = await games(own_house, 5)
    sizes = [(await made(own_house.database)).size]
    sizes.append((await made(own_house.database)).size)
    await own_house.service.submit(await own_house.player(), first, "sit", TakeSeat())
    sizes.append((await made(own_house.database)).size)
    assert sizes == [5, 5, 6]


async def test_a_log_that_grows_by_many_transactions_is_the_same(
    own_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await games(own_house, 7)
    monkeypatch.setattr(checkpoints, "ADDED_MAX", 2)
    checkpoint = await made(own_house.database)
    heads = own_house.database.ask("select game_id, version, head_hash from games order by game_id")
    leaves = [leaf_hash(log_entry(*head)) for head in heads]
    assert (checkpoint.size, checkpoint.root) == (7, Span(0, 7).hash(grown(0, {}, leaves)).hex())


async def test_every_game_is_anchored_in_every_checkpoint_since_it_was(own_house: House) -> None:
    known = list[UUID]()
    for number in range(1, 5):
        known += await games(own_house, number)
        await made(own_house.database)
        for game_id in known:
            kept = await anchor(own_house, game_id)
            found = anchored(kept, KEYS, game_id, stream(own_house.database, game_id))
            assert (found.version, found.checkpoint.number) == (len(stream(own_house.database, game_id)), number)
    assert await own_house.service.public.anchor(await own_house.seen(None, known[-1]), 1) is None
    assert (await anchor(own_house, known[0], 1))["checkpoint"]["number"] == 1


async def test_every_checkpoint_grew_from_every_one_before(own_house: House) -> None:
    kept = []
    for number in (1, 2, 0, 4, 3, 1):
        await games(own_house, number)
        kept.append(await made(own_house.database))
    for newer in kept:
        for older in kept[: newer.number]:
            path = await own_house.service.public.consistency(newer, older.number)
            assert path is not None
            grew(checkpoint_in(older.json(), KEYS), checkpoint_in(newer.json(), KEYS), path)
    assert await own_house.service.public.consistency(kept[0], 2) is None
    assert await own_house.service.public.consistency(kept[0]) is None, "there is none before the first"


@pytest.mark.parametrize(
    "change",
    [{"root": ""}, {"root": "AB" * 32}, {"root": []}, {"size": True}, {"size": -1}, {"number": 0}, {"size": "4"}],
)
def test_a_statement_of_another_shape_is_no_checkpoint(change: dict[str, Any]) -> None:
    """One whose root was empty would be the beginning of every log: its path could hold the left and the right half."""
    assert KEY is not None
    said = {"number": 1, "size": 4, "root": "ab" * 32}
    at = datetime(2026, 11, 29, tzinfo=UTC)
    assert checkpoint_in(asdict(KEY.signed("checkpoint", at, **said)), KEYS).size == 4
    with pytest.raises(Unproven, match=r"not hexadecimal|not a checkpoint"):
        checkpoint_in(asdict(KEY.signed("checkpoint", at, **said | change)), KEYS)


@pytest.mark.parametrize("path", [None, "", {}, [""], ["ab" * 64], ["AB" * 32], [None]])
def test_a_path_that_is_no_list_of_hashes_proves_no_growth(path: Any) -> None:
    at = datetime(2026, 11, 29, tzinfo=UTC)
    with pytest.raises(Unproven, match=r"not hexadecimal|not a list of hashes"):
        grew(CheckpointSaid(1, 4, bytes(32), at), CheckpointSaid(2, 8, bytes(32), at), path)


async def test_a_database_that_was_quietly_replaced_is_found(own_house: House) -> None:
    """Chains, log, tree and signatures are in order; one early event is another, and an old checkpoint finds it."""
    database = own_house.database
    game_id, *_ = await games(own_house, 3)
    old = await made(database)
    kept = await anchor(own_house, game_id)
    replace_past(database, game_id)
    await made(database)
    await games(own_house, 2)
    new = await made(database)
    assert new.number == old.number + 1, "they hide that the log was begun anew"
    path = await own_house.service.public.consistency(new, 1)
    assert path is not None
    with pytest.raises(Unproven, match="checkpoint 2 is not of a log that grew from that of checkpoint 1"):
        grew(checkpoint_in(old.json(), KEYS), checkpoint_in(new.json(), KEYS), path)
    with pytest.raises(Unproven, match="is not the event that stood in the log"):
        anchored(kept, KEYS, game_id, stream(database, game_id))
    fresh = anchored(await anchor(own_house, game_id), KEYS, game_id, stream(database, game_id))
    assert fresh.version == 2, "but for the old one all is well"


async def test_a_stream_that_was_changed_under_the_log_stops_the_signing(own_house: House, logged: LogCapture) -> None:
    database = own_house.database
    game_id, *_ = await games(own_house, 2)
    await made(database)
    with database.owner() as connection:
        rewrite(connection, game_id)
    async with await store.connect(database.url) as connection:
        assert await checkpoints.log_faults(connection) == [(game_id, 2)]
        with pytest.raises(LogContradicted):
            await make_checkpoint(connection, KEYRING)
    assert database.ask("select count(*) from checkpoints") == [(1,)]


async def test_the_log_bears_out_what_was_not_changed(own_house: House) -> None:
    await games(own_house, 3)
    await made(own_house.database)
    async with await store.connect(own_house.database.url) as connection:
        assert await checkpoints.log_faults(connection) == []


@pytest.mark.parametrize(
    "statement",
    [
        "update log_entries set version = 1",
        "delete from log_entries",
        "truncate log_entries",
        "update log_nodes set hash = hash",
        "delete from log_nodes",
        "update checkpoints set size = 0",
        "delete from checkpoints",
        "truncate checkpoints",
    ],
)
async def test_the_log_is_written_once(own_house: House, statement: Any) -> None:
    await games(own_house, 1)
    await made(own_house.database)
    with pytest.raises(psycopg.errors.RestrictViolation):
        own_house.database.do(statement)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"version": 1}, "version 1 is not the event"),
        ({"version": 0}, "not an anchor"),
        ({"version": True}, "not an anchor"),
        ({"version": []}, "not an anchor"),
        ({"version": 9}, "the stream ends before"),
        ({"hash": "00" * 32}, "is not the event"),
        ({"hash": "x"}, "not hexadecimal"),
        ({"hash": ""}, "not hexadecimal"),
        ({"hash": "AB" * 32}, "not hexadecimal"),
        ({"hash": []}, "not hexadecimal"),
        ({"place": 0}, "its path does not lead"),
        ({"place": 99}, "its path does not lead"),
        ({"place": -1}, "not an anchor"),
        ({"path": []}, "its path does not lead"),
        ({"path": ["00" * 32, "00" * 32]}, "its path does not lead"),
        ({"path": [5]}, "not hexadecimal"),
        ({"path": ["00" * 64]}, "not hexadecimal"),
        ({"path": None}, "not a list of hashes"),
        ({"path": ""}, "not a list of hashes"),
        ({"checkpoint": {}}, "not a signed statement"),
    ],
)
async def test_a_tampered_proof_is_found(house: House, change: dict[str, Any], complaint: str) -> None:
    known = await games(house, 3)
    await made(house.database)
    kept, rows = {}, {}
    for game_id in known:
        kept[game_id], rows[game_id] = await anchor(house, game_id), stream(house.database, game_id)
    game_id = max(kept, key=lambda game: int(kept[game]["place"]))
    with pytest.raises(Unproven, match=complaint):
        anchored(kept[game_id] | change, KEYS, game_id, rows[game_id])
    with pytest.raises(Unproven, match="of another game"):
        anchored(kept[game_id], KEYS, known[0], rows[next(game for game in known if game != game_id)])


async def test_a_checkpoint_that_was_changed_or_that_others_signed_is_found(house: House) -> None:
    (game_id,) = await games(house, 1)
    checkpoint = await made(house.database)
    kept, rows = await anchor(house, game_id), stream(house.database, game_id)
    smaller = {**kept["checkpoint"], "text": checkpoint.text.replace(f'"size":{checkpoint.size}', '"size":0')}
    with pytest.raises(Unproven, match="its signature"):
        anchored(kept | {"checkpoint": smaller}, KEYS, game_id, rows)
    foreign = Keyring("ff" * 32).key()
    assert foreign is not None
    signed = foreign.signed("checkpoint", checkpoint.at, number=1, size=checkpoint.size, root=checkpoint.root)
    with pytest.raises(Unproven, match="none of ours"):
        anchored(kept | {"checkpoint": {"text": signed.text, "signature": signed.signature}}, KEYS, game_id, rows)


async def test_a_worker_makes_one_each_day(
    own_database: Database, another: Another, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "LOOK_SECONDS", 0.02)

    def numbers() -> list[int]:
        return [number for (number,) in own_database.ask("select number from checkpoints order by number")]

    async with another(WORKER), another(WORKER):
        await until(lambda: numbers() == [1])
        own_database.put_ahead(DAY - timedelta(minutes=1))
        await asyncio.sleep(0.2)
        assert numbers() == [1]
        own_database.put_ahead(timedelta(minutes=1))
        await until(lambda: numbers() == [1, 2])
        await asyncio.sleep(0.2)
        assert numbers() == [1, 2], "two workers make one"


async def test_two_at_once_make_two_one_after_the_other(own_house: House) -> None:
    await games(own_house, 3)
    both = await asyncio.gather(made(own_house.database), made(own_house.database))
    assert sorted(checkpoint.number for checkpoint in both) == [1, 2]
    assert {checkpoint.size for checkpoint in both} == {3}


async def test_without_a_key_there_is_no_checkpoint(own_house: House) -> None:
    async with await store.connect(own_house.database.url) as connection:
        assert await make_checkpoint(connection, Keyring()) is None
    assert await own_house.service.public.checkpoint() is None


async def test_the_log_names_no_game_to_who_does_not_know_it(own_house: House) -> None:
    """A private game is in the log too; nothing that is published of the log holds its id or its head."""
    host = await own_house.player()
    game_id = await own_house.open(host, OpenGame("gravwell", 2), Visibility.PRIVATE)
    checkpoint = await made(own_house.database)
    assert checkpoint.size == 1
    published = checkpoint.text + "".join(await own_house.service.public.leaves(checkpoint, 0))
    ((head_hash,),) = own_house.database.ask("select head_hash from games")
    for text in (str(game_id), game_id.hex, head_hash.hex()):
        assert text not in published


def rewrite(connection: psycopg.Connection[Any], game_id: UUID) -> None:
    """Change the first event of a game, and all hashes that follow from it."""
    query = "select version, public, secret, prev_hash, hash from events where game_id = %s order by version"
    rows = [Row(*row) for row in connection.execute(query, (game_id,)).fetchall()]
    public = json.loads(rows[0].public)
    public["data"]["secret_hash"] = "00" * 32
    rows[0] = rows[0]._replace(public=canonical(public))
    link = rows[0].prev_hash
    connection.execute("alter table events disable trigger user")
    for row in rows:
        now = chained(link, row.public)
        connection.execute(
            "update events set public = %s, prev_hash = %s, hash = %s where game_id = %s and version = %s",
            (row.public, link, now, game_id, row.version),
        )
        link = now
    connection.execute("update games set head_hash = %s where game_id = %s", (link, game_id))
    connection.execute("alter table events enable trigger user")


def replace_past(database: Database, game_id: UUID) -> None:
    """What somebody would do who owns the database and the key: change the past, and begin the log anew from it."""
    with database.owner() as connection:
        rewrite(connection, game_id)
        for table in ("log_entries", "log_nodes", "checkpoints"):
            connection.execute(f"alter table {table} disable trigger user".encode())
            connection.execute(f"truncate {table}".encode())
            connection.execute(f"alter table {table} enable trigger user".encode())
