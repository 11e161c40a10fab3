"""Forgetting a player: nothing of theirs is left anywhere, and every game goes on, or stands, as it did."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from structlog.testing import LogCapture

from domain.game import AddEntropy, OpenGame, Resign, StartGame, Status, TakeSeat
from service import forgetting, replaying, store
from service.forgetting import LINGER
from service.process import Role
from service.seen import Forgotten, Player, Refusal, Registered, Visibility
from service.streams import ELSEWHERE, HOSTING, left_id
from tests.service.database import Database
from tests.service.house import APPLIED, PENDING, Another, House, until

KEY = "written-by-hand"
"""A key, such as clients make up and may put names into."""


async def newcomer(house: House, handle: str) -> tuple[Player, str]:
    registered = await house.service.accounts.register(handle, f"{KEY}-register-{handle}")
    assert isinstance(registered, Registered)
    return registered.player, registered.token


async def forgotten(house: House, player: Player) -> Forgotten:
    came = await house.service.forget(player)
    assert isinstance(came, Forgotten), came
    await house.quiet()
    return came


def traces(database: Database, player: Player, *more: str) -> list[str]:
    """What in any row of any table leads to a player."""
    dumped = database.dumped().lower()
    wanted = (str(player.id), player.id.hex, player.handle.lower(), KEY, *(one.lower() for one in more))
    return [one for one in wanted if one in dumped]


async def no_faults(house: House, *games: UUID) -> bool:
    async with await store.connect(house.database.url) as connection:
        replayed = [await replaying.replay(connection, game_id) for game_id in games]
    for game_id in games:
        house.database.events(game_id)  # whose chain must be whole
    return all(one is not None and one.faults == () for one in replayed)


@pytest.fixture
async def lived(own_house: House) -> tuple[House, Player, dict[str, UUID], list[str]]:
    """Somebody with games in every state, and the secrets that stand in their account."""
    house = own_house
    cleo, token = await newcomer(house, "Cleopatra")
    await house.service.accounts.name_token(cleo, "Cleopatra's telephone")
    ann, bob, dan = await house.players(3)
    games = {
        "hosted": await house.table(cleo, ann, bob),
        "joined": await house.table(ann, cleo, bob),
        "for two": await house.table(ann, cleo),
        "over": await house.table(cleo, dan),
        "open": await house.open(ann, OpenGame("gravwell", 3)),
        "open and hosted": await house.open(cleo, OpenGame("gravwell", 3, sit=False)),
        "alone": await house.open(cleo, OpenGame("gravwell", 2), Visibility.PRIVATE, key=f"{KEY}-open"),
        "not hers": await house.table(ann, dan),
    }
    await house.send(cleo, games["open"], TakeSeat(), key=f"{KEY}-sit")
    await house.send(cleo, games["open"], AddEntropy("ab" * 16))
    await house.send(dan, games["open and hosted"], TakeSeat())
    await house.send(dan, games["over"], Resign())
    await house.send(cleo, games["not hers"], Resign(), key=f"{KEY}-refused")
    await house.play(games["joined"], 6)
    at = (await house.seen(None, games["over"])).version - 3
    practice = await house.service.fork_game(cleo, f"{KEY}-fork", games["over"], at, None, 2.0)
    assert not isinstance(practice, Refusal)
    games["practice"] = practice.game_id
    ((salt,),) = house.database.ask("select salt from players where player_id = %s", cleo.id)
    hashes = house.database.ask("select token_hash, token_id from tokens where player_id = %s", cleo.id)
    secrets = [salt.hex(), *(one.hex() for row in hashes for one in row[:1]), *(str(row[1]) for row in hashes)]
    return house, cleo, games, [token, "telephone", *secrets]


async def test_a_search_finds_who_is_not_forgotten(lived: Any) -> None:
    house, cleo, _, secrets = lived
    found = traces(house.database, cleo, *secrets[1:])
    assert found == [str(cleo.id), "cleopatra", KEY, *secrets[1:]]


async def test_nothing_that_leads_to_a_forgotten_player_is_left_anywhere(lived: Any, logged: LogCapture) -> None:
    house, cleo, games, secrets = lived
    await forgotten(house, cleo)
    assert traces(house.database, cleo, *secrets) == [str(cleo.id)], "that they left is remembered for a minute"
    assert house.database.ask("select player_id from leaving") == [(cleo.id,)]
    house.database.put_ahead(LINGER + timedelta(seconds=1))
    async with house.pool.connection() as connection:
        assert await forgetting.forget_again(connection) == set()
    assert traces(house.database, cleo, *secrets) == []
    assert [one for one in (str(cleo.id), "Cleopatra", KEY, *secrets) if one in str(logged.entries)] == []
    assert await no_faults(house, *games.values())


async def test_running_games_retire_the_seat_and_open_ones_are_left(lived: Any) -> None:
    house, cleo, games, _ = lived
    came = await forgotten(house, cleo)
    assert (came.retired, came.left) == (4, 2)
    for name, seat in (("hosted", 0), ("joined", 1)):
        seen = await house.seen(None, games[name])
        assert (seen.status, seen.game.retired, seen.players[seat]) == (Status.RUNNING, (seat,), None)
        await house.play(games[name], 3)
    seen = await house.seen(None, games["for two"])
    assert seen.game.outcome is not None
    assert (seen.game.outcome.reason, seen.game.outcome.ranking) == ("resigned", ((0,), (1,)))
    seen = await house.seen(None, games["practice"])
    assert seen.game.outcome is not None
    assert seen.game.outcome.reason == "abandoned"
    seen = await house.seen(None, games["open"])
    assert (seen.status, seen.game.sitters) == (Status.OPEN, ("PERSON", None, None))
    assert house.database.ask("select status from games where game_id = %s", games["alone"]) == [("ENDED",)]
    assert (await house.seen(None, games["open and hosted"])).status is Status.OPEN


async def test_what_stands_in_their_place_is_made_of_the_game_and_the_place_alone(lived: Any) -> None:
    house, cleo, games, _ = lived
    await forgotten(house, cleo)
    for name, place in (("over", 0), ("open and hosted", HOSTING), ("not hers", ELSEWHERE), ("joined", 1)):
        nobody = left_id(games[name], place)
        senders = house.database.ask("select distinct sender_id from submissions where game_id = %s", games[name])
        assert (nobody,) in senders
    hosts = "select host_id from games where game_id = %s"
    assert house.database.ask(hosts, games["hosted"]) == [(left_id(games["hosted"], HOSTING),)]
    keys = "select key from submissions where game_id = %s and sender_id = %s and key <> submission_id::text"
    assert house.database.ask(keys, games["joined"], left_id(games["joined"], 1)) == []


async def test_a_forgotten_player_is_nobody_from_then_on(lived: Any) -> None:
    house, cleo, _, secrets = lived
    await forgotten(house, cleo)
    assert await house.service.accounts.player_of(secrets[0]) is None
    assert await house.service.accounts.player(cleo.id) is None
    again = await house.service.forget(cleo)
    opened = await house.service.open_game(cleo, "k", OpenGame("gravwell", 2), Visibility.PUBLIC, 2.0)
    made = await house.service.accounts.name_token(cleo, "one more")
    for answer in (again, opened, made):
        assert isinstance(answer, Refusal)
        assert answer.code == "NOT_SIGNED_IN"
    _, token = await newcomer(house, "cleopatra")
    assert await house.service.accounts.player_of(token) is not None, "the handle is free again"


async def test_what_another_process_still_took_from_them_is_found_a_minute_later(lived: Any) -> None:
    """A process believes a token for seconds; what it receives meanwhile is of somebody who is gone."""
    house, cleo, games, _ = lived
    await forgotten(house, cleo)
    assert (await house.send(cleo, games["open"], TakeSeat(), key=KEY)).status is APPLIED
    assert str(cleo.id) in house.database.dumped()
    house.database.put_ahead(LINGER + timedelta(seconds=1))
    async with house.pool.connection() as connection:
        house.writer.nudge(await forgetting.forget_again(connection))
    await house.quiet()
    assert traces(house.database, cleo) == []
    assert (await house.seen(None, games["open"])).game.sitters == ("PERSON", None, None)
    assert await no_faults(house, games["open"])


async def test_a_game_that_starts_before_nobody_can_leave_it_retires_the_seat(own_house: House) -> None:
    """What was pending before is decided before; a stale state in another process's memory changes nothing."""
    house, (ann, bob) = own_house, await own_house.players(2)
    cleo, _ = await newcomer(house, "Cleopatra")
    game_id = await house.open(ann, OpenGame("gravwell", 3))
    await house.send(cleo, game_id, TakeSeat())
    with house.database.holding(game_id):
        receipt = await house.send(bob, game_id, TakeSeat(), wait=0)
        assert receipt.status is PENDING
        forgetting_her = house.service.forget(cleo)
        task = asyncio.create_task(forgetting_her)
        await asyncio.sleep(0.1)
    await task
    await house.quiet()
    seen = await house.seen(None, game_id)
    assert seen.status is Status.RUNNING
    assert seen.game.retired == (1,)
    assert await no_faults(house, game_id)


