"""What is sealed reaches nobody through updates whom it is not for, however many follow alike."""

import json
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID

import pytest

from domain.game import OpenGame, StartGame
from domain.stream import salt_of
from schema.operations import Operations, Question
from service import hub
from service.seen import GameUpdate, Visibility
from tests.following.hall import Hall, Person, Served, game_id
from tests.following.speaking import speaking
from tests.service.database import Database

EVERYTHING = """
subscription ($game: ID!, $after: Int) { gameUpdates(gameId: $game, after: $after) {
  version
  events {
    id version name recordedAt actor summary data sealed opened canonical prevHash hash
    ... on GravwellFuelChosen { seat order { card stop } }
  }
  game {
    id status version headHash mySeat myTurnSince joinSecret awaiting deadline legalTurns createdAt
    seats { index player { id handle } bot awaited retired } outcome { reason ranking }
    view { ... on GravwellView { stage mySeat hand order { card stop } question { __typename } } }
    history(last: 100) { edges { node { data opened summary } } }
  } } }"""


def salts(database: Database, game: UUID) -> dict[str, set[int]]:
    """The salt of everything sealed in a game, in hex, with the seats whose it is to know."""
    ((secret,),) = database.ask("select secret from games where game_id = %s", game)
    found: dict[str, set[int]] = {}
    for version, public, sealed in database.events(game):
        said: Mapping[str, Any] = json.loads(public)
        for field in json.loads(sealed or "{}"):
            to = [said["cause"]["seat"]] if field == "$command" else said["sealed"][field]["to"]
            found[salt_of(secret, version, field).hex()] = {seat for seat in to if seat is not None}
    return found


async def assert_all_are_told_their_own(hall: Hall, site: Served) -> None:
    """Follow a game with all kinds of eyes, two of each, so that what one was told lies ready when the next asks."""
    ann, bob = await hall.pair()
    host = await hall.person()
    game = await hall.open(host.player, OpenGame("gravwell", 2, sit=False, start=False), Visibility.UNLISTED)
    for person in (ann, bob):
        await hall.sit(person, game)
    await hall.send(host.player, game, StartGame())
    followers: list[tuple[Person | None, int | None]] = [
        (ann, 0), (None, None), (bob, 1), (host, None), (await hall.person(), None), (ann, 0), (None, None), (bob, 1),
    ]  # fmt: skip
    async with AsyncExitStack() as stack:
        speakers = [await stack.enter_async_context(speaking(site)) for _ in followers]
        for speaker, (follower, _) in zip(speakers, followers, strict=True):
            await speaker.introduce(follower)
            await speaker.subscribe("1", EVERYTHING, game=game_id(game), after=0)
        told = [[await speaker.data("1")] for speaker in speakers]
        await hall.turns(game, 16)
        last = (await hall.seen(None, game)).version
        for speaker, updates in zip(speakers, told, strict=True):
            while updates[-1]["gameUpdates"]["version"] < last:
                updates.append(await speaker.data("1"))
    audiences = salts(hall.database, game)
    ((secret,),) = hall.database.ask("select secret from games where game_id = %s", game)
    assert {seat for audience in audiences.values() for seat in audience} == {0, 1}
    for (_, seat), updates in zip(followers, told, strict=True):
        text = json.dumps(updates)
        assert secret.hex() not in text
        assert {salt for salt in audiences if salt in text} == {salt for salt, to in audiences.items() if seat in to}
        games = [update["gameUpdates"]["game"] for update in updates]
        assert {game["mySeat"] for game in games} == {seat}
        for own in ([game["view"]["hand"] for game in games], [game["legalTurns"] for game in games]):
            assert any(own) == (seat is not None)


async def test_no_secret_reaches_a_follower_whom_it_is_not_for(hall: Hall, site: Served) -> None:
    await assert_all_are_told_their_own(hall, site)


def one_update_for_all(patch: pytest.MonkeyPatch) -> None:
    """What the first who looks may see is kept for whoever looks next."""
    kept: dict[Any, GameUpdate] = {}
    made = hub._update

    def update(whole: Any, page: Any, viewer: Any) -> GameUpdate:
        return kept.setdefault((whole.row.game_id, page.rows[0].version), made(whole, page, viewer))

    patch.setattr(hub, "_update", update)


def one_text_for_all(patch: pytest.MonkeyPatch) -> None:
    """A text is kept under its question and version, whoever it was made for."""
    kept: dict[Any, Any] = {}
    made = Operations.text

    def text(self: Operations, question: Question, update: GameUpdate) -> Any:
        return kept.setdefault((question, update.game.id, update.version), made(self, question, update))

    patch.setattr(Operations, "text", text)


@pytest.mark.parametrize("broken", [one_update_for_all, one_text_for_all])
async def test_what_is_kept_of_one_and_given_to_another_is_caught(
    hall: Hall, site: Served, monkeypatch: pytest.MonkeyPatch, broken: Callable[[pytest.MonkeyPatch], None]
) -> None:
    broken(monkeypatch)
    with pytest.raises(AssertionError):
        await assert_all_are_told_their_own(hall, site)


async def test_the_join_secret_is_for_those_who_sit_and_the_host(hall: Hall, site: Served) -> None:
    host, guest = await hall.pair()
    game = await hall.open(host.player, OpenGame("gravwell", 3), Visibility.PRIVATE)
    await hall.sit(guest, game)
    ((secret,),) = hall.database.ask("select join_secret from games where game_id = %s", game)
    for person, is_told in ((host, True), (guest, True), (await hall.person(), False), (None, False)):
        async with speaking(site) as speaker:
            await speaker.introduce(person)
            await speaker.subscribe("1", EVERYTHING, game=game_id(game), after=0)
            assert (secret in json.dumps(await speaker.hear())) == is_told
