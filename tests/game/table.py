"""A game under test: it remembers its decisions, and holds at every one that they fold to the game reached."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from domain import game
from domain.game import Decision, ForkGame, Game, OpenGame, Sender, TakeSeat
from domain.ruleset import Refused, Seat

SECRET: Final = bytes(range(32))
OTHER_SECRET: Final = bytes(range(32, 64))
NOW: Final = datetime(2026, 11, 29, 20, tzinfo=UTC)


class Table:
    """`now` is the time of the next decision; `events` and `actor` are those of the last."""

    def __init__(self, opening: OpenGame | Decision) -> None:
        self.now = NOW
        self._decisions: list[tuple[Seat | None, tuple[Any, ...]]] = []
        self._record(game.open_game(opening, SECRET, "c0ffee", NOW) if isinstance(opening, OpenGame) else opening)

    def do(
        self,
        seat: Seat | None,
        command: Any,
        *,
        host: bool = False,
        expected: int | None = None,
        as_seat: Seat | None = None,
    ) -> Any:
        """What follows from a command of whoever sits on this seat."""
        sender = Sender(seat, host, as_seat)
        return self._record(game.decide(self.game, sender, command, self.now, SECRET, expected_version=expected))

    def lapse(self, *seats: Seat) -> Any:
        return self._record(game.lapse(self.game, seats, self.now, SECRET))

    def expire(self) -> Any:
        return self._record(game.expire(self.game, self.now, SECRET))

    def release(self) -> Any:
        return self._record(game.release(self.game, self.now, SECRET))

    def wait(self, **time: int) -> None:
        self.now += timedelta(**time)

    def refold(self, kept: int = 0) -> Game:
        """The game folded from its decisions, the first `kept` of them at once and the others from there."""
        start = game.fold(self._decisions[:kept]) if kept else None
        return game.fold(self._decisions[kept:], start) if self._decisions[kept:] else self.game

    def after(self, decisions: int) -> Game:
        """The game after so many of its decisions."""
        return game.fold(self._decisions[:decisions])

    def forked(self, decisions: int, rules: int | None = None) -> "Table":
        """A practice game that goes on after so many decisions of this one."""
        begun = self._decisions[:decisions]
        source, past = self.after(decisions), game.past_of(event for _, events in begun for event in events)
        command = ForkGame("the-source", source.version, rules)
        return Table(game.fork_game(command, source, "facade", past, OTHER_SECRET, "c0ffee", NOW))

    def _record(self, decision: Decision) -> Any:
        self.game, self.events, self.actor = decision.game, decision.events, decision.actor
        self._decisions.append((decision.seat, decision.events))
        assert self.refold() == self.game
        return self.events


def opened(title: str = "toy", seats: int = 2, **how: Any) -> Table:
    """A game that its opener sits in."""
    return Table(OpenGame(title, seats, **how))


def started(title: str = "toy", seats: int = 2, **how: Any) -> Table:
    """A game whose seats are all taken."""
    table = opened(title, seats, **how)
    while table.game.free:
        table.do(None, TakeSeat())
    return table


def names(events: Iterable[Any]) -> list[str]:
    return [type(event).__name__ for event in events]


def refusal(table: Table, seat: Seat | None, command: Any, **how: Any) -> tuple[str, dict[str, Any]]:
    """The code and facts with which a command is refused, which leaves the game as it was."""
    before = table.game
    try:
        table.do(seat, command, **how)
    except Refused as refused:
        assert table.game is before
        return refused.code, refused.facts
    raise AssertionError(f"{command} was accepted")
