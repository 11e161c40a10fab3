"""A title small enough to be right at a glance: all guess a hidden number, and the nearest guess of a round scores."""

from dataclasses import dataclass, replace
from enum import StrEnum

from domain.chance import Draws
from domain.ruleset import Hidden, Outcome, Refused, Ruleset, Seat, Secret, Setup, Viewer

ROUNDS = 3
NUMBERS = range(1, 10)


class Prize(StrEnum):
    NEAREST = "NEAREST"
    FARTHEST = "FARTHEST"


@dataclass(frozen=True, slots=True)
class Options:
    prize: Prize = Prize.NEAREST
    generous: bool = False


@dataclass(frozen=True, slots=True)
class Guess:
    """Guess a number, or another one, until everybody has."""

    number: int


@dataclass(frozen=True, slots=True)
class NumberHidden:
    """A round began: a number was drawn that nobody knows."""

    seats: int
    options: Options
    number: Secret[int]


@dataclass(frozen=True, slots=True)
class Guessed:
    """A seat guessed, known to itself alone."""

    seat: Seat
    number: Secret[int]


@dataclass(frozen=True, slots=True)
class Revealed:
    """The number and all guesses were shown; `points` are those of the whole game now."""

    number: int
    guesses: tuple[int, ...]
    points: tuple[int, ...]


Event = NumberHidden | Guessed | Revealed


@dataclass(frozen=True, slots=True)
class State:
    options: Options
    number: Secret[int]
    guesses: tuple[Secret[int] | None, ...]
    points: tuple[int, ...]
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class View:
    guesses: tuple[int | Hidden | None, ...]
    points: tuple[int, ...]
    rounds: int


def start(setup: Setup, draws: Draws) -> tuple[Event, ...]:
    if setup.options.generous and setup.seats == 2:
        raise Refused("BAD_OPTION", option="generous", reason="two seats would both win")
    return (_hidden(setup.seats, setup.options, 0, draws),)


def decide(state: State, seat: Seat, command: Guess, draws: Draws) -> tuple[Event, ...]:
    if outcome(state):
        raise Refused("NOT_AWAITED")
    if command.number not in NUMBERS:
        raise Refused("OUT_OF_RANGE", least=NUMBERS[0], most=NUMBERS[-1])
    guessed = Guessed(seat, Secret(command.number, (seat,)))
    state = evolve(state, guessed)
    return (guessed,) if None in state.guesses else (guessed, *_revealed(state, draws))


def lapse(state: State, seat: Seat, draws: Draws) -> tuple[Event, ...]:
    return decide(state, seat, Guess(NUMBERS[0]), draws)


def evolve(state: State | None, event: Event) -> State:
    match event:
        case NumberHidden(seats, options, number):
            begun = state or State(options, number, (), (0,) * seats)
            return replace(begun, number=number, guesses=(None,) * seats)
        case Guessed(seat, number):
            assert state is not None
            return replace(state, guesses=(*state.guesses[:seat], number, *state.guesses[seat + 1 :]))
        case Revealed():
            assert state is not None
            return replace(state, points=event.points, rounds=state.rounds + 1)


def awaiting(state: State) -> tuple[Seat, ...]:
    return tuple(seat for seat, guess in enumerate(state.guesses) if guess is None and not outcome(state))


def legal(state: State, seat: Seat) -> tuple[Guess, ...]:
    return () if outcome(state) else tuple(map(Guess, NUMBERS))


def outcome(state: State) -> Outcome | None:
    if state.rounds < ROUNDS:
        return None
    best_first = sorted(set(state.points), reverse=True)
    ranking = tuple(tuple(seat for seat, own in enumerate(state.points) if own == points) for points in best_first)
    return Outcome("most_points" if len(ranking[0]) == 1 else "shared", ranking)


def view(state: State, viewer: Viewer) -> View:
    guesses = tuple(guess.seen_by(viewer) if guess else None for guess in state.guesses)
    return View(guesses, state.points, state.rounds)


def narrate(event: Event) -> str:
    match event:
        case NumberHidden():
            return "A number was drawn."
        case Guessed(seat, Secret(Hidden())):
            return f"Seat {seat} guessed."
        case Guessed(seat, number):
            return f"Seat {seat} guessed {number.known}."
        case Revealed():
            return f"The number was {event.number}."


def advise(view: View, legal: tuple[Guess, ...], draws: Draws) -> Guess:
    return legal[draws("advice").below(len(legal))]


def _hidden(seats: int, options: Options, rounds: int, draws: Draws) -> NumberHidden:
    return NumberHidden(seats, options, Secret(NUMBERS[draws(f"number-{rounds}").below(len(NUMBERS))], ()))


def _revealed(state: State, draws: Draws) -> tuple[Event, ...]:
    number, guesses = state.number.known, tuple(guess.known for guess in state.guesses if guess)
    best = (min if state.options.prize is Prize.NEAREST else max)(abs(guess - number) for guess in guesses)
    points = tuple(own + (abs(guess - number) == best) for own, guess in zip(state.points, guesses, strict=True))
    revealed = Revealed(number, guesses, points)
    if state.rounds + 1 == ROUNDS:
        return (revealed,)
    return (revealed, _hidden(len(guesses), state.options, state.rounds + 1, draws))


TOY: Ruleset[State, Guess, Event, View] = Ruleset(
    name="toy",
    title="Toy",
    version=1,
    summary="Guess the hidden number, three times.",
    seats=(2, 3, 4),
    options=Options,
    commands=(Guess,),
    events=(NumberHidden, Guessed, Revealed),
    view_type=View,
    refusals={"OUT_OF_RANGE": "Guess a number from {least} to {most}."},
    reasons=("most_points", "shared"),
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
