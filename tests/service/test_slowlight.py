"""What people may ask of the service: pages, cursors, games as they were, and nothing of what is not theirs."""

import asyncio
import json
from base64 import urlsafe_b64encode
from datetime import timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain.catalogue import NEWEST
from domain.game import LeaveSeat, OpenGame, Resign, Sitter, Status, TakeSeat
from domain.ruleset import HIDDEN, Secret
from domain.rulesets.gravwell.board import Fuel
from domain.rulesets.gravwell.commands import DraftStack, PlayFuel, Stop
from domain.rulesets.gravwell.events import FuelChosen
from service import viewing
from service.deciding import Timer, wanted_timers
from service.seen import BadCursor, EventSeen, GameSeen, Player, Receipt, Refusal, Visibility
from service.streams import Stream, Streams, game_rows
from tests.rulesets.toy import Guess
from tests.service.house import APPLIED, House


def cursor(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


async def played(house: House, turns: int = 6) -> tuple[list[Player], UUID]:
    """Two players and a game of theirs, some turns on."""
    players = await house.players(2)
    game_id = await house.table(*players)
    await house.play(game_id, turns)
    return players, game_id


async def at_fuel(house: House) -> tuple[list[Player], UUID]:
    """Two players at the choice of their fuel."""
    players, game_id = await played(house, 0)
    while (await house.seen(None, game_id)).view.draft is not None:
        await house.play(game_id, 1)
    return players, game_id


async def history(house: House, seen: GameSeen, **asked: Any) -> tuple[list[int], list[str], bool, bool]:
    """The versions of a page, their cursors, and whether there is more after and before it."""
    page = await house.service.history(seen, **({"first": None, "after": None, "last": None, "before": None} | asked))
    versions = [event.version for event in page.items]
    return versions, list(page.cursors), page.has_next, page.has_previous


async def test_a_history_is_paged_forwards_to_its_end(house: House) -> None:
    _, game_id = await played(house)
    seen = await house.seen(None, game_id)
    everything: list[int] = []
    after = None
    for _ in range(99):
        versions, cursors, has_next, has_previous = await history(house, seen, first=4, after=after)
        assert has_previous is (after is not None)
        everything += versions
        after = cursors[-1]
        if not has_next:
            break
        assert len(versions) == 4
    assert everything == list(range(1, seen.version + 1))


async def test_a_history_is_paged_backwards_to_its_beginning(house: House) -> None:
    _, game_id = await played(house)
    seen = await house.seen(None, game_id)
    everything: list[int] = []
    before = None
    for _ in range(99):
        versions, cursors, has_next, has_previous = await history(house, seen, last=4, before=before)
        assert has_next is (before is not None)
        everything = versions + everything
        before = cursors[0]
        if not has_previous:
            break
        assert len(versions) == 4
    assert everything == list(range(1, seen.version + 1))


async def test_a_page_lies_between_its_cursors(house: House) -> None:
    _, game_id = await played(house)
    seen = await house.seen(None, game_id)
    _, cursors, _, _ = await history(house, seen, first=10)
    third, seventh = cursors[2], cursors[6]
    assert (await history(house, seen, first=2, after=third, before=seventh))[0] == [4, 5]
    assert (await history(house, seen, last=2, after=third, before=seventh))[0] == [5, 6]
    assert (await history(house, seen, first=100, after=third, before=seventh))[::2] == ([4, 5, 6], False)
    assert (await history(house, seen, first=3, last=2))[0] == [2, 3]
    assert (await history(house, seen, first=5, after=seventh, before=third))[0] == []


async def test_a_history_ends_where_the_game_was_seen(house: House) -> None:
    _, game_id = await played(house)
    seen = await house.seen(None, game_id, at=5)
    assert (await history(house, seen, first=100))[::2] == ([1, 2, 3, 4, 5], False)
    assert (await history(house, seen, last=2))[0] == [4, 5]


async def test_the_cursors_of_a_history_stay_good_while_it_grows(house: House) -> None:
    _, game_id = await played(house)
    seen = await house.seen(None, game_id)
    _, cursors, has_next, _ = await history(house, seen, first=100)
    assert has_next is False
    await house.play(game_id, 1)
    grown = await house.seen(None, game_id)
    assert (await history(house, grown, first=1, after=cursors[-1]))[0] == [seen.version + 1]


BAD_CURSORS = (
    "",
    "x",
    "====",
    "!!!!",
    "ä",
    "\0",
    "\ud800",
    cursor("-1"),
    cursor("1.5"),
    cursor("one"),
    cursor("1 "),
    cursor("٣"),
    cursor("9" * 30),
    cursor(""),
    cursor("2026-01-01T00:00:00+00:00 not-an-id"),
    cursor(f"yesterday {uuid4()}"),
    "A" * 10_000,
)


@pytest.mark.parametrize("bad", BAD_CURSORS)
async def test_a_cursor_that_nobody_gave_is_refused_as_such(house: House, bad: str) -> None:
    player = await house.player()
    game_id = await house.open(player, OpenGame("gravwell", 2))
    seen = await house.seen(player, game_id)
    for asked in ({"after": bad}, {"before": bad}, {"last": 3, "before": bad}):
        with pytest.raises(BadCursor):
            await history(house, seen, **asked)
    with pytest.raises(BadCursor):
        await house.service.games(None, None, None, 10, bad)
    with pytest.raises(BadCursor):
        await house.service.my_games(player, None, 10, bad)


async def test_the_public_games_are_paged_newest_first(own_house: House) -> None:
    host = await own_house.player()
    opened = [await own_house.open(host, OpenGame("gravwell", 2)) for _ in range(7)]
    await own_house.open(host, OpenGame("gravwell", 2), Visibility.UNLISTED)
    await own_house.open(host, OpenGame("gravwell", 2), Visibility.PRIVATE)
    found: list[UUID] = []
    after = None
    while True:
        page = await own_house.service.games(None, None, None, 3, after)
        found += [seen.id for seen in page.items]
        assert page.has_previous is (after is not None)
        if not page.has_next:
            break
        after = page.cursors[-1]
        await own_house.open(host, OpenGame("gravwell", 2), Visibility.UNLISTED)
    assert found == opened[::-1]


async def test_games_of_the_same_moment_are_each_listed_once(own_house: House) -> None:
    host = await own_house.player()
    opened = {await own_house.open(host, OpenGame("gravwell", 2)) for _ in range(6)}
    own_house.database.do("update games set created_at = '2026-01-01T00:00:00Z'")
    found: list[UUID] = []
    after = None
    for _ in range(3):
        page = await own_house.service.games(None, None, None, 2, after)
        found += [seen.id for seen in page.items]
        after = page.cursors[-1]
    assert len(found) == 6
    assert set(found) == opened
    assert page.has_next is False


async def test_games_are_listed_by_status_and_ruleset(own_house: House) -> None:
    players = await own_house.players(2)
    still_open = await own_house.open(players[0], OpenGame("gravwell", 2))
    running = await own_house.table(*players)
    over = await own_house.table(*players)
    await own_house.send(players[0], over, Resign())

    async def listed(status: Status | None, ruleset: str | None) -> list[UUID]:
        page = await own_house.service.games(None, status, ruleset, 10, None)
        return [seen.id for seen in page.items]

    assert await listed(Status.OPEN, None) == [still_open]
    assert await listed(Status.RUNNING, "gravwell") == [running]
    assert await listed(Status.ENDED, None) == [over]
    assert await listed(Status.PAUSED, None) == []
    assert await listed(None, "novagravity") == []
    assert await listed(None, None) == [over, running, still_open]


async def test_ones_own_games_are_those_one_sits_in_or_hosts(own_house: House) -> None:
    me, other = await own_house.players(2)
    hosted = await own_house.open(me, OpenGame("gravwell", 2, sit=False), Visibility.PRIVATE)
    running = await own_house.table(me, other)
    joined = await own_house.open(other, OpenGame("gravwell", 3))
    await own_house.open(other, OpenGame("gravwell", 3))
    await own_house.send(me, joined, TakeSeat())

    async def mine(awaiting_me: bool | None) -> list[UUID]:
        page = await own_house.service.my_games(me, awaiting_me, 10, None)
        return [seen.id for seen in page.items]

    assert await mine(None) == [joined, running, hosted]
    awaited = (await own_house.awaited(running)) == me
    assert await mine(True) == ([running] if awaited else [])
    assert await mine(False) == [game_id for game_id in (joined, running, hosted) if not awaited or game_id != running]
    await own_house.send(me, joined, LeaveSeat())
    assert await mine(None) == [running, hosted]
    assert (await own_house.service.my_games(None, None, 10, None)).items == ()


async def test_a_game_is_seen_as_it_was_at_any_version(house: House) -> None:
    players, game_id = await played(house, 10)
    now = await house.seen(players[0], game_id)
    hashes: dict[int, bytes] = dict(house.database.ask("select version, hash from events where game_id = %s", game_id))
    for version in range(1, now.version + 1):
        seen = await house.seen(players[0], game_id, at=version)
        assert (seen.version, seen.head_hash) == (version, hashes[version].hex())
        assert (seen.view is None) is (version <= 4)
    assert await house.seen(players[0], game_id, at=now.version) == now
    assert (await house.seen(None, game_id, at=2)).status is Status.OPEN


@pytest.mark.parametrize("at", [0, -1, 10**6, 2**31, 2**63])
async def test_a_version_that_there_is_not_answers_nothing(house: House, at: int) -> None:
    player = await house.player()
    game_id = await house.open(player, OpenGame("gravwell", 2))
    assert await house.service.game(player, game_id, at) is None


async def test_a_private_game_answers_those_outside_exactly_as_one_that_does_not_exist(house: House) -> None:
    host, guest, stranger = await house.players(3)
    private = await house.open(host, OpenGame("gravwell", 3), Visibility.PRIVATE)
    join_secret = (await house.seen(host, private)).join_secret
    receipt = await house.send(guest, private, TakeSeat(), join_secret=join_secret)
    nowhere = uuid4()
    for viewer in (stranger, None):
        for game_id in (private, nowhere):
            assert await house.service.game(viewer, game_id) is None
            assert await house.service.game(viewer, game_id, 1) is None
            assert await house.service.receipt(viewer, game_id, receipt.id) is None
        answers = [await house.service.submit(viewer, game_id, "key", TakeSeat()) for game_id in (private, nowhere)]
        assert answers[0] == answers[1]
        assert isinstance(answers[0], Refusal)
    assert private not in [seen.id for seen in (await house.service.games(stranger, None, None, 100, None)).items]
    assert (await house.seen(host, private)).my_seat == 0
    assert (await house.seen(guest, private)).my_seat == 1


async def test_who_left_a_private_game_is_outside_again(house: House) -> None:
    host, guest = await house.players(2)
    private = await house.open(host, OpenGame("gravwell", 3), Visibility.PRIVATE)
    join_secret = (await house.seen(host, private)).join_secret
    await house.send(guest, private, TakeSeat(), join_secret=join_secret)
    await house.send(guest, private, LeaveSeat())
    assert await house.service.game(guest, private) is None
    assert await house.refused(guest, private, TakeSeat()) == "UNKNOWN_GAME"


async def test_an_unlisted_game_is_seen_by_whoever_knows_its_id(house: House) -> None:
    host, stranger = await house.players(2)
    unlisted = await house.open(host, OpenGame("gravwell", 3), Visibility.UNLISTED)
    for viewer in (host, stranger, None):
        assert (await house.seen(viewer, unlisted)).id == unlisted
    assert unlisted not in [seen.id for seen in (await house.service.games(host, None, None, 100, None)).items]


async def test_a_receipt_is_for_its_sender_alone(house: House) -> None:
    (sender, rival), game_id = await at_fuel(house)
    stranger = await house.player()
    receipt = await house.turn(sender, game_id)
    assert await house.receipt(sender, receipt) == receipt
    for viewer in (rival, stranger, None):
        assert await house.service.receipt(viewer, game_id, receipt.id) is None
    assert await house.service.receipt(sender, uuid4(), receipt.id) is None
    assert await house.service.receipt(sender, game_id, uuid4()) is None


async def test_a_receipt_leads_to_the_events_as_its_sender_may_see_them(house: House) -> None:
    (sender, _), game_id = await at_fuel(house)
    card = (await house.seen(sender, game_id)).view.hand[0]
    receipt = await house.send(sender, game_id, PlayFuel(card, Stop.NEVER))
    (chosen,) = await house.service.receipt_events(sender, receipt)
    assert (chosen.version, chosen.name) == (receipt.version, "gravwell.fuel_chosen")
    assert chosen.event.order.known.card is card
    assert set(chosen.opened) == {"order", "$command"}
    assert await house.service.receipt_events(None, receipt) == ()


async def test_a_sealed_order_is_seen_by_its_seat_alone_until_the_end(house: House) -> None:
    (sender, rival), game_id = await at_fuel(house)
    card = (await house.seen(sender, game_id)).view.hand[0]
    receipt = await house.send(sender, game_id, PlayFuel(card, Stop.NEVER))
    assert receipt.version is not None

    after = cursor(str(receipt.version - 1))

    async def event(viewer: Player | None) -> EventSeen:
        page = await house.service.history(await house.seen(viewer, game_id), 1, after, None, None)
        return page.items[0]

    mine = await event(sender)
    assert mine.data["order"] == {"card": card.value, "stop": "NEVER"}
    for viewer in (rival, None, await house.player()):
        theirs = await event(viewer)
        assert theirs.event == FuelChosen(
            (await house.seen(sender, game_id)).my_seat or 0, Secret(HIDDEN, mine.event.order.to)
        )
        assert "order" not in theirs.data
        assert theirs.opened == {}
        assert theirs.canonical == mine.canonical
        assert theirs.sealed == mine.sealed
    await house.send(rival, game_id, Resign())
    for viewer in (rival, None):
        assert (await event(viewer)).data == mine.data
        assert (await event(viewer)).opened == mine.opened


async def test_what_was_hidden_then_stays_hidden_in_a_game_seen_as_it_was(house: House) -> None:
    (sender, rival), game_id = await at_fuel(house)
    version = (await house.seen(None, game_id)).version
    then = {viewer: (await house.seen(viewer, game_id)).view for viewer in (sender, rival, None)}
    await house.send(rival, game_id, Resign())
    for viewer, view in then.items():
        seen = await house.seen(viewer, game_id, at=version)
        assert seen.opened is True
        assert seen.view == view
    assert then[sender] != then[rival] != then[None]


async def test_a_turn_decided_at_an_old_choice_is_stale(house: House) -> None:
    players, game_id = await played(house, 0)
    player = await house.awaited(game_id)
    seen = await house.seen(player, game_id)
    since = seen.my_turn_since
    assert since is not None
    turn = seen.legal_turns[0]
    for version in (since - 1, seen.version + 1, 0, -1, 2**53):
        assert await house.refused(player, game_id, turn, expected_version=version) == "STALE"
    assert (await house.send(player, game_id, turn, expected_version=since)).status is APPLIED
    assert players


async def test_two_tabs_of_one_player_do_not_overwrite_each_other(house: House) -> None:
    (sender, _), game_id = await at_fuel(house)
    hand: tuple[Fuel, ...] = (await house.seen(sender, game_id)).view.hand
    since = (await house.seen(sender, game_id)).my_turn_since
    receipts = await asyncio.gather(
        *(house.send(sender, game_id, PlayFuel(card, Stop.NEVER), expected_version=since) for card in hand[:2])
    )
    assert sorted(receipt.status for receipt in receipts) == ["APPLIED", "REFUSED"]
    assert [receipt.refusal.code for receipt in receipts if receipt.refusal] == ["STALE"]


async def test_the_sealed_order_of_a_rival_makes_nothing_stale(house: House) -> None:
    (sender, rival), game_id = await at_fuel(house)
    since = (await house.seen(sender, game_id)).my_turn_since
    await house.turn(rival, game_id)
    assert (await house.seen(sender, game_id)).my_turn_since == since
    assert (await house.turn(sender, game_id, expected_version=since)).status is APPLIED


@pytest.mark.parametrize("key", ["", "x" * 65, "a b", "ä", "\0", "\ud800", "\n", "k\n"])
async def test_a_key_is_1_to_64_printable_characters(house: House, key: str) -> None:
    player = await house.player()
    game_id = await house.open(player, OpenGame("gravwell", 2))
    for answer in (
        await house.service.submit(player, game_id, key, LeaveSeat()),
        await house.service.open_game(player, key, OpenGame("gravwell", 2), Visibility.PUBLIC, 0),
    ):
        assert isinstance(answer, Refusal)
        assert answer.code == "BAD_KEY"


async def test_nobody_plays_without_signing_in(house: House) -> None:
    _, game_id = await played(house, 0)
    for answer in (
        await house.service.submit(None, game_id, "key", DraftStack(0)),
        await house.service.open_game(None, "key", OpenGame("gravwell", 2), Visibility.PUBLIC, 0),
    ):
        assert isinstance(answer, Refusal)
        assert answer.code == "NOT_SIGNED_IN"


async def test_a_turn_of_another_title_is_refused(house: House) -> None:
    (player, _), game_id = await played(house, 0)
    answer = await house.service.submit(player, game_id, "other", Guess(1))
    assert answer == Refusal("WRONG_RULESET", "This game is played by the rules of gravwell.", {"ruleset": "gravwell"})
    assert (await house.send(player, game_id, OpenGame("gravwell", 2))).refusal == answer


async def in_step(house: House, game_id: UUID) -> None:
    """What stands beside a stream says the same as a fold of it from its first event."""
    async with house.pool.connection() as connection:
        (row,) = await game_rows(connection, [game_id])
        stream = (await Streams().load(connection, {game_id: row.version}))[game_id]
    assert isinstance(stream, Stream)
    game = stream.game
    assert (row.version, row.head_hash, row.head_at) == (game.version, stream.head.hash, stream.head.at)
    assert (row.status, tuple(row.awaiting), row.deadline) == (game.status, game.awaiting, game.deadline)
    assert [player is not None for player in row.players] == [sitter is Sitter.PERSON for sitter in game.sitters]
    timers = [
        Timer(game_id, *timer)
        for timer in house.database.ask("select kind, seat, due, version from timers where game_id = %s", game_id)
    ]
    assert {(timer.kind, timer.seat): timer.identity for timer in timers} == wanted_timers(game, stream.created_at)
    cached = house.service._streams.cached(game_id)
    assert cached is None or cached == stream
    assert [json.loads(public)["version"] for _, public, _ in house.database.events(game_id)] == list(
        range(1, row.version + 1)
    )


@pytest.mark.parametrize("ruleset", sorted(NEWEST))
async def test_what_stands_beside_a_stream_equals_its_fold_after_any_play(house: House, ruleset: str) -> None:
    chance = Random(ruleset)
    for seats in NEWEST[ruleset].seats:
        players = await house.players(seats)
        game_id = await house.open(players[0], OpenGame(ruleset, seats, turn_seconds=3600))
        await in_step(house, game_id)
        for player in players[1:]:
            await house.send(player, game_id, TakeSeat())
        await in_step(house, game_id)
        for nth in range(24):
            seen = await house.seen(None, game_id)
            if seen.status is not Status.RUNNING:
                break
            awaited = seen.players[chance.choice(seen.game.awaiting)]
            assert awaited is not None
            turns = (await house.seen(awaited, game_id)).legal_turns
            if nth % 8 == 7:
                house.database.put_ahead(timedelta(hours=1, seconds=2))
                await house.sweep()
            elif nth == 20 and seats > 2:
                await house.send(awaited, game_id, Resign())
            else:
                receipt: Receipt = await house.send(awaited, game_id, chance.choice(turns))
                assert receipt.status is APPLIED
        await in_step(house, game_id)


async def test_whoever_leaves_while_they_are_answered_does_not_see_the_hand_of_who_comes(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, leaver, comer, last = await house.players(4)
    options = {"random_deal": True, "age_rank": [0, 1, 2]}
    game_id = await house.open(host, OpenGame("gravwell", 3, options=options))
    await house.send(leaver, game_id, TakeSeat(1))
    folded = viewing.folded_to_head

    async def while_seats_change(*asked: Any) -> Any:
        monkeypatch.setattr("service.slowlight.folded_to_head", folded)
        await house.send(leaver, game_id, LeaveSeat())
        await house.send(comer, game_id, TakeSeat(1))
        await house.send(last, game_id, TakeSeat(2))
        return await folded(*asked)

    monkeypatch.setattr("service.slowlight.folded_to_head", while_seats_change)
    seen = await house.seen(leaver, game_id)
    assert seen.status is Status.RUNNING
    assert seen.my_seat is None
    assert seen.legal_turns == ()
    assert seen.view.hand is None
    assert (await house.seen(comer, game_id)).view.hand is not None


async def test_a_key_that_is_known_answers_whoever_left_a_private_game_with_it(house: House) -> None:
    host, guest = await house.players(2)
    game_id = await house.open(host, OpenGame("gravwell", 3), Visibility.PRIVATE)
    secret = (await house.seen(host, game_id)).join_secret
    await house.send(guest, game_id, TakeSeat(), join_secret=secret)
    left = await house.send(guest, game_id, LeaveSeat(), key="bye")
    assert left.status is APPLIED
    assert await house.send(guest, game_id, LeaveSeat(), key="bye") == left
    refused = await house.service.submit(guest, game_id, "hello?", LeaveSeat())
    assert isinstance(refused, Refusal)
    assert refused.code == "UNKNOWN_GAME"
