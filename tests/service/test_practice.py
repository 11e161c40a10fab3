"""Practice games and old rules, on a running service: what is forked, and what goes on as it began."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain.catalogue import CATALOGUE, AnyRuleset
from domain.game import LeaveSeat, OpenGame, Resign, Status, TakeSeat
from domain.rulesets.gravwell.board import Fuel, Kind
from domain.rulesets.gravwell.commands import PlayFuel, Stop
from service import replaying, store
from service.codec import codec_of
from service.impact import impact_on_all
from service.redeciding import decided, decided_anew
from service.seen import GameSeen, Player, Receipt, Refusal, Visibility
from service.streams import game_rows, tails_of
from tests.service.house import APPLIED, House


@pytest.fixture(scope="module")
async def finished(house: House) -> UUID:
    """A game of Gravwell for two that went on for a while and was resigned."""
    ann, bob = await house.players(2)
    game_id = await house.table(ann, bob)
    await house.play(game_id, 18)
    await house.send(bob, game_id, Resign())
    return game_id


async def forked(house: House, player: Player, source: UUID, at: int, rules: int | None = None) -> UUID:
    receipt = await house.service.fork_game(player, uuid4().hex, source, at, rules, 2.0)
    assert isinstance(receipt, Receipt), receipt
    assert receipt.status is APPLIED
    return receipt.game_id


async def refusal(house: House, player: Player | None, source: UUID, at: int, **how: Any) -> tuple[str, Any]:
    refused = await house.service.fork_game(player, uuid4().hex, source, at, how.get("rules"), 2.0)
    assert isinstance(refused, Refusal)
    return refused.code, refused.facts


async def ends(house: House, game_id: UUID) -> list[int]:
    """The versions of the last events of a game's decisions."""
    firsts = [at for at, public, _ in house.database.events(game_id) if "first" not in json.loads(public)["cause"]]
    return [first - 1 for first in firsts[1:]] + [(await house.seen(None, game_id)).version]


async def test_a_practice_game_stands_where_the_other_stood_and_its_forker_sits_everywhere(
    house: House, finished: UUID
) -> None:
    cleo = await house.player()
    at = (await ends(house, finished))[15]
    game_id = await forked(house, cleo, finished, at)
    seen, then = await house.seen(cleo, game_id), await house.seen(None, finished, at)
    assert seen.game.state == then.game.state
    assert (seen.version, seen.status, seen.visibility) == (2, Status.RUNNING, Visibility.UNLISTED)
    assert seen.players == (cleo, cleo)
    assert seen.my_seat == then.game.awaiting[0]
    assert seen.legal_turns
    assert seen.game.fork is not None
    assert (seen.game.fork.game, seen.game.fork.version, seen.game.fork.hash) == (str(finished), at, then.head_hash)


async def test_its_stream_folds_and_is_decided_again_without_the_other(house: House, finished: UUID) -> None:
    cleo = await house.player()
    game_id = await forked(house, cleo, finished, (await ends(house, finished))[15])
    for _ in range(6):
        assert (await house.turn(cleo, game_id)).status is APPLIED
    await house.send(cleo, game_id, Resign())
    async with await store.connect(house.database.url) as connection:
        replayed = await replaying.replay(connection, game_id)
        (row,) = await game_rows(connection, [game_id])
        tail = (await tails_of(connection, {game_id: (0, row.version)}))[game_id]
    assert replayed is not None
    assert replayed.faults == ()
    assert replayed.game is not None
    assert replayed.game.outcome is not None
    assert replayed.game.outcome.reason == "abandoned"
    codec = codec_of("gravwell", row.rules)
    for one in decided(codec, tail):
        assert decided_anew(codec, one.before, one.stored, row.secret).events == one.events


