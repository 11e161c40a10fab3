"""Races in the middle: a track from the notation of the rule sheet, hands as given, and play from there."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

from domain.chance import draws_from
from domain.ruleset import Seat, Secret, Setup
from domain.rulesets.gravwell import RULESET
from domain.rulesets.gravwell.board import D1, D2, Fuel, Ships
from domain.rulesets.gravwell.commands import Command, PlayFuel, Stop
from domain.rulesets.gravwell.events import Event, RoundDealt
from domain.rulesets.gravwell.options import Options
from domain.rulesets.gravwell.state import NO_DRAFT, Hand, Stage, State

DRAWS = draws_from(bytes(32))

SHIPS: Mapping[str, int] = {"A": 0, "B": 1, "C": 2, "E": 3, "D1": D1, "D2": D2}


def track(text: str, before: Ships = (None,) * 6) -> Ships:
    """`A20 B18 D1 26 D2 36`: the seats' ships are A, B, C and E; `-` is off the board; others stand as before."""
    spaces = list(before)
    for name, space in re.findall(r"([ABCE]|D[12] )(\d+|-)", text):
        spaces[SHIPS[name.strip()]] = None if space == "-" else int(space)
    return tuple(spaces)


def race(
    text: str,
    *hands: str,
    round: int = 1,  # noqa: A002
    phase: int = 1,
    stops: Iterable[bool] | None = None,
    options: Options | None = None,
    age_rank: tuple[Seat, ...] | None = None,
) -> State:
    """A race where a phase has just opened: the track, and for each seat the letters of its hand, all covered."""
    seats = len(hands)
    return State(
        options=options or Options(),
        age_rank=age_rank or tuple(range(seats)),
        ships=track(text),
        stops=tuple(stops or (True,) * seats),
        hands=tuple(
            Hand(covered=tuple(Secret(Fuel[letter], (seat,)) for letter in hand)) for seat, hand in enumerate(hands)
        ),
        orders=(None,) * seats,
        choices=(0,) * seats,
        stage=Stage.FUEL,
        round=round,
        phase=phase,
        draft=NO_DRAFT,
    )


def started(seats: int, options: Options | None = None, seed: int = 0) -> State:
    """A race at its start."""
    return fold(RULESET.start(Setup(seats, options or Options()), draws_from(seed.to_bytes(32, "big"))))


def fold(events: Iterable[Event], state: State | None = None) -> State:
    """The race after these events."""
    folded = reduce(RULESET.evolve, events, state)
    assert folded is not None
    return folded


def turn(state: State, seat: Seat, command: Command) -> tuple[Event, ...]:
    """What follows from a command."""
    return RULESET.decide(state, seat, command, DRAWS)


def turns(state: State, *turns_taken: tuple[Seat, Command]) -> tuple[Event, ...]:
    """What follows from commands in a row."""
    events: tuple[Event, ...] = ()
    for seat, command in turns_taken:
        events += turn(fold(events, state), seat, command)
    return events


def fuels(state: State, *orders: str) -> tuple[Event, ...]:
    """What follows if each seat plays its order, in seat order: `M`, `M NEVER`, `M IF_BACKWARD` ..."""
    return turns(state, *((seat, fuel(order)) for seat, order in enumerate(orders)))


def fuel(order: str) -> PlayFuel:
    """`M IF_BACKWARD` as a command; without an instruction, `NEVER`."""
    card, _, stop = order.partition(" ")
    return PlayFuel(Fuel[card], Stop(stop or "NEVER"))


def lapse(state: State) -> tuple[Event, ...]:
    """What follows where the first seat awaited does not act."""
    return RULESET.lapse(state, RULESET.awaiting(state)[0], DRAWS)


def lapsed(state: State, until: Stage) -> State:
    """The race after everybody awaited was lapsed until it comes to this stage."""
    while state.stage is not until:
        state = fold(lapse(state), state)
    return state


@dataclass(frozen=True, slots=True)
class Moment:
    """An event of a race, and the race before and after it."""

    before: State | None
    event: Event
    after: State


def whole_race(seats: int, options: Options, seed: int) -> list[Moment]:
    """A whole race in which everybody awaited takes any legal turn."""
    draws = draws_from(seed.to_bytes(32, "big"))
    chance = draws_from(seed.to_bytes(32, "little"))("any turn")
    events, state, moments = RULESET.start(Setup(seats, options), draws), None, []
    while events:
        for event in events:
            moments.append(Moment(state, event, fold([event], state)))
            state = moments[-1].after
        events = ()
        if state is not None and state.outcome is None:
            seat = RULESET.awaiting(state)[0]
            legal = RULESET.legal(state, seat)
            events = RULESET.decide(state, seat, legal[chance.below(len(legal))], draws)
    return moments


def names(events: Iterable[Event]) -> list[str]:
    """The names of the events."""
    return [type(event).__name__ for event in events]


def dealt(events: Iterable[Event]) -> RoundDealt:
    """The one deal among these events."""
    (deal,) = (event for event in events if isinstance(event, RoundDealt))
    return deal
