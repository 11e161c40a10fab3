"""Random play: a plan that Hypothesis draws, and the record of the game that follows from it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum, EnumType
from functools import reduce
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from domain.catalogue import AnyRuleset
from domain.chance import Draw, Draws, draws_from
from domain.ruleset import Refused, Seat, Setup, Viewer

WARM_UP_MAX = 250
"""The most turns taken before anything is looked at, so that all parts of a game are come to."""

MOVES_MAX = 10
"""The most moves of a play that are looked at."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One of the seats that have legal turns takes one of them; both numbers are counted round."""

    seat: int
    turn: int


@dataclass(frozen=True, slots=True)
class Lapse:
    """One of the awaited seats does not act in time; the number is counted round."""

    seat: int


@dataclass(frozen=True, slots=True)
class Junk:
    """A seat asks for whatever the type of a command permits."""

    seat: Seat
    command: Any


Move = Turn | Lapse | Junk


@dataclass(frozen=True, slots=True)
class Plan:
    """A game to play: its setup and seed, how many turns to take before looking, and what to do then."""

    setup: Setup
    seed: int
    warm_up: int = 0
    moves: tuple[Move, ...] = ()

    @property
    def draws(self) -> Draws:
        return draws_from(self.seed.to_bytes(32, "big"))


@dataclass(frozen=True, slots=True)
class Step:
    """One thing asked of the rules: by a seat with a command, by the clock for a seat, or, without both, the start."""

    seat: Seat | None
    command: Any
    before: Any
    events: tuple[Any, ...]
    refusal: Refused | None
    after: Any
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """A game as it was played: the steps until looking began, the start at least, and those that were looked at."""

    ruleset: AnyRuleset
    plan: Plan
    before: tuple[Step, ...]
    looked_at: tuple[Step, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.before + self.looked_at

    @property
    def events(self) -> tuple[Any, ...]:
        return tuple(event for step in self.steps for event in step.events)

    @property
    def states(self) -> tuple[Any, ...]:
        """The states that were looked at, one for each decision, the last one last."""
        return (self.before[-1].after, *(step.after for step in self.looked_at if step.events))

    @property
    def seats(self) -> range:
        return range(self.plan.setup.seats)

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        """The public and every seat."""
        return (None, *self.seats)

    def decided(self, state: Any, seat: Seat, command: Any) -> tuple[Any, ...]:
        """What follows at any state of this game from a seat's command, or, where that is None, from its lapse."""
        return decided(self.ruleset, state, seat, command, self.plan.draws)

    def folded(self, events: Iterable[Any], state: Any = None) -> Any:
        """The state after these events."""
        return folded(self.ruleset, events, state)

    def any_order(self, state: Any, seat: Seat) -> Any:
        """One of a seat's legal turns, or None for its lapse, as the seed of the plan has it."""
        turns = (*self.ruleset.legal(state, seat), None)
        return turns[(self.plan.seed + seat) % len(turns)]


def played(ruleset: AnyRuleset, plan: Plan) -> Play:
    """The game of a plan. It ends early where it is over; the warm-up ends a turn before that."""
    before = [_step(ruleset, None, None, None, plan.draws, lambda draws: ruleset.start(plan.setup, draws))]
    chance = plan.draws("warm-up")
    for _ in range(plan.warm_up):
        step = _turn(ruleset, before[-1].after, *_any_turn(ruleset, before[-1].after, chance), plan.draws)
        if ruleset.outcome(step.after) is not None:
            break
        before.append(step)
    looked_at: list[Step] = []
    for move in plan.moves:
        state = (looked_at or before)[-1].after
        if ruleset.outcome(state) is not None:
            break
        looked_at.append(_turn(ruleset, state, *_asked(ruleset, state, plan.setup.seats, move), plan.draws))
    return Play(ruleset, plan, tuple(before), tuple(looked_at))


def decided(ruleset: AnyRuleset, state: Any, seat: Seat, command: Any, draws: Draws) -> tuple[Any, ...]:
    """What follows from a seat's command, or, where that is None, from its lapse."""
    return ruleset.lapse(state, seat, draws) if command is None else ruleset.decide(state, seat, command, draws)


def folded(ruleset: AnyRuleset, events: Iterable[Any], state: Any = None) -> Any:
    """The state after these events."""
    return reduce(ruleset.evolve, events, state)


def plans(ruleset: AnyRuleset, seats: int) -> st.SearchStrategy[Plan]:
    """Plans for one number of seats, under all those options that choose between a few values."""
    options = st.builds(ruleset.options, **dict(_choices(ruleset.options)))
    setups = st.builds(Setup, st.just(seats), options).filter(lambda setup: _makes_sense(ruleset, setup))
    seat = st.integers(0, seats - 1)
    turns = st.builds(Turn, seat, st.integers(0, 999))
    junk = st.builds(Junk, seat, st.one_of(*map(_anything, ruleset.commands)))
    moves = st.one_of(turns, turns, st.builds(Lapse, seat), junk)
    return st.builds(
        Plan,
        setups,
        seed=st.integers(0, 2**32 - 1),
        warm_up=st.integers(0, WARM_UP_MAX),
        moves=st.lists(moves, min_size=1, max_size=MOVES_MAX).map(tuple),
    )


def _makes_sense(ruleset: AnyRuleset, setup: Setup) -> bool:
    try:
        ruleset.start(setup, draws_from(bytes(32)))
    except Refused as refusal:
        if refusal.code == "BAD_OPTION":
            return False
        raise
    return True


def _choices(options: type) -> Iterator[tuple[str, st.SearchStrategy[Any]]]:
    for name, hint in get_type_hints(options).items():
        if hint is bool or (isinstance(hint, type) and issubclass(hint, Enum)):
            yield name, st.from_type(hint)


def _anything(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type that a command or its field may have, mostly senseless."""
    if get_origin(hint) in {Union, UnionType}:
        return st.one_of(*map(_anything, get_args(hint)))
    if get_origin(hint) is tuple:
        return st.lists(_anything(get_args(hint)[0]), max_size=6).map(tuple)
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{field.name: _anything(hints[field.name]) for field in fields(hint)})
    if hint is int:
        return st.integers(-2, 12) | st.integers(-(2**53), 2**53)
    if hint is str:
        return st.text(max_size=8) | st.from_regex(r"[A-Z][0-9]{1,2}", fullmatch=True)
    return st.from_type(hint)


def _any_turn(ruleset: AnyRuleset, state: Any, chance: Draw) -> tuple[Seat, Any]:
    awaiting = ruleset.awaiting(state)
    assert awaiting, "a game that goes on awaits somebody"
    seat = awaiting[chance.below(len(awaiting))]
    legal = ruleset.legal(state, seat)
    assert legal, "an awaited seat has a legal turn"
    return seat, legal[chance.below(len(legal))]


def _asked(ruleset: AnyRuleset, state: Any, seats: int, move: Move) -> tuple[Seat, Any]:
    """The seat and the command of a move; for a lapse None in place of the command."""
    match move:
        case Junk(seat, command):
            return seat, command
        case Lapse(at):
            awaiting = ruleset.awaiting(state)
            assert awaiting, "a game that goes on awaits somebody"
            return awaiting[at % len(awaiting)], None
        case Turn(at, turn):
            legal = [(seat, turns) for seat in range(seats) if (turns := ruleset.legal(state, seat))]
            assert legal, "in a game that goes on somebody has a legal turn"
            seat, turns = legal[at % len(legal)]
            return seat, turns[turn % len(turns)]


def _turn(ruleset: AnyRuleset, state: Any, seat: Seat, command: Any, draws: Draws) -> Step:
    return _step(ruleset, seat, command, state, draws, lambda draws: decided(ruleset, state, seat, command, draws))


def _step(
    ruleset: AnyRuleset,
    seat: Seat | None,
    command: Any,
    state: Any,
    draws: Draws,
    change: Callable[[Draws], tuple[Any, ...]],
) -> Step:
    labels: list[str] = []

    def labelled(label: str) -> Draw:
        labels.append(label)
        return draws(label)

    try:
        events = change(labelled)
    except Refused as refusal:
        return Step(seat, command, state, (), refusal, state, ())
    except Exception as error:
        raise AssertionError(f"{command!r} of seat {seat} raised {error!r}") from error
    return Step(seat, command, state, events, None, folded(ruleset, events, state), tuple(labels))


def variations(options: type) -> Iterator[tuple[str, Any]]:
    """Options that differ from the default in one choice, by name."""
    for name, hint in get_type_hints(options).items():
        for value in (False, True) if hint is bool else hint if isinstance(hint, EnumType) else ():
            if value != getattr(options(), name):
                yield f"{name}-{value}".lower(), options(**{name: value})
