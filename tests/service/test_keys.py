"""The key that signs: kept for its owner's eyes alone, published before it is used, followed by others."""

import json
import os
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg.sql import SQL
from structlog.testing import LogCapture

from service import keyring as keyrings
from service import store
from service.keyring import BadKey, Keyring
from service.signing import Unproven, keys_in, statement
from tests.service.database import Database
from tests.service.house import House

DAY = timedelta(days=1)


def keyring_in(folder: Path) -> Keyring:
    keyrings.make(folder / keyrings.FILE)
    return Keyring(file=folder / keyrings.FILE)


async def listed(database: Database, keyring: Keyring) -> tuple[list[str], dict[str, Any]]:
    """The public keys, newest first, and the signed list."""
    async with await store.connect(database.url) as connection:
        keys, signed = await keyrings.published(connection, keyring)
    assert signed is not None
    return [one.key for one in keys], asdict(signed)


async def rotated(database: Database, keyring: Keyring, overlap: timedelta = DAY) -> tuple[str, str | None]:
    async with await store.connect(database.url) as connection:
        new, private = await keyrings.rotated(connection, keyring, overlap)
    return new.key, private


def public(keyring: Keyring) -> str:
    key = keyring.key()
    assert key is not None
    return key.public


def test_a_private_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    keyring = keyring_in(tmp_path)
    assert keyring.file is not None
    assert keyring.file.stat().st_mode & 0o777 == 0o600
    first = public(keyring)
    assert public(keyring_in(tmp_path)) == first
    assert [file.name for file in tmp_path.iterdir()] == [keyrings.FILE]


def test_a_private_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    keyring = keyring_in(tmp_path)
    assert keyring.file is not None
    private = keyring.file.read_text().strip()
    keyring.file.chmod(0o640)
    with pytest.raises(BadKey, match="chmod 600") as refused:
        Keyring(file=keyring.file).key()
    assert private not in str(refused.value)


@pytest.mark.parametrize("text", ["", "secret words", "00" * 31, "00" * 33])
def test_what_is_no_private_key_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    file = tmp_path / keyrings.FILE
    file.touch(mode=0o600)
    file.write_text(text)
    for refused in (lambda: Keyring(text), lambda: Keyring(file=file).key()):
        with pytest.raises(BadKey) as bad:
            refused()
        assert not text or text not in str(bad.value)


def test_without_a_key_nothing_is_signed(tmp_path: Path) -> None:
    assert Keyring().key() is None
    assert Keyring(file=tmp_path / "none").key() is None


async def test_a_key_is_published_when_it_is_first_used(own_database: Database, tmp_path: Path) -> None:
    keyring = keyring_in(tmp_path)
    keys, document = await listed(own_database, keyring)
    assert keys == [public(keyring)]
    assert keys_in(document) == {public(keyring): None}


async def test_a_key_that_follows_is_the_word_of_the_one_before(own_database: Database, tmp_path: Path) -> None:
    keyring = keyring_in(tmp_path)
    first = public(keyring)
    await listed(own_database, keyring)
    own_database.put_ahead(DAY)
    second, private = await rotated(own_database, keyring)
    assert private is None, "it is in the file"
    assert public(keyring) == second != first
    assert keyring.file is not None
    assert keyring.file.stat().st_mode & 0o777 == 0o600
    own_database.put_ahead(DAY)
    third, _ = await rotated(own_database, keyring)
    keys, document = await listed(own_database, keyring)
    assert keys == [third, second, first]
    for pinned in keys:
        ends = keys_in(document, pinned)
        assert ends.keys() == set(keys)
        assert ends[third] is None
        assert ends[first] is not None
    assert os.listdir(tmp_path) == [keyrings.FILE], "the old private keys are gone"  # noqa: PTH208


async def test_a_key_that_could_not_be_published_is_not_used(own_database: Database, tmp_path: Path) -> None:
    """The database takes the new key back when it is committed."""
    keyring, first = await rotated_in_vain(own_database, tmp_path, "insert", "deferrable initially deferred")
    assert public(keyring) == first
    keys, document = await listed(own_database, keyring)
    assert keys == [first]
    assert keys_in(document, first) == {first: None}


async def test_a_key_that_could_not_be_retired_is_followed_all_the_same(own_database: Database, tmp_path: Path) -> None:
    keyring, first = await rotated_in_vain(own_database, tmp_path, "update", "not deferrable")
    second = public(keyring)
    keys, document = await listed(own_database, keyring)
    assert keys == [second, first]
    assert keys_in(document, first) == {first: None, second: None}
    own_database.do("drop trigger failing on signing_keys")
    async with await store.connect(own_database.url) as connection:
        assert await keyrings.retired(connection, first)


