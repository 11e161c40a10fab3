"""Judging a stream by its rules: every decision is made again from the cause it names, and compared."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from domain import game as games
from domain.bundle import Damaged, Event
from domain.canonical import canonical
from domain.game import Decision, ForkGame, Game, OpenGame, Sender, Sitter, Status, TakeSeat
from domain.game.events import Forked, Opened
from domain.ruleset import Refused, Seat
from domain.stream import COMMAND, Fact
from service.codec import Codec

SHOWN_MAX: Final = 120
"""How much of a value is shown in what is said of it."""


class Unfounded(Exception):
    """A decision that nothing could have led to: its cause cannot stand where it stands."""


def judge(events: Sequence[Event], codec: Codec, secret: bytes) -> Game:
    """Make every decision of an audited stream again and compare; gives the game after it. Raises Damaged."""
    game: Game | None = None
    for stored in _decisions(events):
        decision = _decided_anew(codec, game, stored, secret)
        _compare(stored, decision, codec)
        game = decision.game
    assert game is not None, "a stream has at least one decision"
    return game


def _decisions(events: Sequence[Event]) -> Iterator[list[Event]]:
    group: list[Event] = []
    for event in events:
        if group and "first" not in event.public["cause"]:
            yield group
            group = []
        group.append(event)
    yield group


def _decided_anew(codec: Codec, game: Game | None, stored: Sequence[Event], secret: bytes) -> Decision:
    try:
        return _decided(codec, game, stored, secret)
    except Refused as refused:
        what = f"the rules refuse the command that is said to have led to it: {refused.code}"
    except Unfounded as unfounded:
        what = f"nothing could have led to it: {unfounded}"
    except Exception as error:  # noqa: BLE001 - whatever stands in a file that somebody made may be nonsense
        what = f"the rules do not decide it: {type(error).__name__}"
    raise stored[0].damaged("RULES", what)


def _decided(codec: Codec, game: Game | None, stored: Sequence[Event], secret: bytes) -> Decision:
    """What follows, under the codec's rules, from the cause of a stored decision on the game before it."""
    public, cause = stored[0].public, stored[0].public["cause"]
    now = datetime.fromisoformat(public["at"])
    if "command" in cause:
        command = codec.command((stored[0].secret or {})[COMMAND])
        if isinstance(command, OpenGame):
            return _opened(codec, command, game, public, secret)
        if isinstance(command, ForkGame) and game is None:
            return _forked(codec, stored, secret)
    if game is None:
        raise Unfounded("a stream begins with the command that opens its game")
    if "deadline" in cause:
        return _by_clock(game, stored, secret)
    if "operator" in cause:
        return _by_operator(game, cause["operator"], public, secret)
    # Who takes a seat has none before; who starts the game is its host, whom the stream does not know otherwise.
    seat = None if isinstance(command, TakeSeat) else cause["seat"]
    return games.decide(game, Sender(seat, host=public["actor"] == games.HOST), command, now, secret)


def _opened(codec: Codec, command: OpenGame, game: Game | None, public: Mapping[str, Any], secret: bytes) -> Decision:
    if game is not None:
        raise Unfounded("a game is opened once")
    ruleset = codec.ruleset
    if command.ruleset != ruleset.name:
        raise Unfounded("its command opens a game of another title")
    return games.open_game(
        command, secret, public["data"]["secret_hash"], datetime.fromisoformat(public["at"]), ruleset.version
    )


def _forked(codec: Codec, stored: Sequence[Event], secret: bytes) -> Decision:
    """A practice game begins with what another had come to, which is taken as it stands."""
    events = [codec.event(one.public, one.row) for one in stored]
    forked = [event for event in events if isinstance(event, Forked)]
    if len(forked) != 1 or not isinstance(events[0], Opened):
        raise Unfounded("a fork is opened once, from one game")
    return games.practise(events[0], forked[0], secret, datetime.fromisoformat(stored[0].public["at"]))


