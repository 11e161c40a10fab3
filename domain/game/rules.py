"""What follows from what is asked of a game: by a seat, by the host, by the clock, by an operator."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from domain.catalogue import CATALOGUE, NEWEST
from domain.chance import Draw, Draws, draws_from, seed_of
from domain.game.commands import AddEntropy, ForkGame, LeaveSeat, OpenGame, Resign, StartGame, TakeSeat
from domain.game.events import (
    EVENTS,
    DeadlineSet,
    Ended,
    EntropyAdded,
    Forked,
    Held,
    Lapsed,
    Opened,
    Released,
    Resigned,
    SeatLeft,
    SeatTaken,
    SecretOpened,
    Started,
)
from domain.game.state import Game, Sitter, Status, concluded, evolve
from domain.ruleset import EVENTS_A_DECISION_MAX, Outcome, Refused, Seat, Setup

TURN_SECONDS: Final = (1, 366 * 24 * 3600)
"""The least and the most seconds a turn may take where it has a deadline."""

OPEN_DAYS_MAX: Final = 30
"""How long a game may stay open before it expires."""

ENTROPIES_MAX: Final = 64
"""The most entropies, given or not, that one game takes."""

HOST: Final = "host"
CLOCK: Final = "clock"

_ENTROPY = re.compile(r"(?:[0-9a-fA-F]{2}){16,64}")


@dataclass(frozen=True, slots=True)
class Sender:
    """Whose command it is, as seen from inside the game: the seat they sit on, and whether they host it.

    `as_seat`: the seat for which the host of a practice game acts; None for the first that is awaited.
    """

    seat: Seat | None
    host: bool = False
    as_seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What followed: the events, the game after them, who acted (`seat:N`, `host`, `clock`), and the sender's seat."""

    events: tuple[Any, ...]
    game: Game
    actor: str
    seat: Seat | None


def open_game(command: OpenGame, secret: bytes, secret_hash: str, now: datetime, rules: int | None = None) -> Decision:
    """Open a game, and start it if that fills it. Raises Refused.

    A game opened now is pinned to the newest rules of its title; `rules` is the version that one decided anew is under.
    """
    ruleset = NEWEST[command.ruleset] if rules is None else CATALOGUE[command.ruleset, rules]
    if command.seats not in ruleset.seats:
        raise Refused("SEATS_OUT_OF_RANGE", seats=list(ruleset.seats))
    if not 0 <= command.bots <= command.seats - command.sit:
        raise Refused("BOTS_OUT_OF_RANGE", least=0, most=command.seats - command.sit)
    if command.bots and ruleset.advise is None:
        raise Refused("NO_HOUSE_BOT")
    least, most = TURN_SECONDS
    if command.turn_seconds is not None and not least <= command.turn_seconds <= most:
        raise Refused("TURN_HOURS_OUT_OF_RANGE", least_seconds=least, most_seconds=most)
    options = ruleset.options() if command.options is None else command.options
    ruleset.start(Setup(command.seats, options), draws_from(bytes(32)))  # refuses options that make no sense

    opened = Opened(ruleset.name, ruleset.version, command.seats, options, command.turn_seconds, secret_hash)
    making = _Making(evolve(None, opened), [opened])
    if not command.start:
        making.record(Held())
    if command.sit:
        making.record(SeatTaken(0, bot=False, entropy=None))
    for seat in range(command.seats - command.bots, command.seats):
        making.record(SeatTaken(seat, bot=True, entropy=None))
    if not making.game.free and command.start:
        _start(making, secret)
    return making.decision(now, secret, HOST, None)


def past_of(events: Iterable[Any]) -> tuple[Any, ...]:
    """What happened in play among the events of a game's beginning: the title's own, and those it was forked with."""
    past: list[Any] = []
    for event in events:
        if isinstance(event, Forked):
            past.extend(event.past)
        elif type(event) not in EVENTS:
            past.append(event)
    return tuple(past)


