"""Accounts: handles that are nobody else's, and tokens of which the database knows only a hash."""

import asyncio
from base64 import urlsafe_b64decode
from datetime import timedelta
from itertools import count
from uuid import uuid4

import pytest

from service.accounts import Accounts
from service.seen import Player, Refusal, Registered
from tests.service.house import House

_number = count()


def fresh() -> str:
    """A handle that nobody has."""
    return f"Anna-{next(_number)}"


async def registered(accounts: Accounts, handle: str | None = None, key: str | None = None) -> Registered:
    answer = await accounts.register(handle or fresh(), key)
    assert isinstance(answer, Registered), answer
    return answer


async def refused(accounts: Accounts, handle: str, key: str | None = None) -> str:
    answer = await accounts.register(handle, key)
    assert isinstance(answer, Refusal), answer
    return answer.code


@pytest.mark.parametrize("handle", ["abc", "Z" * 32, "a-1", "A_b-C_9", "x--"])
async def test_a_handle_is_a_letter_and_2_to_31_letters_digits_and_dashes(house: House, handle: str) -> None:
    assert (await registered(house.service.accounts, handle)).player.handle == handle


@pytest.mark.parametrize(
    "handle",
    [
        "",
        "ab",
        "a" * 33,
        "1abc",
        "_abc",
        "-abc",
        "a bc",
        "abc\n",
        "ab\0c",
        "ärger",
        "\uff41\uff42\uff43",
        "ab\ud800c",
        "a.b",
        "abc@x",
    ],
)
async def test_other_handles_are_refused(house: House, handle: str) -> None:
    answer = await house.service.accounts.register(handle, None)
    assert isinstance(answer, Refusal)
    assert (answer.code, answer.facts) == ("BAD_HANDLE", {"least": 3, "most": 32})


async def test_a_handle_is_taken_whatever_its_case(house: House) -> None:
    first = await registered(house.service.accounts, "Marguerite")
    for handle in ("Marguerite", "MARGUERITE", "mArGuErItE"):
        assert await refused(house.service.accounts, handle) == "HANDLE_TAKEN"
        assert await house.service.accounts.by_handle(handle) == first.player
    assert await house.service.accounts.by_handle("Marguerite2") is None


async def test_of_many_who_want_one_handle_at_once_one_gets_it(house: House, neighbour: House) -> None:
    handle = fresh()
    answers = await asyncio.gather(
        *(
            (house, neighbour)[nth % 2].service.accounts.register(handle.swapcase() if nth % 3 else handle, None)
            for nth in range(12)
        )
    )
    assert len([answer for answer in answers if isinstance(answer, Registered)]) == 1
    assert {answer.code for answer in answers if isinstance(answer, Refusal)} == {"HANDLE_TAKEN"}


async def test_a_token_is_256_random_bits_and_tells_whose_it_is(house: House, neighbour: House) -> None:
    first, second = [await registered(house.service.accounts) for _ in range(2)]
    for one in (first, second):
        assert len(urlsafe_b64decode(one.token + "=")) == 32
        assert await house.service.accounts.player_of(one.token) == one.player
        assert await neighbour.service.accounts.player_of(one.token) == one.player
    assert first.token != second.token


@pytest.mark.parametrize("text", ["", "x", "\0", "\ud800", "ä" * 9, "A" * 43, "A" * 100_000])
async def test_any_other_text_is_nobodys(house: House, text: str) -> None:
    assert await house.service.accounts.player_of(text) is None


async def test_no_token_can_be_read_out_of_the_database(house: House) -> None:
    accounts = house.service.accounts
    first = await registered(accounts)
    second = await accounts.name_token(first.player, "second")
    assert not isinstance(second, Refusal)
    for text in (first.token, second[1]):
        assert await accounts.player_of(text) == first.player
    dump = house.database.dumped()
    assert str(first.player.id) in dump
    for text in (first.token, second[1]):
        raw = urlsafe_b64decode(text + "=")
        assert text not in dump
        assert raw.hex() not in dump
        assert text.encode().hex() not in dump


async def test_tokens_are_named_and_listed_oldest_first(house: House) -> None:
    accounts = house.service.accounts
    player = (await registered(accounts)).player
    for name in ("laptop", "Ärger ☂", "x" * 64):
        answer = await accounts.name_token(player, name)
        assert not isinstance(answer, Refusal)
        assert answer[0].name == name
    assert [token.name for token in await accounts.tokens(player)] == ["first", "laptop", "Ärger ☂", "x" * 64]
    assert {token.last_used_at for token in await accounts.tokens(player)} == {None}


@pytest.mark.parametrize("name", ["", "x" * 65, "a\0", "a\nb", "\x7f", "\ud800"])
async def test_a_token_has_a_name_of_printable_text(house: House, name: str) -> None:
    player = (await registered(house.service.accounts)).player
    answer = await house.service.accounts.name_token(player, name)
    assert isinstance(answer, Refusal)
    assert answer.code == "BAD_NAME"


async def test_a_player_has_twenty_tokens_at_most(house: House) -> None:
    accounts = house.service.accounts
    player = (await registered(accounts)).player
    for nth in range(19):
        assert not isinstance(await accounts.name_token(player, f"number {nth}"), Refusal)
    answer = await accounts.name_token(player, "one more")
    assert isinstance(answer, Refusal)
    assert (answer.code, answer.facts) == ("TOO_MANY_TOKENS", {"most": 20})
    assert await accounts.revoke_token(player, (await accounts.tokens(player))[3].id)
    assert not isinstance(await accounts.name_token(player, "one more"), Refusal)


