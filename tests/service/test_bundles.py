"""Games leave as bundles and come from bundles: what is in them, who sees what, and what is never lost or altered."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from domain.bundle import Damaged, read
from domain.catalogue import CATALOGUE
from domain.game import AddEntropy, OpenGame, Resign
from service import store
from service.exporting import export, export_to, games_since, put
from service.importing import AnotherHistory, UnknownRules, import_game
from service.knowing import Known
from service.replaying import Replayed, replay, replay_all
from service.seen import Refusal, Visibility
from service.verifying import verify
from tests.service.database import Database
from tests.service.house import House
from tests.verifier.games import SIGNER, Written, bundle_of, closed, random_game, rebuilt

EVER = datetime.min.replace(tzinfo=UTC)


def game_of(number: int, ruleset: str = "gravwell") -> Written:
    """A random game that has ended."""
    return next(
        game
        for one in range(number * 100, number * 100 + 100)
        if (game := random_game(CATALOGUE[ruleset, 1], one)).ended and len(game.rows) > 20
    )


async def exported(database: Database, game_id: Any) -> bytes:
    async with await store.connect(database.url) as connection:
        lines = await export(connection, game_id, SIGNER)
        assert lines is not None
        return b"".join([line async for line in lines])


async def imported(database: Database, data: bytes, visibility: Visibility = Visibility.PUBLIC) -> bool:
    async with await store.connect(database.url) as connection:
        return await import_game(connection, read(data), visibility)


async def replayed(database: Database, *, verify: bool = True) -> dict[Any, Replayed]:
    async with await store.connect(database.url) as connection:
        return {one.game_id: one async for one in replay_all(connection, verify=verify)}


async def test_a_game_that_has_ended_is_exported_whole_and_verifies(house: House, database: Database) -> None:
    players = await house.players(2)
    game_id = await house.table(*players)
    await house.play(game_id, 20)
    await house.send(players[0], game_id, Resign())
    verified = verify(read(await exported(database, game_id)), Known(keys={SIGNER.public: None}))
    assert (verified.game, verified.judged) == (game_id, True)
    assert verified.outcome is not None
    assert verified.outcome.reason == "resigned"
    assert verified.events == database.ask("select version from games where game_id = %s", game_id)[0][0]


async def test_a_game_that_goes_on_is_exported_in_its_public_form(house: House, database: Database) -> None:
    game_id = await house.table(*await house.players(2))
    await house.play(game_id, 12)
    data = await exported(database, game_id)
    bundle = read(data)
    assert all(event.secret is None for event in bundle.events)
    assert any(event.public["sealed"] for event in bundle.events)
    ((secret,),) = database.ask("select secret from games where game_id = %s", game_id)
    assert secret.hex().encode() not in data
    assert not verify(bundle).judged


async def test_export_import_export_is_the_same_to_the_byte(database: Database) -> None:
    for ruleset in ("gravwell", "novagravity", "exoplanets"):
        game = game_of(1, ruleset)
        assert await imported(database, game.bundle())
        assert await exported(database, game.game_id) == game.bundle()


async def test_an_imported_game_is_marked_and_only_read(house: House, database: Database) -> None:
    game, player = game_of(2), await house.player()
    await imported(database, game.bundle())
    seen = await house.seen(player, game.game_id)
    assert seen.imported
    assert seen.players == (None,) * seen.game.seats
    assert seen.game.outcome == verify(read(game.bundle())).outcome
    answer = await house.service.submit(player, game.game_id, "key", Resign())
    assert isinstance(answer, Refusal)
    assert answer.code == "GAME_IMPORTED"


async def test_a_game_that_goes_on_is_imported_and_nothing_happens_in_it_any_more(
    house: House, database: Database
) -> None:
    game = game_of(3)
    going_on = game.up_to(game.pauses[-1])
    await imported(database, going_on.bundle())
    player = await house.player()
    seen = await house.seen(player, game.game_id)
    assert (seen.imported, seen.version, str(seen.status)) == (True, len(going_on.rows), "RUNNING")
    assert await exported(database, game.game_id) == going_on.bundle()
    assert database.ask("select count(*) from timers where game_id = %s", game.game_id) == [(0,)]
    answer = await house.service.submit(player, game.game_id, "key", AddEntropy("00" * 16))
    assert isinstance(answer, Refusal)
    assert answer.code == "GAME_IMPORTED"
    assert (await replayed(database))[game.game_id].faults == ()


async def test_the_same_game_is_imported_once_and_another_history_of_it_not_at_all(database: Database) -> None:
    game = game_of(4)
    assert await imported(database, game.bundle())
    assert not await imported(database, game.bundle())
    with pytest.raises(AnotherHistory):
        await imported(database, game.up_to(game.pauses[-1]).bundle())
    assert await exported(database, game.game_id) == game.bundle()


async def test_a_bundle_that_is_damaged_is_not_imported(database: Database) -> None:
    game = game_of(5)
    lines = game.bundle().splitlines(keepends=True)
    lines[7] = lines[7].replace(b'"schema":1', b'"schema":2')
    with pytest.raises(Damaged, match="line 8, event 7 ") as raised:
        await imported(database, closed(lines[:-1]))
    assert raised.value.code == "CHANGED"
    assert database.ask("select count(*) from games where game_id = %s", game.game_id) == [(0,)]


async def test_a_game_by_rules_that_are_not_here_is_not_imported(database: Database) -> None:
    game = game_of(6)
    public = json.loads(game.rows[0].public)
    public["data"]["rules"] = 1_000
    line = game.rows[0].public.replace('"rules":1,', '"rules":1000,')
    assert json.loads(line) == public
    rows = rebuilt(game.rows, {1: type(game.rows[0])(1, line, game.rows[0].secret, game.rows[0].prev_hash, b"")})
    data = bundle_of(game.ruleset, rows).replace(b'"rules":1,"ruleset"', b'"rules":1000,"ruleset"', 1)
    with pytest.raises(UnknownRules):
        await imported(database, closed(data.splitlines(keepends=True)[:-1]))


async def test_everything_is_exported_to_a_folder_and_what_is_there_is_left(
    own_house: House, own_database: Database, tmp_path: Path
) -> None:
    game, players = game_of(7), await own_house.players(2)
    await imported(own_database, game.bundle())
    running = await own_house.table(*players)
    private = await own_house.open(players[0], OpenGame("gravwell", 2), Visibility.PRIVATE)
    first = await exported_all(own_database, tmp_path)
    assert first == {game.game_id: True, running: True, private: True}
    assert not [path for path in files_in(tmp_path) if path.suffix != ".jsonl"]
    assert (tmp_path / "gravwell" / f"{game.game_id}.jsonl").read_bytes() == game.bundle()
    (tmp_path / "gravwell" / f"{game.game_id}.jsonl").write_bytes(b"half of it")
    await own_house.play(running, 2)
    assert await exported_all(own_database, tmp_path) == {game.game_id: True, running: True, private: False}
    for path in files_in(tmp_path):
        verify(read(path.read_bytes()), Known(keys={SIGNER.public: None}))


async def test_only_games_since_a_time_are_exported_and_private_ones_only_if_asked_for(
    own_house: House, own_database: Database
) -> None:
    game, player = game_of(8), await own_house.player()
    await imported(own_database, game.bundle())
    own_database.put_ahead(timedelta(days=60))
    begun = own_database.now()
    opened = [
        await own_house.open(player, OpenGame("gravwell", 2), visibility)
        for visibility in (Visibility.PUBLIC, Visibility.PRIVATE)
    ]
    async with await store.connect(own_database.url) as connection:
        assert await games_since(connection, begun, private=True) == sorted(opened)
        assert await games_since(connection, begun, private=False) == opened[:1]
        assert set(await games_since(connection, EVER, private=True)) == {*opened, game.game_id}


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def exported_all(database: Database, folder: Path) -> dict[Any, bool]:
    async with await store.connect(database.url) as connection:
        games = await games_since(connection, EVER, private=True)
        written = [new async for new in export_to(connection, folder, games, SIGNER)]
    return dict(zip(games, written, strict=True))


async def test_a_file_is_in_its_place_only_once_it_is_whole(tmp_path: Path) -> None:
    async def broken() -> Any:
        yield b"a line\n"
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await put(tmp_path / "game.jsonl", broken())
    assert not (tmp_path / "game.jsonl").exists()


ALTERATIONS = {
    "public": ("public = replace(public, '\"seat\":', '\"seat\" :')", "[NOT_CANONICAL]"),
    "a fact": ("public = replace(public, '\"schema\":1', '\"schema\":2')", "[CHANGED]"),
    "secret": ("secret = replace(secret, '{\"$command\"', '{\"$demand\"')", "[SECRET]"),
    "no secret": ("secret = null", "[SECRET]"),
    "prev_hash": ("prev_hash = sha256('x')", "its prev_hash was changed [CHANGED]"),
    "hash": ("hash = sha256('x')", "[CHANGED]"),
}


@pytest.mark.parametrize(("what", "wanted"), ALTERATIONS.values(), ids=ALTERATIONS)
@pytest.mark.parametrize("ended", [True, False], ids=["ended", "going on"])
async def test_an_altered_row_is_found_by_a_verifying_replay(
    house: House, database: Database, what: str, wanted: str, ended: bool
) -> None:
    players = await house.players(2)
    game_id = await house.table(*players)
    await house.play(game_id, 6)
    if ended:
        await house.send(players[1], game_id, Resign())
    ((version,),) = database.ask(
        "select version from events where game_id = %s and secret is not null order by version desc limit 1", game_id
    )
    assert (await replayed(database))[game_id].faults == ()
    alter(database, f"update events set {what} where game_id = %s and version = %s", game_id, version)
    (fault, *_) = (await replayed(database))[game_id].faults
    assert fault.startswith(f"event {version}")
    assert wanted in fault


async def test_a_dropped_row_and_another_secret_of_the_game_are_found_by_a_verifying_replay(
    house: House, database: Database
) -> None:
    one, other = [await house.table(*await house.players(2)) for _ in range(2)]
    alter(database, "delete from events where game_id = %s and version = 2", one)
    alter(database, "update games set secret = sha256('x') where game_id = %s", other)
    found = await replayed(database)
    assert "event 2 is missing before it [MISSING]" in found[one].faults[0]
    assert "[SECRET_HASH]" in found[other].faults[0]
    async with await store.connect(database.url) as connection:
        alone = await replay(connection, other, verify=True)
        assert alone is not None
        assert alone.faults == found[other].faults


def alter(database: Database, statement: str, *params: Any) -> None:
    """Do as the owner what nobody may."""
    with database.owner() as connection:
        connection.execute("alter table events disable trigger user")
        changed = connection.execute(statement, params).rowcount
        connection.execute("alter table events enable trigger user")
    assert changed == 1