def fork_game(
    command: ForkGame, source: Game, hash_: str, past: tuple[Any, ...], secret: bytes, secret_hash: str, now: datetime
) -> Decision:
    """Begin a practice game with what another, which is over by now, had come to. Raises Refused.

    `source` is that game as of the end of a decision after which it went on, `hash_` that of its newest event then, and
    `past` its `past_of`.
    """
    rules = source.rules if command.rules is None else command.rules
    if (source.ruleset_name, rules) not in CATALOGUE:
        versions = sorted(version for name, version in CATALOGUE if name == source.ruleset_name)
        raise Refused("NO_SUCH_RULES", versions=versions)
    opened = Opened(source.ruleset_name, rules, source.seats, source.options, None, secret_hash)
    return practise(opened, Forked(command.game, source.version, hash_, source.retired, past), secret, now)


def practise(opened: Opened[Any], forked: Forked[tuple[Any, ...]], secret: bytes, now: datetime) -> Decision:
    """Begin a practice game as these say, which is how one begins anew without the game it was forked from."""
    making = _Making(evolve(None, opened), [opened])
    making.record(forked)
    return making.decision(now, secret, HOST, None)


def decide(
    game: Game, sender: Sender, command: Any, now: datetime, secret: bytes, expected_version: int | None = None
) -> Decision:
    """What follows from a command of a person or a bot, of the game or of its ruleset. Raises Refused.

    `now` is the time of the decision, `secret` the game's 32 bytes; a turn decided at an `expected_version` that is
    not the sender's present choice any more is refused as STALE.
    """
    making, sender = _Making(game), _seated(game, sender)
    change = _COMMANDS.get(type(command))
    if change is None:
        _play(making, sender, command, secret, expected_version)
    else:
        change(making, sender, command, secret)
    actor, seat = _acted(making, sender, command)
    return making.decision(now, secret, actor, seat)


def lapse(game: Game, seats: Iterable[Seat], now: datetime, secret: bytes) -> Decision:
    """What the clock does for those of `seats` that are still awaited: each is lapsed once, in order of seats."""
    making = _Making(game)
    for seat in seats:
        if seat in making.game.awaited:
            _lapse(making, seat, _draws(making.game, secret))
            _look_for_end(making, secret)
    assert making.events, "the clock found nobody to lapse"
    return making.decision(now, secret, CLOCK, None, renew=True)


def expire(game: Game, now: datetime, secret: bytes) -> Decision:
    """The clock ends a game that stayed open too long."""
    assert game.status is Status.OPEN
    making = _Making(game)
    _end(making, Outcome("expired", ()), secret)
    return making.decision(now, secret, CLOCK, None)


def release(game: Game, now: datetime, secret: bytes) -> Decision:
    """An operator lets a quarantined game go on; whoever is awaited gets a whole turn's time again."""
    making = _Making(game)
    making.record(Released())
    return making.decision(now, secret, HOST, None, renew=True)


def end(game: Game, secret: bytes) -> tuple[Any, ...]:
    """An operator ends a game. Needs no rules: `game` may have been folded without its ruleset's events."""
    assert game.status is not Status.ENDED
    return (Ended("ended_by_operator", ()), SecretOpened(secret.hex()))


def legal(game: Game, seat: Seat | None) -> tuple[Any, ...]:
    """The turns that would be accepted from a seat now, as commands of the ruleset."""
    if seat is None or game.status is not Status.RUNNING or game.state is None or seat in game.retired:
        return ()
    return game.ruleset.legal(game.state, seat)