async def test_a_quarantined_game_keeps_the_farewell_until_it_goes_on(own_house: House) -> None:
    house, (ann, bob) = own_house, await own_house.players(2)
    cleo, _ = await newcomer(house, "Cleopatra")
    game_id = await house.table(ann, cleo, bob)
    house.database.do("update games set quarantined_at = slowlight_now() where game_id = %s", game_id)
    await forgotten(house, cleo)
    pending = "select count(*) from submissions where game_id = %s and status = 'PENDING'"
    assert house.database.ask(pending, game_id) == [(1,)]
    house.database.do("update games set quarantined_at = null where game_id = %s", game_id)
    house.writer.nudge([game_id])
    await house.quiet()
    assert (await house.seen(None, game_id)).game.retired == (1,)
    assert await no_faults(house, game_id)


async def test_a_process_that_has_the_game_in_memory_retires_the_seat_as_well(
    own_house: House, another: Another
) -> None:
    ann, bob = await own_house.players(2)
    cleo, _ = await newcomer(own_house, "Cleopatra")
    game_id = await own_house.table(ann, cleo, bob)
    async with another(Role.API) as other:
        await other.play(game_id, 5)  # and so it has folded the game, with her on a seat
        async with own_house.pool.connection() as connection:
            assert await forgetting.forget(connection, cleo.id) is not None
        other.writer.nudge([game_id])
        await other.quiet()
        assert (await other.seen(None, game_id)).game.retired == (1,)
        assert (await other.seen(None, game_id)).players[1] is None
        await other.play(game_id, 5)
    assert await no_faults(own_house, game_id)
    assert traces(own_house.database, cleo) == [str(cleo.id)], "in the list of who is leaving"


async def test_a_worker_forgets_that_it_forgot(own_house: House, another: Another) -> None:
    cleo, _ = await newcomer(own_house, "Cleopatra")
    await forgotten(own_house, cleo)
    own_house.database.put_ahead(LINGER + timedelta(seconds=1))
    async with another(Role.WORKER):
        await until(lambda: own_house.database.ask("select 1 from leaving") == [])


async def test_nobody_becomes_the_host_of_a_game_they_never_hosted(own_house: House) -> None:
    house, (ann, bob) = own_house, await own_house.players(2)
    cleo, _ = await newcomer(house, "Cleopatra")
    game_id = await house.open(ann, OpenGame("gravwell", 2, start=False))
    await house.send(bob, game_id, TakeSeat())
    with house.database.holding(game_id):
        receipt = await house.send(cleo, game_id, StartGame(), wait=0)
        assert receipt.status is PENDING
        task = asyncio.create_task(house.service.forget(cleo))
        await asyncio.sleep(0.1)
    await task
    await house.quiet()
    assert (await house.seen(None, game_id)).status is Status.OPEN
