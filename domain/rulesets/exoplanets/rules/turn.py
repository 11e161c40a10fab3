"""Taking back, and closing a turn: the next one, or the end of the game (RULES 9 and 10)."""

from domain.ruleset import Refused, Seat
from domain.rulesets.exoplanets.board import TAKEBACKS
from domain.rulesets.exoplanets.events import (
    Event,
    GoalCompleted,
    RankingSettled,
    SeatScored,
    TurnEnded,
    TurnStarted,
)
from domain.rulesets.exoplanets.goals import GOALS
from domain.rulesets.exoplanets.rules.hand import hand_of
from domain.rulesets.exoplanets.scoring import ranking, score
from domain.rulesets.exoplanets.state import State, after


def undo(state: State) -> tuple[Event, ...]:
    """The last act that may be taken back is."""
    if state.taken_back >= TAKEBACKS:
        raise Refused("TOO_MANY_UNDOS", most=TAKEBACKS)
    if not state.takebacks:
        raise Refused("NOTHING_TO_UNDO")
    return (state.takebacks[-1],)


def end(state: State, seat: Seat) -> tuple[Event, ...]:
    """The turn is closed. While the Star has energy the next seat's begins; else the game is scored."""
    if state.star:
        return TurnEnded(seat), TurnStarted((seat + 1) % len(state.players), state.turn + 1)
    closed: tuple[Event, ...] = (TurnEnded(seat), *_completed(state))
    final = after(state, closed)
    scores = tuple(
        score(final.system, final.players[seat].claims, final.players[seat].crystals, seat) for seat in final.seats
    )
    return (*closed, *map(SeatScored, scores), RankingSettled(ranking(scores)))


def _completed(state: State) -> tuple[GoalCompleted, ...]:
    """The goals still held that prove to be reached."""
    return tuple(
        GoalCompleted(seat, tile.id, goal.id, goal.points)
        for seat in state.seats
        for tile in hand_of(state, seat)
        if (goal := GOALS[tile.goal]).met(state.system, seat)
    )
