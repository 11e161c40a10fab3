"""A title whose secrets are long enough to be searched for: everybody hides a number, and may hide another over it."""

from dataclasses import dataclass, replace

from domain.chance import Draws
from domain.ruleset import Hidden, Outcome, Refused, Ruleset, Seat, Secret, Setup, Viewer

NUMBERS = range(2**30, 2**31)


@dataclass(frozen=True, slots=True)
class Options:
    """There are none."""


@dataclass(frozen=True, slots=True)
class Hide:
    """Hide a number."""

    number: int


@dataclass(frozen=True, slots=True)
class VaultBuilt:
    """An empty vault with a number in its door that nobody knows."""

    size: int
    door: Secret[int]


@dataclass(frozen=True, slots=True)
class NumberHidden:
    """A seat hid a number."""

    seat: Seat
    number: Secret[int]


@dataclass(frozen=True, slots=True)
class VaultOpened:
    """All numbers are known; the door's is not."""

    numbers: tuple[int, ...]


Event = VaultBuilt | NumberHidden | VaultOpened


@dataclass(frozen=True, slots=True)
class State:
    """What lies in the vault, and how often each seat hid."""

    hidden: tuple[Secret[int] | None, ...]
    opened: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """What one sees of the vault."""

    hidden: tuple[int | Hidden | None, ...]
    mine: int | None


def start(setup: Setup, draws: Draws) -> tuple[Event, ...]:
    return (VaultBuilt(setup.seats, Secret(NUMBERS[draws("door").below(len(NUMBERS))], ())),)


def decide(state: State, seat: Seat, command: Hide, draws: Draws) -> tuple[Event, ...]:
    if command.number not in NUMBERS:
        raise Refused("TOO_SMALL", least=NUMBERS[0])
    hidden = NumberHidden(seat, Secret(command.number, (seat,)))
    numbers = evolve(state, hidden).hidden
    if None in numbers:
        return (hidden,)
    return (hidden, VaultOpened(tuple(number.known for number in numbers if number)))


def lapse(state: State, seat: Seat, draws: Draws) -> tuple[Event, ...]:
    return decide(state, seat, advise(view(state, seat), (), draws), draws)


def evolve(state: State | None, event: Event) -> State:
    match event:
        case VaultBuilt():
            return State((None,) * event.size)
        case NumberHidden(seat, number):
            assert state is not None
            return replace(state, hidden=(*state.hidden[:seat], number, *state.hidden[seat + 1 :]))
        case VaultOpened():
            assert state is not None
            return replace(state, opened=event.numbers)


def awaiting(state: State) -> tuple[Seat, ...]:
    return tuple(seat for seat, number in enumerate(state.hidden) if number is None)


def legal(state: State, seat: Seat) -> tuple[Hide, ...]:
    return () if state.opened else (Hide(NUMBERS[0]), Hide(NUMBERS[-1]))


def outcome(state: State) -> Outcome | None:
    if not state.opened:
        return None
    best_first = sorted(range(len(state.opened)), key=lambda seat: -state.opened[seat])
    return Outcome("opened", tuple((seat,) for seat in best_first))


def view(state: State, viewer: Viewer) -> View:
    hidden = tuple(number.seen_by(viewer) if number else None for number in state.hidden)
    mine = None if viewer is None else state.hidden[viewer]
    return View(hidden, None if mine is None else mine.known)


def narrate(event: Event) -> str:
    match event:
        case VaultBuilt():
            return "A vault was built."
        case NumberHidden(seat, Secret(Hidden())):
            return f"Seat {seat} hid a number."
        case NumberHidden(seat, number):
            return f"Seat {seat} hid {number.known}."
        case VaultOpened():
            return f"The vault was opened: {event.numbers}."


def advise(view: View, legal: tuple[Hide, ...], draws: Draws) -> Hide:
    return Hide(NUMBERS[draws("advice").below(len(NUMBERS))])


RULESET: Ruleset[State, Hide, Event, View] = Ruleset(
    name="vault",
    title="Vault",
    version=1,
    summary="Everybody hides a number.",
    seats=(2, 3, 4),
    options=Options,
    commands=(Hide,),
    events=(VaultBuilt, NumberHidden, VaultOpened),
    view_type=View,
    refusals={"TOO_SMALL": "Hide a number of at least {least}."},
    reasons=("opened",),
    start=start,
    decide=decide,
    lapse=lapse,
    evolve=evolve,
    awaiting=awaiting,
    legal=legal,
    outcome=outcome,
    view=view,
    narrate=narrate,
    advise=advise,
)