def _by_clock(game: Game, stored: Sequence[Event], secret: bytes) -> Decision:
    due, now = (
        datetime.fromisoformat(stored[0].public["cause"]["deadline"]),
        datetime.fromisoformat(stored[0].public["at"]),
    )
    if due > now:
        raise Unfounded("its time had not come")
    if game.status is Status.OPEN:
        return games.expire(game, now, secret)
    seats = game.awaiting if game.deadline == due else _late_bot(game, stored)
    if not set(seats) & set(game.awaited):
        raise Unfounded("nobody was awaited then")
    return games.lapse(game, seats, now, secret)


def _late_bot(game: Game, stored: Sequence[Event]) -> tuple[Seat]:
    """The house bot that did not move: its timer is due at once, and which seat's it was, only the events say."""
    seat: Seat = stored[0].public["data"].get("seat", -1)
    if stored[0].public["name"] != "game.lapsed" or not 0 <= seat < game.seats or game.sitters[seat] is not Sitter.BOT:
        raise Unfounded("no deadline was due then")
    return (seat,)


def _by_operator(game: Game, said: str, public: Mapping[str, Any], secret: bytes) -> Decision:
    if game.status is Status.ENDED:
        raise Unfounded("the game had ended")
    if said == "release":
        return games.release(game, datetime.fromisoformat(public["at"]), secret)
    events = games.end(game, secret)
    return Decision(events, games.fold([(None, events)], game), games.HOST, None)


def _compare(stored: Sequence[Event], decision: Decision, codec: Codec) -> None:
    """That a stored decision is the one that the rules make. Raises Damaged."""
    first = stored[0]
    if (decision.actor, decision.seat) != (first.public["actor"], first.public["cause"].get("seat")):
        raise first.damaged("RULES", f"by the rules {decision.actor} acts in it, for seat {decision.seat}")
    facts = [codec.fact(event) for event in decision.events]
    for event, fact, made in zip(stored, facts, decision.events, strict=False):
        _compare_event(event, fact, made, codec)
    if len(facts) > len(stored):
        raise stored[-1].damaged("RULES", f"by the rules {facts[len(stored)].name} follows on it, which is not there")
    if len(stored) > len(facts):
        raise stored[len(facts)].damaged("RULES", "by the rules nothing more follows from its cause")


def _compare_event(event: Event, fact: Fact, made: Any, codec: Codec) -> None:
    """That a stored event is the one that the rules make: to the byte, or, where its shape is older, in its newest."""
    public = event.public
    if public["name"] != fact.name:
        raise event.damaged("RULES", f"by the rules {fact.name} stands here")
    if public["schema"] != fact.schema:
        if codec.event(public, event.row) != made:
            raise event.damaged("RULES", "by the rules it holds something else")
        return
    opened = {field: value for field, value in (event.secret or {}).items() if field != COMMAND}
    sealed = {field: seal.value for field, seal in fact.sealed.items()}
    for recorded, decided in ((public["data"], fact.data), (opened, sealed)):
        # Texts, because 1 and true are equal and not the same.
        if (recorded or decided) and canonical(recorded) != canonical(decided):
            raise _difference(event, recorded, decided)
    audiences = {field: seal["to"] for field, seal in public["sealed"].items()}
    if audiences != {field: list(seal.to) for field, seal in fact.sealed.items()}:
        raise event.damaged("RULES", "by the rules other seats may open what is sealed in it")


def _difference(event: Event, recorded: Mapping[str, Any], decided: Mapping[str, Any]) -> Damaged:
    field = next(
        name for name in sorted(recorded.keys() | decided.keys()) if _shown(recorded, name) != _shown(decided, name)
    )
    code = "OUTCOME" if event.public["name"] == "game.ended" else "RULES"
    said, wanted = (_short(_shown(values, field)) for values in (recorded, decided))
    return event.damaged(code, f"{field} is {said}; dealt and decided again it is {wanted}")


def _shown(values: Mapping[str, Any], field: str) -> str:
    return json.dumps(values[field], ensure_ascii=False, sort_keys=True) if field in values else "not there"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."
