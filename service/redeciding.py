"""Deciding anew what stands in a stream, from the cause that each decision names: under its own rules or others."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from domain import game as games
from domain.bundle import Damaged, Event
from domain.canonical import canonical
from domain.forms import is_hash, is_id
from domain.game import OPEN_DAYS_MAX, Decision, ForkGame, Game, OpenGame, Sender, Sitter, Status, TakeSeat
from domain.game.events import Forked, Opened
from domain.ruleset import EVENTS_A_DECISION_MAX, HIDDEN, Refused, Seat
from domain.stream import COMMAND, Fact, Row, Seal, decisions, secret_hash
from service.codec import Codec

SHOWN_MAX: Final = 120
"""How much of a value is shown in what is said of it."""


class Unfounded(Exception):
    """A decision that nothing could have led to: its cause cannot stand where it stands."""


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision of a stream: the game before it (None for the first) and after, how it is stored, and its events."""

    before: Game | None
    after: Game
    stored: Sequence[Event]
    events: tuple[Any, ...]

    @property
    def version(self) -> int:
        """The version of the first of its events."""
        return self.stored[0].row.version


def decided(codec: Codec, rows: Iterable[Row]) -> Iterator[Decided]:
    """The decisions of a whole stream, one after the other. Raises what a stream that does not fold raises."""
    game: Game | None = None
    for seat, stored in _decisions(map(_event, rows)):
        events = tuple(codec.event(one.row) for one in stored)
        before, game = game, games.fold([(seat, events)], game)
        yield Decided(before, game, stored, events)


def decided_anew(
    codec: Codec, before: Game | None, stored: Sequence[Event], secret: bytes, rules: int | None = None
) -> Decision:
    """What follows on the game before it from the cause of a stored decision. Raises Refused and Unfounded.

    `rules` is the version to decide under if it is not the game's own. A game that begins under others is pinned to its
    own all the same: that they differ in this says nothing.
    """
    own = codec.ruleset.version
    if before is None:
        return _begun(codec, stored, secret, own if rules is None else rules)
    return _followed(codec, before if rules is None else replace(before, rules=rules), stored, secret)


def judge(events: Sequence[Event], codec: Codec, secret: bytes) -> Game:
    """Make every decision of an audited stream again and compare; gives the game after it. Raises Damaged."""
    game: Game | None = None
    for _, stored in _decisions(events):
        _check_expiry(events[0], game, stored[0])
        decision = _decided_or_damaged(codec, game, stored, secret)
        _compare(stored, decision, codec)
        game = decision.game
    assert game is not None, "a stream has at least one decision"
    return game


def check_forms(events: Sequence[Event], codec: Codec) -> None:
    """That each event of a game that goes on is one its rules could write, as far as all may see it. Raises Damaged."""
    opened: Any = None
    for event in events:
        recorded = _newest(event, codec, "FOLD")
        try:
            read = codec.event(event.row)
            fact = codec.fact(read)
            if isinstance(read, Opened):
                _check_opened(opened := read, codec)
            elif isinstance(read, Forked):
                _check_forked(read, opened)
        except Unfounded as unfounded:
            raise event.damaged("FOLD", str(unfounded)) from None
        except Exception as error:  # noqa: BLE001 - whatever stands in a file that somebody made may be nonsense
            raise event.damaged("FOLD", f"it cannot be read as what its name says: {type(error).__name__}") from None
        if not _same(recorded.data, fact.data) or _audiences(recorded) != _audiences(fact):
            raise event.damaged("FOLD", "it holds something else than an event of its name")


def _decisions(events: Iterable[Event]) -> Iterable[tuple[Seat | None, list[Event]]]:
    causes = ((event.public["cause"], event) for event in events)
    return decisions((cause.get("first"), cause.get("seat"), event) for cause, event in causes)


def _event(row: Row) -> Event:
    return Event(row.version + 1, row, json.loads(row.public), json.loads(row.secret) if row.secret else None)


def _command(codec: Codec, stored: Sequence[Event]) -> Any:
    """The command that led to a stored decision; None if none did."""
    return codec.command((stored[0].secret or {})[COMMAND]) if "command" in stored[0].public["cause"] else None