async def test_a_version_within_a_decision_stands_for_the_one_before(house: House, finished: UUID) -> None:
    cleo, last = await house.player(), await ends(house, finished)
    cut = next(at for at in range(last[5], last[-2]) if at not in last)
    seen = await house.seen(cleo, await forked(house, cleo, finished, cut))
    assert seen.game.fork is not None
    assert seen.game.fork.version == max(at for at in last if at < cut)


async def test_the_true_line_is_seen_beside_it(house: House, finished: UUID) -> None:
    cleo, at = await house.player(), (await ends(house, finished))[15]
    game_id = await forked(house, cleo, finished, at)
    seen = await house.seen(cleo, game_id)
    assert seen.game.fork is not None
    page = await house.service.true_line(cleo, seen.game.fork, 3, None)
    assert page is not None
    assert [event.version for event in page.items] == [at + 1, at + 2, at + 3]
    page = await house.service.true_line(cleo, seen.game.fork, 1, page.cursors[-1])
    assert page is not None
    assert [event.version for event in page.items] == [at + 4]


async def test_the_forker_sees_with_the_eyes_of_the_seat_they_name(house: House, finished: UUID) -> None:
    cleo, dan = await house.players(2)
    game_id = await forked(house, cleo, finished, (await ends(house, finished))[15])
    hands = []
    for seat in (0, 1):
        seen = await house.service.game(cleo, game_id, as_seat=seat)
        assert isinstance(seen, GameSeen)
        assert seen.my_seat == seen.view.my_seat == seat
        hands.append(seen.view.hand)
    assert hands[0] != hands[1]
    assert await house.service.game(cleo, game_id, as_seat=2) is None
    assert await house.service.game(dan, game_id, as_seat=0) is None
    assert (await house.seen(dan, game_id)).my_seat is None
    assert await house.service.game(cleo, finished, as_seat=0) is None


async def test_the_forker_acts_for_the_seat_they_name_and_nobody_else_does(house: House, finished: UUID) -> None:
    cleo, dan = await house.players(2)
    game_id = await forked(house, cleo, finished, (await ends(house, finished))[15])
    seen = await house.service.game(cleo, game_id, as_seat=1)
    assert seen is not None
    turn = seen.legal_turns[0]
    receipt = await house.send(cleo, game_id, turn, as_seat=1)
    assert receipt.status is APPLIED
    first, *_ = await house.service.receipt_events(cleo, receipt)
    assert first.actor == 1
    assert "$command" in first.opened
    assert await house.refused(dan, game_id, turn) == "NOT_SEATED"
    assert await house.refused(dan, game_id, turn, as_seat=1) == "NOT_YOUR_SEAT"
    assert await house.refused(dan, game_id, TakeSeat()) == "GAME_STARTED"
    assert await house.refused(cleo, game_id, turn, as_seat=7) == "NO_SUCH_SEAT"


async def test_the_same_key_forks_once(house: House, finished: UUID) -> None:
    cleo, at = await house.player(), (await ends(house, finished))[15]
    first, again, other = [
        await house.service.fork_game(cleo, "what-if", finished, at - less, None, 2.0) for less in (0, 0, 1)
    ]
    assert first == again
    assert isinstance(other, Refusal)
    assert other.code == "KEY_REUSED"


async def test_what_cannot_be_forked_is_refused(house: House, finished: UUID) -> None:
    ann, bob = await house.players(2)
    last = await ends(house, finished)
    running = await house.table(ann, bob)
    least = min([at for at in last if (await house.seen(None, finished, at)).game.state is not None])
    in_play = {"least": least, "most": last[-2]}
    assert await refusal(house, None, finished, least) == ("NOT_SIGNED_IN", {})
    assert await refusal(house, ann, uuid4(), least) == ("UNKNOWN_GAME", {})
    assert await refusal(house, ann, running, 5) == ("NOT_OVER", {})
    assert await refusal(house, ann, finished, least - 1) == ("VERSION_OUT_OF_RANGE", in_play)
    assert await refusal(house, ann, finished, last[-1]) == ("VERSION_OUT_OF_RANGE", in_play)
    assert await refusal(house, ann, finished, least, rules=3) == ("NO_SUCH_RULES", {"versions": [1, 2]})
    cancelled = await house.open(ann, OpenGame("gravwell", 2))
    await house.send(ann, cancelled, LeaveSeat())
    assert await refusal(house, bob, cancelled, 2) == ("NOT_STARTED", {})