class _Making:
    """A decision in the making: what has been recorded so far, the game after it, and who was awaited all along."""

    def __init__(self, game: Game, events: list[Any] | None = None) -> None:
        self.game = game
        self.events = events or []
        self.still_awaited = set(game.awaiting)

    def record(self, *events: Any) -> None:
        for event in events:
            self.game = evolve(self.game, event)
            self.events.append(event)
            if self.still_awaited:
                self.still_awaited &= set(self.game.awaited)
        if len(self.events) > EVENTS_A_DECISION_MAX:
            raise AssertionError(f"a decision of more than {EVENTS_A_DECISION_MAX} events")

    def decision(self, now: datetime, secret: bytes, actor: str, seat: Seat | None, *, renew: bool = False) -> Decision:
        """Let the game go on by itself as far as it can, set the deadline of whoever is awaited then, and close."""
        _go_on(self, secret)
        awaited, turn_seconds = set(self.game.awaited), self.game.turn_seconds
        if turn_seconds is not None and awaited and (renew or not awaited <= self.still_awaited):
            self.record(DeadlineSet(now + timedelta(seconds=turn_seconds)))
        return Decision(tuple(self.events), concluded(self.game, seat), actor, seat)


def _seated(game: Game, sender: Sender) -> Sender:
    """The sender on the seat they act for: in a practice game the host acts for all, one at a time."""
    if game.fork is None or not sender.host or sender.seat is not None:
        if sender.as_seat not in (None, sender.seat):
            raise Refused("NOT_YOUR_SEAT", seat=sender.as_seat)
        return sender
    if sender.as_seat is None:
        return replace(sender, seat=min(game.awaiting, default=None))
    if not 0 <= sender.as_seat < game.seats:
        raise Refused("NO_SUCH_SEAT", last=game.seats - 1)
    return replace(sender, seat=sender.as_seat)


def _draws(game: Game, secret: bytes) -> Draws:
    """The draws of a game; its seed is made only for a decision that draws."""
    return lambda label: Draw(seed_of(secret, game.entropies), label)


def _start(making: _Making, secret: bytes) -> None:
    making.record(Started())
    setup = Setup(making.game.seats, making.game.options)
    making.record(*making.game.ruleset.start(setup, _draws(making.game, secret)))


def _go_on(making: _Making, secret: bytes) -> None:
    _look_for_end(making, secret)
    while gone := [seat for seat in making.game.awaited if seat in making.game.retired]:
        _lapse(making, gone[0], _draws(making.game, secret))
        _look_for_end(making, secret)


def _lapse(making: _Making, seat: Seat, draws: Draws) -> None:
    making.record(Lapsed(seat))
    making.record(*making.game.ruleset.lapse(making.game.state, seat, draws))


def _look_for_end(making: _Making, secret: bytes) -> None:
    game = making.game
    if game.status is Status.RUNNING and (outcome := game.ruleset.outcome(game.state)) is not None:
        _end(making, Outcome(outcome.reason, _ranking(game, outcome.ranking)), secret)


def _end(making: _Making, outcome: Outcome, secret: bytes) -> None:
    making.record(Ended(outcome.reason, outcome.ranking), SecretOpened(secret.hex()))


def _ranking(game: Game, ranking: tuple[tuple[Seat, ...], ...]) -> tuple[tuple[Seat, ...], ...]:
    """The ranking with those who resigned below all others, the last to resign best."""
    stayed = (tuple(seat for seat in tie if seat not in game.retired) for tie in ranking)
    return (*(tie for tie in stayed if tie), *((seat,) for seat in reversed(game.retired)))


def _play(making: _Making, sender: Sender, command: Any, secret: bytes, expected_version: int | None) -> None:
    game = making.game
    seat = _playing_seat(game, sender)
    _refuse_stale(game, seat, expected_version)
    if type(command) not in game.ruleset.commands:
        raise Refused("WRONG_RULESET", ruleset=game.ruleset_name)
    making.record(*game.ruleset.decide(game.state, seat, command, _draws(game, secret)))


def _playing_seat(game: Game, sender: Sender) -> Seat:
    if game.status is Status.OPEN:
        raise Refused("NOT_STARTED")
    if game.status is Status.ENDED:
        raise Refused("GAME_OVER")
    if sender.seat is None:
        raise Refused("NOT_SEATED")
    if sender.seat in game.retired:
        raise Refused("RETIRED")
    return sender.seat


def _refuse_stale(game: Game, seat: Seat, expected_version: int | None) -> None:
    least = game.turn_since[seat] or 1
    if expected_version is not None and not least <= expected_version <= game.version:
        raise Refused("STALE", expected=expected_version, least=least, head=game.version)