def _begun(codec: Codec, stored: Sequence[Event], secret: bytes, rules: int) -> Decision:
    public, command = stored[0].public, _command(codec, stored)
    if isinstance(command, OpenGame):
        if command.ruleset != codec.ruleset.name:
            raise Unfounded("its command opens a game of another title")
        digest = secret_hash(UUID(public["game"]), secret).hex()
        decision = games.open_game(command, secret, digest, _time(public), rules)
    elif isinstance(command, ForkGame):
        decision = _forked(codec, command, stored, secret, rules)
    else:
        raise Unfounded("a stream begins with the command that opens its game")
    opened, *rest = decision.events
    return replace(decision, events=(replace(opened, rules=codec.ruleset.version), *rest))


def _forked(codec: Codec, command: ForkGame, stored: Sequence[Event], secret: bytes, rules: int) -> Decision:
    """A practice game begins with what another had come to, which is taken as it stands."""
    opened, *rest = (codec.event(one.row) for one in stored)
    forked = [event for event in rest if isinstance(event, Forked)]
    if len(forked) != 1 or not isinstance(opened, Opened):
        raise Unfounded("a fork is opened once, from one game")
    source = forked[0]
    # A version in the middle of a decision stands for the end of the one before it.
    reached = range(source.from_version, source.from_version + EVENTS_A_DECISION_MAX)
    if source.from_game != command.game or command.at not in reached or command.rules not in (None, opened.rules):
        raise Unfounded("its command forks another game, version or rules")
    _check_opened(opened, codec)
    _check_forked(source, opened)
    return games.practise(replace(opened, rules=rules), source, secret, _time(stored[0].public))


def _check_opened(opened: Opened[Any], codec: Codec) -> None:
    """That a game of its title can be opened so, before seats are made for it. Raises Unfounded."""
    if opened.seats not in codec.ruleset.seats:
        raise Unfounded("its title takes other numbers of seats")


def _check_forked(forked: Forked[Any], opened: Opened[Any]) -> None:
    """That what a practice game says of the one that it leaves can be so. Raises Unfounded."""
    retired = set(forked.retired)
    if not (is_id(forked.from_game) and is_hash(forked.from_hash) and forked.from_version > 0):
        raise Unfounded("it names no event of a game")
    if len(retired) != len(forked.retired) or not retired < set(range(opened.seats)):
        raise Unfounded("who retired are not some of its seats")
    if opened.turn_seconds is not None:
        raise Unfounded("a practice game has no deadline")


def _followed(codec: Codec, game: Game, stored: Sequence[Event], secret: bytes) -> Decision:
    public, command = stored[0].public, _command(codec, stored)
    now, cause = _time(public), public["cause"]
    if "deadline" in cause:
        return _by_clock(game, public, now, secret)
    if "operator" in cause:
        return _by_operator(game, cause["operator"], now, secret)
    if isinstance(command, OpenGame):
        raise Unfounded("a game is opened once")
    # Who takes a seat has none before; who starts the game is its host, whom the stream does not know otherwise.
    seat = None if isinstance(command, TakeSeat) else cause["seat"]
    return games.decide(game, Sender(seat, host=public["actor"] == games.HOST), command, now, secret)


def _by_clock(game: Game, public: Mapping[str, Any], now: datetime, secret: bytes) -> Decision:
    due = datetime.fromisoformat(public["cause"]["deadline"])
    if due > now:
        raise Unfounded("its time had not come")
    if game.status is Status.OPEN:
        return games.expire(game, now, secret)
    seats = game.awaiting if game.deadline == due else _late_bot(game, public)
    if not set(seats) & set(game.awaited):
        raise Unfounded("nobody was awaited then")
    return games.lapse(game, seats, now, secret)


def _late_bot(game: Game, public: Mapping[str, Any]) -> tuple[Seat]:
    """The house bot that did not move: its timer is due at once, and which seat's it was, only the events say."""
    seat: Seat = public["data"].get("seat", -1)
    if public["name"] != "game.lapsed" or not 0 <= seat < game.seats or game.sitters[seat] is not Sitter.BOT:
        raise Unfounded("no deadline was due then")
    return (seat,)


def _by_operator(game: Game, said: str, now: datetime, secret: bytes) -> Decision:
    if game.status is Status.ENDED:
        raise Unfounded("the game had ended")
    if said == "release":
        return games.release(game, now, secret)
    events = games.end(game, secret)
    return Decision(events, games.fold([(None, events)], game), games.HOST, None)


