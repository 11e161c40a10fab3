"""Deciding a stored decision again: what the pinned rules make now of the cause that it names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain import game as games
from domain.game import Decision, Game, OpenGame, Sender, Status, TakeSeat
from domain.ruleset import Seat
from domain.stream import time_of
from service.codec import Codec


@dataclass(frozen=True, slots=True)
class Stored:
    """One stored decision: the public form of its first event, the command it seals, if any, and the seats it lapsed.

    `lapsed` are those of its `game.lapsed`, in order: the clock's decisions do not say otherwise whom they were for.
    """

    public: Mapping[str, Any]
    command: Mapping[str, Any] | None
    lapsed: Sequence[Seat]


class Unfounded(Exception):
    """A decision that nothing could have led to: its cause does not stand where it stands."""


def decided_anew(codec: Codec, game: Game | None, stored: Stored, secret: bytes) -> Decision:
    """What follows, under the codec's rules, from the cause of a stored decision on the game before it.

    `game` is None for the decision that opens it. Raises Refused where the rules refuse the command, Unfounded, and
    whatever a ruleset's bug raises.
    """
    public, cause = stored.public, stored.public["cause"]
    now = time_of(public["at"])
    if "deadline" in cause:
        return _by_clock(_begun(game), stored, secret)
    if "operator" in cause:
        return _by_operator(_begun(game), public, cause["operator"], secret)
    if stored.command is None or len(stored.command) != 1:
        raise Unfounded("no command is sealed in it")
    command = codec.command(stored.command)
    if isinstance(command, OpenGame):
        if game is not None:
            raise Unfounded("a game is opened once")
        return games.open_game(command, secret, public["data"]["secret_hash"], now, codec.ruleset)
    # Who takes a seat has none before; who starts the game is its host, whom the stream does not know otherwise.
    seat = None if isinstance(command, TakeSeat) else cause["seat"]
    return games.decide(_begun(game), Sender(seat, host=public["actor"] == games.HOST), command, now, secret)


def _begun(game: Game | None) -> Game:
    if game is None:
        raise Unfounded("a stream begins with the command that opens its game")
    return game


def _by_clock(game: Game, stored: Stored, secret: bytes) -> Decision:
    due, now = time_of(stored.public["cause"]["deadline"]), time_of(stored.public["at"])
    if due > now:
        raise Unfounded("its time was not come")
    if game.status is Status.OPEN:
        return games.expire(game, now, secret)
    if game.deadline == due:
        seats: Sequence[Seat] = game.awaiting
    else:  # a house bot that did not move
        seats = stored.lapsed[:1]
        if not seats or game.sitters[seats[0]] is not games.Sitter.BOT:
            raise Unfounded("no timer was due then")
    if not set(seats) & set(game.awaited):
        raise Unfounded("nobody was awaited then")
    return games.lapse(game, seats, now, secret)


def _by_operator(game: Game, public: Mapping[str, Any], said: str, secret: bytes) -> Decision:
    now = time_of(public["at"])
    if game.status is Status.ENDED:
        raise Unfounded("the game had ended")
    if said == "release":
        return games.release(game, now, secret)
    events = games.end(game, secret)
    return Decision(events, games.fold([(None, events)], game), games.HOST, None)
