"""Whoever times what the service does for them learns nothing of what is sealed: it takes the same steps for all of it.

No time is measured. Twins of a game differ in nothing but what others hold or have sealed; everything that a rival or a
spectator can have done with them is done, and each instruction of ours that runs is noted.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from types import FrameType
from typing import Any, Final
from uuid import UUID

import pytest

import domain
import schema
import service
import tests
from domain import game as games
from domain.bundle import event_line
from domain.catalogue import NEWEST, AnyRuleset
from domain.game import Decision, OpenGame, Sender, TakeSeat
from domain.ruleset import Seat, Secret
from domain.rulesets.gravwell.board import Fuel
from domain.rulesets.gravwell.commands import PlayFuel, Stop
from domain.rulesets.gravwell.options import Options
from domain.stream import BySubmission, Head, Row, written
from service.codec import codec_of
from service.deciding import Change, Pending, content_of, settle
from service.seen import Player, Registered, Visibility
from service.streams import GameRow, Stream, folded
from service.viewing import event_seen, game_seen
from tests.service.house import House

OURS: Final = tuple(f"{folder}/" for package in (domain, schema, service, tests) for folder in package.__path__)
"""Where our code is: the libraries below, which may lie in the same folder, do not know what is sealed."""
GAME, SECRET, NOW = UUID(int=1), bytes(range(32)), datetime(2026, 11, 29, 20, tzinfo=UTC)
PEOPLE: Final = tuple(UUID(int=100 + seat) for seat in range(3))
OWNER, RIVAL, THIRD = range(3)

Steps = list[tuple[str, int]]


@dataclass(frozen=True)
class Twin:
    """One of several games that differ in what others than the rival hold or have sealed."""

    stream: Stream
    rows: tuple[Row, ...]

    @property
    def row(self) -> GameRow:
        """What stands in the store beside its events."""
        stream, game = self.stream, self.stream.game
        return GameRow(
            game_id=GAME,
            ruleset=game.ruleset_name,
            rules=game.rules,
            seats=game.seats,
            visibility=Visibility.PUBLIC,
            join_secret=None,
            host_id=PEOPLE[OWNER],
            secret=SECRET,
            created_at=NOW,
            version=stream.head.version,
            head_hash=stream.head.hash,
            head_at=NOW,
            status=game.status,
            awaiting=list(game.awaiting),
            deadline=None,
            quarantined=False,
            players=list(PEOPLE),
            imported=False,
        )


def twin(decisions: Sequence[Decision]) -> Twin:
    """The game that these decisions make, as it is stored and as it is held in memory."""
    game, rows = games.fold([(one.seat, one.events) for one in decisions]), list[Row]()
    codec = codec_of(game.ruleset_name, game.rules)
    for number, one in enumerate(decisions):
        head = Head(rows[-1].version, rows[-1].hash, NOW) if rows else None
        cause = BySubmission(UUID(int=number), one.seat, NOW, {"resign": {}})
        rows += written(GAME, SECRET, head, [codec.fact(event) for event in one.events], NOW, one.actor, cause)
    head = Head(rows[-1].version, rows[-1].hash, NOW)
    return Twin(Stream(GAME, SECRET, PEOPLE[OWNER], NOW, head, game, PEOPLE), tuple(rows))


def begun(title: str, options: Any = None) -> list[Decision]:
    """The decisions by which a game of three begins, in which the rival is awaited first, or with all others."""
    return next(
        decisions for number in range(256) if RIVAL in (decisions := _begun(title, options, number))[-1].game.awaiting
    )


def _begun(title: str, options: Any, number: int) -> list[Decision]:
    secret = bytes([number]) * 32
    decisions = [games.open_game(OpenGame(title, 3, options), secret, "c0ffee", NOW)]
    for _ in range(2):
        decisions.append(games.decide(decisions[-1].game, Sender(None), TakeSeat(), NOW, secret))
    return decisions


def sealing_orders() -> list[Twin]:
    """A card of twenty-six: the owner has sealed one of the orders it might have, the other two are still to choose."""
    before = begun("gravwell", Options(random_deal=True))
    orders = games.legal(before[-1].game, OWNER)
    assert len(orders) == 6 * len(Stop)
    sealed = (games.decide(before[-1].game, Sender(OWNER), order, NOW, SECRET) for order in orders)
    return [twin([*before, one]) for one in sealed]


def holding_other_hands(title: str, options: Any = None) -> list[Twin]:
    """A hand of six: what the owner and the third were dealt is the other way round."""
    *before, dealt = begun(title, options)
    swapped = replace(dealt, events=hands_swapped(dealt.events))
    assert swapped.events != dealt.events
    return [twin([*before, one]) for one in (dealt, swapped)]


def hands_swapped(events: Sequence[Any]) -> tuple[Any, ...]:
    """These events, with what was dealt to the owner alone and to the third alone changed round."""
    dealt = {
        (name, value.to): event
        for event in events
        for name, value in vars_of(event)
        if isinstance(value, Secret) and value.to in ((OWNER,), (THIRD,))
    }
    others = {(OWNER,): (THIRD,), (THIRD,): (OWNER,)}
    changed = {
        id(event): (name, Secret(getattr(dealt[name, others[to]], name).value, to))
        for (name, to), event in dealt.items()
    }
    return tuple(replace(event, **dict([changed[id(event)]])) if id(event) in changed else event for event in events)


def vars_of(event: Any) -> list[tuple[str, Any]]:
    return [(name, getattr(event, name)) for name in event.__dataclass_fields__]


TWINS: Final[dict[str, Callable[[], list[Twin]]]] = {
    "orders": sealing_orders,
    "hands of Gravwell": lambda: holding_other_hands("gravwell", Options(random_deal=True)),
    "hands of Exoplanets": lambda: holding_other_hands("exoplanets"),
}


def attacks(twins: Sequence[Twin]) -> Iterator[Callable[[Twin], object]]:
    """What a rival or a spectator can have done: right turns and wrong ones of all kinds, looking, and exporting."""
    one = twins[0].stream.game
    turns = {turn: None for seat in (RIVAL, OWNER, THIRD) for turn in games.legal(one, seat)}
    turns |= {PlayFuel(card, Stop.ASK): None for card in Fuel}
    yield from (sending(turn, expected) for turn in turns for expected in (None, 10_000))
    yield from (partial(looking, viewer) for viewer in (RIVAL, None))
    yield lambda twin: games.legal(twin.stream.game, RIVAL)
    yield lambda twin: folded(one.ruleset_name, one.rules, twin.rows).awaiting
    yield lambda twin: [len(event_line(row, is_open=False)) for row in twin.rows]


def sending(turn: Any, expected: int | None) -> Callable[[Twin], object]:
    """Send a turn as the rival, which is decided whether it is right or wrong."""
    codec = codec_of("gravwell" if isinstance(turn, PlayFuel) else "exoplanets", 1)
    content = content_of(codec.command_json(turn), expected)

    def send(twin: Twin) -> object:
        change = Change(twin.stream, twin.stream)
        settle(change, Pending(GAME, PEOPLE[RIVAL], "key", UUID(int=9), content, NOW, turn), NOW)
        change.records()
        return [(settled.status, settled.refusal) for settled in change.settled]

    return send


def looking(viewer: Seat | None, twin: Twin) -> object:
    """See the game and all its events with these eyes."""
    player = None if viewer is None else Player(PEOPLE[viewer], "rival", NOW)
    seen = game_seen(twin.row, twin.stream, {}, player)
    view = seen.game.ruleset.view(seen.game.state, viewer)
    return view, [(one.data, one.summary) for one in (event_seen(twin.row, row, viewer) for row in twin.rows)]


def steps(doing: Callable[[Twin], object], twin: Twin) -> tuple[Steps, object]:
    """The instructions of ours that run, one after the other, and what comes of it."""
    noted: Steps = []

    def note(frame: FrameType, event: str, _: Any) -> Any:
        if event == "opcode":
            noted.append((frame.f_code.co_qualname, frame.f_lasti))
        return note

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        frame.f_trace_opcodes = frame.f_code.co_filename.startswith(OURS)
        return note if frame.f_trace_opcodes else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        result = doing(twin)
    finally:
        sys.settrace(before)
    return noted, result


def assert_same_steps(twins: Sequence[Twin]) -> None:
    """Whatever is done with the twins takes the same steps, and comes to the same."""
    assert len({twin.rows[-1].hash for twin in twins}) == len(twins) > 1
    for doing in attacks(twins):
        doing(twins[0])  # what is made once is made by now; what is kept of each secret is not
        first, *others = (steps(doing, twin) for twin in twins)
        assert first[0]
        assert all(other == first for other in others)


@pytest.mark.parametrize("twins", TWINS.values(), ids=TWINS.keys())
def test_what_outsiders_have_done_takes_the_same_steps_whatever_is_sealed(twins: Callable[[], list[Twin]]) -> None:
    assert_same_steps(twins())


GRAVWELL: Final = NEWEST["gravwell"]


def comparing(state: Any, seat: Seat, command: Any, draws: Any) -> Any:
    """Looks whether somebody else has sealed the very card, and stops early."""
    for order in state.orders:
        if order is not None and order.value.card == command.card:
            break
    return GRAVWELL.decide(state, seat, command, draws)


def searching(state: Any, seat: Seat) -> Any:
    """Goes through the cards as far as the first that another holds before it says what is legal."""
    next(card for card in Fuel if card in state.hands[OWNER].cards)
    return GRAVWELL.legal(state, seat)


@cache
def remembered(card: Fuel) -> str:
    return card.name


def remembering(state: Any, viewer: Seat | None) -> Any:
    """Keeps what it works out of a sealed card, so that the second time is quicker."""
    [remembered(order.value.card) for order in state.orders if order is not None]
    return GRAVWELL.view(state, viewer)


BROKEN: Final[dict[str, tuple[AnyRuleset, str]]] = {
    "compares": (replace(GRAVWELL, decide=comparing), "orders"),
    "searches": (replace(GRAVWELL, legal=searching), "hands of Gravwell"),
    "remembers": (replace(GRAVWELL, view=remembering), "orders"),
}


@pytest.mark.parametrize(("ruleset", "twins"), BROKEN.values(), ids=BROKEN.keys())
def test_rules_whose_steps_tell_are_caught(
    offer: Callable[[AnyRuleset], None], ruleset: AnyRuleset, twins: str
) -> None:
    offer(ruleset)
    with pytest.raises(AssertionError):
        assert_same_steps(TWINS[twins]())


class Untouchable(str):
    """A text that may be turned into bytes to be hashed, or compared in constant time, and nothing else."""

    __slots__ = ()

    def encode(self, *args: Any, **named: Any) -> "UntouchableBytes":
        return UntouchableBytes(str(self.__str__()).encode(*args, **named))

    def __eq__(self, other: object) -> bool:
        raise AssertionError("a secret was compared character by character")

    __hash__ = None  # type: ignore[assignment]


class UntouchableBytes(bytes):
    """The same as bytes."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise AssertionError("a secret was compared byte by byte")

    __hash__ = None  # type: ignore[assignment]