def _time(public: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(public["at"])


def _decided_or_damaged(codec: Codec, game: Game | None, stored: Sequence[Event], secret: bytes) -> Decision:
    try:
        return decided_anew(codec, game, stored, secret)
    except Refused as refused:
        what = f"the rules refuse the command that is said to have led to it: {refused.code}"
    except Unfounded as unfounded:
        what = f"nothing could have led to it: {unfounded}"
    except Exception as error:  # noqa: BLE001 - whatever stands in a file that somebody made may be nonsense
        what = f"the rules do not decide it: {type(error).__name__}"
    raise stored[0].damaged("RULES", what)


def _check_expiry(opened: Event, game: Game | None, event: Event) -> None:
    """That the clock, if it ended a game that was open, had waited for as long as games wait. Raises Damaged."""
    deadline = event.public["cause"].get("deadline")
    if game is None or game.status is not Status.OPEN or deadline is None:
        return
    if datetime.fromisoformat(deadline) - _time(opened.public) != timedelta(days=OPEN_DAYS_MAX):
        raise event.damaged("RULES", f"nothing could have led to it: a game stays open for {OPEN_DAYS_MAX} days")


def _compare(stored: Sequence[Event], decision: Decision, codec: Codec) -> None:
    """That a stored decision is the one that the rules make. Raises Damaged."""
    first = stored[0]
    if (decision.actor, decision.seat) != (first.public["actor"], first.public["cause"].get("seat")):
        raise first.damaged("RULES", f"by the rules {decision.actor} acts in it, for seat {decision.seat}")
    facts = [codec.fact(event) for event in decision.events]
    for event, fact in zip(stored, facts, strict=False):
        _compare_event(event, fact, codec)
    if len(facts) > len(stored):
        raise stored[-1].damaged("RULES", f"by the rules {facts[len(stored)].name} follows on it, which is not there")
    if len(stored) > len(facts):
        raise stored[len(facts)].damaged("RULES", "by the rules nothing more follows from its cause")


def _compare_event(event: Event, fact: Fact, codec: Codec) -> None:
    """That a stored event is the one that the rules make: to the byte, or, where its shape is older, in its newest."""
    if event.public["name"] != fact.name:
        raise event.damaged("RULES", f"by the rules {fact.name} stands here")
    recorded = _newest(event, codec, "RULES")
    stands, follows = (recorded.data, _values(recorded)), (fact.data, _values(fact))
    if not _same(stands, follows):
        raise _difference(event, *next(pair for pair in zip(stands, follows, strict=True) if not _same(*pair)))
    if _audiences(recorded) != _audiences(fact):
        raise event.damaged("RULES", "by the rules other seats may open what is sealed in it")


def _newest(event: Event, codec: Codec, code: str) -> Fact:
    """What stands in an event, in its newest shape. Raises Damaged with this code."""
    public, opened = event.public, event.secret or {}
    sealed = {field: Seal(opened.get(field, HIDDEN), tuple(seal["to"])) for field, seal in public["sealed"].items()}
    try:
        return codec.newest(Fact(public["name"], public["schema"], public["data"], sealed))
    except Exception:  # noqa: BLE001 - whatever stands in a file that somebody made may be nonsense
        raise event.damaged(code, "it has a shape that these rules do not write") from None


def _values(fact: Fact) -> dict[str, Any]:
    return {field: seal.value for field, seal in fact.sealed.items()}


def _audiences(fact: Fact) -> dict[str, tuple[Seat, ...]]:
    return {field: seal.to for field, seal in fact.sealed.items()}


def _same(one: object, other: object) -> bool:
    """Whether two values have one text, since 1 and true are equal and not the same."""
    return canonical(one) == canonical(other)


def _difference(event: Event, recorded: Mapping[str, Any], decided: Mapping[str, Any]) -> Damaged:
    field = next(
        name for name in sorted(recorded.keys() | decided.keys()) if _shown(recorded, name) != _shown(decided, name)
    )
    code = "OUTCOME" if event.public["name"] == "game.ended" else "RULES"
    said, wanted = (_short(_shown(values, field)) for values in (recorded, decided))
    return event.damaged(code, f"{field} is {said}; dealt and decided again it is {wanted}")


def _shown(values: Mapping[str, Any], field: str) -> str:
    return json.dumps(values[field], sort_keys=True) if field in values else "not there"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."