async def test_a_fork_of_a_private_game_is_private(house: House) -> None:
    ann, bob, cleo = await house.players(3)
    game_id = await house.open(ann, OpenGame("gravwell", 2), Visibility.PRIVATE)
    secret = (await house.seen(ann, game_id)).join_secret
    await house.send(bob, game_id, TakeSeat(), join_secret=secret)
    at = (await house.seen(ann, game_id)).version
    await house.send(bob, game_id, Resign())
    assert await refusal(house, cleo, game_id, at) == ("UNKNOWN_GAME", {})
    practice = await forked(house, bob, game_id, at)
    assert (await house.seen(bob, practice)).visibility is Visibility.PRIVATE
    assert await house.service.game(ann, practice) is None


@pytest.fixture
def only_rules_1(offer: Callable[[AnyRuleset], None]) -> Callable[[], None]:
    """The catalogue as it was before Gravwell had rules 2; called, it has them."""
    offer(CATALOGUE["gravwell", 1])
    return lambda: offer(CATALOGUE["gravwell", 2])


async def test_a_game_opened_under_rules_1_goes_on_under_them_once_there_are_rules_2(
    own_house: House, only_rules_1: Callable[[], None]
) -> None:
    """Gravwell 6.3: by rules 1 a stop is spent on a card that moves nobody, by rules 2 it is kept."""
    house, players = own_house, await own_house.players(2)
    old = [await drafting(house, *players) for _ in range(TABLES)]
    only_rules_1()
    new = [await drafting(house, *players) for _ in range(TABLES)]
    for games, rules in ((old, 1), (new, 2)):
        game_id, seat, repulsor = await with_a_repulsor(house, games)
        await house.send(players[seat], game_id, PlayFuel(repulsor, Stop.ALWAYS))
        other = (await house.seen(players[1 - seat], game_id)).view.hand
        fuel = next(card for card in other if card.kind is Kind.STANDARD)
        assert (await house.send(players[1 - seat], game_id, PlayFuel(fuel, Stop.NEVER))).status is APPLIED
        seen = await house.seen(None, game_id)
        assert seen.game.rules == seen.ruleset.version == rules
        assert seen.game.state.stops[seat] is (rules == 2)
        async with await store.connect(house.database.url) as connection:
            impacts = [impact async for impact in impact_on_all(connection, "gravwell", (1, 2))]
        assert [impact.fault for impact in impacts] == [None] * len(impacts)
        (parting,) = (impact.parting for impact in impacts if impact.game_id == game_id)
        assert parting is not None
        assert [told.split(":")[0] for told in parting.under] == ["gravwell.stop_used", "gravwell.fuel_resolved"]


TABLES = 6
"""Of so many deals of twelve cards, one at least has one of the four repulsors in it, but for once in ten million."""


async def drafting(house: House, *players: Player) -> UUID:
    """A race for two in the middle of its first draft."""
    game_id = await house.table(*players)
    await house.play(game_id, 3)
    return game_id


async def with_a_repulsor(house: House, games: list[UUID]) -> tuple[UUID, int, Fuel]:
    """Of these races, once drafted, one in which a seat holds a repulsor, which does nothing in the Singularity."""
    for game_id in games:
        await house.play(game_id, 2)
        for seat, hand in enumerate((await house.seen(None, game_id)).game.state.hands):
            for card in hand.cards:
                if card.kind is Kind.REPULSOR:
                    return game_id, seat, card
    raise AssertionError("no repulsor was dealt")