async def test_where_the_new_key_cannot_be_kept_the_old_one_signs_on(own_database: Database, tmp_path: Path) -> None:
    """Its name is as long as a name may be, and the new key is put under a longer one first."""
    file = tmp_path / ("k" * 255)
    file.write_text("44" * 32)
    file.chmod(0o600)
    keyring = Keyring(file=file)
    first = public(keyring)
    with pytest.raises(OSError, match="too long"):
        await rotated(own_database, keyring)
    assert public(keyring) == first
    _, document = await listed(own_database, keyring)
    assert keys_in(document, first)[first] is None, "it is still in use"


async def rotated_in_vain(
    database: Database, folder: Path, deed: LiteralString, when: LiteralString
) -> tuple[Keyring, str]:
    """A keyring whose rotation the database failed, and the public key from before."""
    keyring = keyring_in(folder)
    first = public(keyring)
    await listed(database, keyring)
    failing(database, deed, when)
    with pytest.raises(psycopg.errors.RaiseException):
        await rotated(database, keyring)
    return keyring, first


def failing(database: Database, deed: LiteralString, when: LiteralString) -> None:
    """Let whatever is done so to the table of keys fail from now on, at once or when it is committed."""
    database.do(
        "create function fail() returns trigger language plpgsql as 'begin raise exception ''the disk is full''; end'"
    )
    statement = SQL(
        "create constraint trigger failing after {} on signing_keys {} for each row execute function fail()"
    )
    with database.owner() as connection:
        connection.execute(statement.format(SQL(deed), SQL(when)))


async def test_a_key_of_the_environment_is_followed_by_one_that_is_told_once(own_database: Database) -> None:
    keyring = Keyring("11" * 32)
    first = public(keyring)
    second, private = await rotated(own_database, keyring)
    assert private is not None
    assert public(keyring) == first, "until the process is started again"
    following = Keyring(private)
    assert public(following) == second
    assert private not in own_database.dumped()
    _, document = await listed(own_database, following)
    assert keys_in(document, first).keys() == {first, second}


async def test_an_old_key_is_good_for_a_day_and_then_signs_nothing(own_database: Database, logged: LogCapture) -> None:
    old = Keyring("22" * 32)
    await rotated(own_database, old)
    async with await store.connect(own_database.url) as connection:
        assert await old.current(connection) is not None
        own_database.put_ahead(DAY)
        assert await old.current(connection) is None
    assert [entry["event"] for entry in logged.entries] == ["signing_key_retired"]


async def test_a_key_that_others_have_is_retired_at_once(own_database: Database) -> None:
    stolen = Keyring("33" * 32)
    key = stolen.key()
    assert key is not None
    second, private = await rotated(own_database, stolen, timedelta())
    _, document = await listed(own_database, Keyring(private))
    keys = keys_in(document, second)
    forged = asdict(key.signed("accepted", own_database.now()))
    with pytest.raises(Unproven, match="used no more"):
        statement(forged, "accepted", keys)
    async with await store.connect(own_database.url) as connection:
        with pytest.raises(BadKey, match="no key in use"):
            await keyrings.rotated(connection, stolen)
        assert await keyrings.retired(connection, second)
        assert not await keyrings.retired(connection, "ab" * 32)


async def test_a_running_service_signs_with_the_key_that_follows(own_house: House, tmp_path: Path) -> None:
    keyring = keyring_in(tmp_path)
    own_house.service._keyring = keyring
    ann = await own_house.player()
    game_id = await own_house.table(ann, await own_house.player())
    player = await own_house.awaited(game_id)
    receipt = await own_house.turn(player, game_id)
    signed = [await own_house.service.receipt_signed(player, receipt)]
    await rotated(own_house.database, keyring)
    signed.append(await own_house.service.receipt_signed(player, receipt))
    keys, _ = await listed(own_house.database, keyring)
    assert [one and one.accepted.key for one in signed] == keys[::-1]


async def test_no_private_key_stands_in_the_database_or_the_log(own_house: House, logged: LogCapture) -> None:
    ann, bob = await own_house.players(2)
    game_id = await own_house.table(ann, bob)
    player = await own_house.awaited(game_id)
    assert await own_house.service.receipt_signed(player, await own_house.turn(player, game_id))
    private = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
    assert private not in own_house.database.dumped() + json.dumps(logged.entries, default=str)