async def test_a_token_that_is_revoked_is_nobodys(
    house: House, neighbour: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.accounts.BEARER_SECONDS", 0.05)
    accounts = house.service.accounts
    one = await registered(accounts)
    for where in (house, neighbour):
        assert await where.service.accounts.player_of(one.token) == one.player
    (token,) = await accounts.tokens(one.player)
    assert await accounts.revoke_token(one.player, token.id) is True
    assert await accounts.player_of(one.token) is None
    await asyncio.sleep(0.06)
    assert await neighbour.service.accounts.player_of(one.token) is None
    assert await accounts.revoke_token(one.player, token.id) is False
    assert await accounts.tokens(one.player) == ()


async def test_nobody_revokes_what_is_not_theirs(house: House) -> None:
    accounts = house.service.accounts
    one, other = [await registered(accounts) for _ in range(2)]
    (token,) = await accounts.tokens(one.player)
    assert await accounts.revoke_token(other.player, token.id) is False
    assert await accounts.revoke_token(other.player, uuid4()) is False
    assert await accounts.player_of(one.token) == one.player


async def test_the_use_of_a_token_is_noted_once_an_hour(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.accounts.BEARER_SECONDS", 0.0)
    accounts = house.service.accounts
    one = await registered(accounts)

    async def used(after: timedelta) -> object:
        house.database.put_ahead(after)
        await accounts.player_of(one.token)
        return (await accounts.tokens(one.player))[0].last_used_at

    first = await used(timedelta(0))
    assert first is not None
    assert await used(timedelta(minutes=50)) == first
    later = await used(timedelta(minutes=11))
    assert later != first
    assert await used(timedelta(minutes=1)) == later


async def test_who_lost_the_answer_registers_again_under_the_same_key(house: House) -> None:
    accounts = house.service.accounts
    lost = await registered(accounts, key="k-1", handle="Rosalind")
    again = await registered(accounts, key="k-1", handle="Rosalind")
    assert again.player == lost.player
    assert await accounts.player_of(lost.token) is None
    assert await accounts.player_of(again.token) == lost.player
    assert len(await accounts.tokens(lost.player)) == 1


@pytest.mark.parametrize(("handle", "key"), [("Celia", "other"), ("Celia", None), ("CELIA", "mine")])
async def test_nobody_else_registers_again(house: House, handle: str, key: str | None) -> None:
    accounts = house.service.accounts
    await accounts.register("Celia", "mine")
    assert await refused(accounts, handle, key) == "HANDLE_TAKEN"


async def test_an_account_in_use_is_not_registered_again(house: House) -> None:
    accounts = house.service.accounts
    handle = fresh()
    one = await registered(accounts, handle, "k-2")
    assert await accounts.player_of(one.token) == one.player
    assert await refused(accounts, handle, "k-2") == "HANDLE_TAKEN"
    assert await accounts.player_of(one.token) == one.player


async def test_an_account_whose_first_token_is_gone_is_not_registered_again(house: House) -> None:
    accounts = house.service.accounts
    handle = fresh()
    one = await registered(accounts, handle, "k-3")
    second = await accounts.name_token(one.player, "second")
    assert not isinstance(second, Refusal)
    assert await accounts.player_of(second[1]) == one.player
    assert await refused(accounts, handle, "k-3") == "HANDLE_TAKEN"


async def test_after_ten_minutes_a_registration_is_over(house: House) -> None:
    accounts = house.service.accounts
    handle = fresh()
    await registered(accounts, handle, "k-4")
    house.database.put_ahead(timedelta(minutes=9, seconds=50))
    await registered(accounts, handle, "k-4")
    house.database.put_ahead(timedelta(seconds=15))
    assert await refused(accounts, handle, "k-4") == "HANDLE_TAKEN"


async def test_many_registrations_at_once_under_one_key_make_one_account_with_one_token(
    house: House, neighbour: House
) -> None:
    handle = fresh()
    answers = await asyncio.gather(
        *((house, neighbour)[nth % 2].service.accounts.register(handle, "k-5") for nth in range(8))
    )
    made = [answer for answer in answers if isinstance(answer, Registered)]
    assert len({one.player.id for one in made}) == 1
    assert {answer.code for answer in answers if isinstance(answer, Refusal)} <= {"HANDLE_TAKEN"}
    alive = [one for one in made if await neighbour.service.accounts.player_of(one.token) == made[0].player]
    assert len(alive) == 1


@pytest.mark.parametrize("key", ["", "x" * 65, "a b", "ä", "\n"])
async def test_a_key_to_register_under_is_a_key(house: House, key: str) -> None:
    assert await refused(house.service.accounts, fresh(), key) == "BAD_KEY"


async def test_an_account_is_found_by_its_id(house: House) -> None:
    one = await registered(house.service.accounts)
    assert await house.service.accounts.player(one.player.id) == one.player
    assert await house.service.accounts.player(uuid4()) is None


async def test_every_player_has_a_salt_of_their_own(house: House) -> None:
    players: list[Player] = await house.players(2)
    salts = [await house.service.accounts.salt_of(player) for player in (*players, players[0])]
    assert [len(salt) for salt in salts] == [16] * 3
    assert salts[0] == salts[2] != salts[1]