def _refuse_unless_open(game: Game) -> None:
    if game.status is Status.ENDED:
        raise Refused("GAME_OVER")
    if game.status is not Status.OPEN:
        raise Refused("GAME_STARTED")


def _refuse_bad_entropy(game: Game, entropy: str) -> None:
    if not _ENTROPY.fullmatch(entropy):
        raise Refused("BAD_ENTROPY")
    if len(game.entropies) >= ENTROPIES_MAX:
        raise Refused("TOO_MUCH_ENTROPY")


def _take_seat(making: _Making, sender: Sender, command: TakeSeat, secret: bytes) -> None:
    game = making.game
    _refuse_unless_open(game)
    if sender.seat is not None:
        raise Refused("ALREADY_SEATED", seat=sender.seat)
    if command.seat is not None and not 0 <= command.seat < game.seats:
        raise Refused("NO_SUCH_SEAT", last=game.seats - 1)
    if not game.free:
        raise Refused("GAME_FULL")
    seat = game.free[0] if command.seat is None else command.seat
    if seat not in game.free:
        raise Refused("SEAT_TAKEN", seat=seat)
    if command.entropy is not None:
        _refuse_bad_entropy(game, command.entropy)
    making.record(SeatTaken(seat, bot=False, entropy=command.entropy and command.entropy.lower()))
    if not making.game.free and not making.game.held:
        _start(making, secret)


def _leave_seat(making: _Making, sender: Sender, command: LeaveSeat, secret: bytes) -> None:
    _refuse_unless_open(making.game)
    if sender.seat is None:
        raise Refused("NOT_SEATED")
    making.record(SeatLeft(sender.seat))
    if Sitter.PERSON not in making.game.sitters:
        _end(making, Outcome("cancelled", ()), secret)


def _add_entropy(making: _Making, sender: Sender, command: AddEntropy, secret: bytes) -> None:
    _refuse_unless_open(making.game)
    if sender.seat is None:
        raise Refused("NOT_SEATED")
    _refuse_bad_entropy(making.game, command.entropy)
    making.record(EntropyAdded(sender.seat, command.entropy.lower()))


def _start_game(making: _Making, sender: Sender, command: StartGame, secret: bytes) -> None:
    _refuse_unless_open(making.game)
    if not sender.host:
        raise Refused("NOT_HOST")
    if making.game.free:
        raise Refused("NOT_FULL", free=list(making.game.free))
    _start(making, secret)


def _resign(making: _Making, sender: Sender, command: Resign, secret: bytes) -> None:
    seat = _playing_seat(making.game, sender)
    if making.game.fork is not None:
        _end(making, Outcome("abandoned", _ranking(making.game, (making.game.playing,))), secret)
        return
    making.record(Resigned(seat))
    if making.game.ruleset.resign is not None:
        making.record(*making.game.ruleset.resign(making.game.state, seat))
    _look_for_end(making, secret)
    game = making.game
    if game.status is not Status.RUNNING:
        return
    if len(game.playing) == 1:
        _end(making, Outcome("resigned", _ranking(game, (game.playing,))), secret)
    elif all(game.sitters[other] is Sitter.BOT for other in game.playing):
        _end(making, Outcome("abandoned", _ranking(game, (game.playing,))), secret)


def _acted(making: _Making, sender: Sender, command: Any) -> tuple[str, Seat | None]:
    """Who acted, and which seat's command it is: who takes a seat acts from it."""
    if isinstance(command, StartGame):
        return HOST, sender.seat
    seat = making.events[0].seat if isinstance(command, TakeSeat) else sender.seat
    return f"seat:{seat}", seat


_COMMANDS: dict[type, Callable[[_Making, Sender, Any, bytes], None]] = {
    TakeSeat: _take_seat,
    LeaveSeat: _leave_seat,
    AddEntropy: _add_entropy,
    StartGame: _start_game,
    Resign: _resign,
}
