"""Duels in a few words: started, acted in, folded."""

from collections.abc import Iterable
from functools import reduce

from domain.chance import Draws, draws_from
from domain.ruleset import Setup
from domain.rulesets.novagravity import RULESET
from domain.rulesets.novagravity.commands import Act, Command
from domain.rulesets.novagravity.events import Event
from domain.rulesets.novagravity.options import Blue, Options
from domain.rulesets.novagravity.state import State, evolve
from tests.rulesets.novagravity.positions import STAR_ALONE, name, text

DRAWS: Draws = draws_from(bytes(32))


def duel(options: Options) -> State:
    """A duel that has just started."""
    return fold(RULESET.start(Setup(2, options), DRAWS))


def practice(ships: str, side: str = "b", obstacles: str = STAR_ALONE, quiet_plies: int = 0) -> State:
    """A practice game from this position, Blue on seat 0, drawn where nothing goes on."""
    start_from = text(ships, side, obstacles, quiet_plies)
    return duel(Options(blue=Blue.SEAT_0, no_progress=True, start_from=start_from))


def fold(events: Iterable[Event], state: State | None = None) -> State:
    """The state after these events."""
    folded = reduce(evolve, events, state)
    assert folded is not None
    return folded


def command(action: str) -> Act:
    """The command for `1,-4>2,-4`."""
    origin, _, target = action.partition(">")
    return Act(name(origin), name(target))


def events_of(state: State, asked: str | Command, seat: int | None = None) -> tuple[Event, ...]:
    """What follows when a seat, the one to act unless named, acts or asks for something."""
    by = state.to_act if seat is None else seat
    return RULESET.decide(state, by, command(asked) if isinstance(asked, str) else asked, DRAWS)


def act(state: State, asked: str | Command, seat: int | None = None) -> State:
    """The state after that."""
    return fold(events_of(state, asked, seat), state)