async def test_join_secrets_and_tokens_are_compared_by_nothing_that_stops_early(house: House) -> None:
    host, guest = await house.players(2)
    game_id = await house.open(host, OpenGame("gravwell", 3), Visibility.PRIVATE)
    ((secret,),) = house.database.ask("select join_secret from games where game_id = %s", game_id)
    assert await house.refused(guest, game_id, TakeSeat(), join_secret=Untouchable(f"{secret[:-1]}!")) == "UNKNOWN_GAME"
    receipt = await house.send(guest, game_id, TakeSeat(), join_secret=Untouchable(secret))
    assert receipt.version is not None
    registered = await house.service.accounts.register("touched-by-nobody", None)
    assert isinstance(registered, Registered)
    for _ in range(2):  # asked of the database, and remembered
        assert await house.service.accounts.player_of(Untouchable(registered.token)) == registered.player
    assert await house.service.accounts.player_of(Untouchable(f"{registered.token[:-1]}!")) is None


def test_a_secret_that_is_compared_otherwise_is_caught() -> None:
    for guess in (Untouchable("abc"), Untouchable("abc").encode()):
        with pytest.raises(AssertionError):
            assert guess == "abc"
        with pytest.raises(TypeError, match="unhashable"):
            dict.fromkeys([guess])
