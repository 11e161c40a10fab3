"""Toys that each break one law, in one way."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Final

import pytest

from domain.catalogue import AnyRuleset
from domain.chance import Draws
from domain.ruleset import Refused, Seat, Secret
from tests.rulesets import laws
from tests.rulesets.toy import NUMBERS, TOY, Event, Guess, Guessed, NumberHidden, Revealed, State, View


@dataclass(frozen=True, slots=True)
class Whispered:
    """A guess of which too much is public."""

    seat: Seat
    number: Secret[int]
    public: Any


def _asking(state: State | None, event: Event) -> State:
    after = TOY.evolve(state, event)
    assert not TOY.outcome(after) or after.rounds == 3
    return after


def _refusing(state: State | None, event: Event) -> State:
    if isinstance(event, Guessed) and state and state.guesses[event.seat]:
        raise Refused("NOT_AWAITED")
    return TOY.evolve(state, event)


def _saying(whisper: Callable[[int], Any], *, known: bool = True) -> AnyRuleset:
    """Guesses are recorded with something that depends on them."""

    def decide(state: State, seat: Seat, command: Guess, draws: Draws) -> tuple[Any, ...]:
        guessed: Any
        guessed, *others = TOY.decide(state, seat, command, draws)
        return (Whispered(seat, guessed.number, whisper(command.number)), *others)

    def evolve(state: State | None, event: Any) -> State:
        return TOY.evolve(state, Guessed(event.seat, event.number) if isinstance(event, Whispered) else event)

    def narrate(event: Any) -> str:
        return "A guess." if isinstance(event, Whispered) else TOY.narrate(event)

    events = (*TOY.events, Whispered) if known else TOY.events
    return replace(TOY, decide=decide, evolve=evolve, narrate=narrate, events=events)


def _deciding(change: Callable[..., Any]) -> AnyRuleset:
    """What follows from a guess is changed: `change(events, state, seat, command, draws)`."""

    def decide(state: State, seat: Seat, command: Guess, draws: Draws) -> tuple[Event, ...]:
        return tuple(change(TOY.decide(state, seat, command, draws), state, seat, command, draws))

    return replace(TOY, decide=decide)


def _refusing_with(refusal: Exception) -> AnyRuleset:
    def decide(state: State, seat: Seat, command: Guess, draws: Draws) -> tuple[Event, ...]:
        if command.number not in NUMBERS:
            raise refusal
        return TOY.decide(state, seat, command, draws)

    return replace(TOY, decide=decide)


def _for_the_last_to_guess(events: Any, state: State, seat: Seat, *_: Any) -> Iterator[Event]:
    for event in events:
        if isinstance(event, Revealed):
            points = tuple(own + (at == seat) for at, own in enumerate(state.points))
            yield replace(event, points=points)
        else:
            yield event


def _twice_if_high(events: Any, state: State, seat: Seat, command: Guess, *_: Any) -> Any:
    return (events[0], *events) if command.number > 5 else events


def _for_everybody(events: Any, state: State, seat: Seat, *_: Any) -> Any:
    if len(events) > 1:
        return events
    others = (Guessed(other, Secret(1, (other,))) for other in range(len(state.guesses)) if other != seat)
    return (*events, *others)


def _open_guesses(state: State, viewer: Seat | None) -> View:
    guesses = tuple(guess.value if guess else None for guess in state.guesses)
    return replace(TOY.view(state, viewer), guesses=guesses)


def _guess(number: Any) -> Guess:
    return Guess(number)


_counter = count()

BROKEN: Final = [
    pytest.param(law, ruleset, id=f"{law.__name__}: {how}")
    for law, how, ruleset in (
        (laws.facts_only, "evolve refuses", replace(TOY, evolve=_refusing)),
        (laws.facts_only, "evolve asks the rules", replace(TOY, evolve=_asking)),
        (laws.facts_only, "a float", _saying(lambda number: number / 2)),
        (laws.facts_only, "a list", _saying(lambda number: [number])),
        (laws.facts_only, "a secret inside of a field", _saying(lambda number: (Secret(number, ()),))),
        (laws.facts_only, "an event that is not declared", _saying(lambda _: 0, known=False)),
        (laws.fold, "chance of its own", _saying(lambda _: next(_counter))),
        (laws.fold, "a decision without events", _deciding(lambda *_: ())),
        (laws.fold, "a label used twice", _deciding(lambda events, *rest: rest[-1]("again").below(2) + 1 and events)),
        (laws.legal, "a turn that is refused", replace(TOY, legal=lambda *_: (Guess(10),))),
        (laws.legal, "a turn that is not listed", replace(TOY, legal=lambda *at: TOY.legal(*at)[:1])),
        (laws.legal, "a turn that is listed twice", replace(TOY, legal=lambda *at: TOY.legal(*at) * 2)),
        (laws.legal, "a turn that is not flat", replace(TOY, legal=lambda *_: (_guess((1, (2, 3))),))),
        (laws.legal, "junk that raises something else", _refusing_with(LookupError())),
        (laws.legal, "a code that is not declared", _refusing_with(Refused("NO_SUCH_NUMBER"))),
        (laws.legal, "a refusal without its facts", _refusing_with(Refused("OUT_OF_RANGE", least=1))),
        (laws.awaiting, "a turn that ends another seat's", _deciding(_for_everybody)),
        (laws.awaiting, "nobody is awaited", replace(TOY, awaiting=lambda _: ())),
        (laws.awaiting, "who is awaited has no turn", replace(TOY, legal=lambda *_: ())),
        (laws.awaiting, "a lapse without progress", replace(TOY, lapse=lambda *_: ())),
        (laws.awaiting, "a game that never ends", replace(TOY, outcome=lambda _: None)),
        (laws.awaiting, "a reason that is not declared", replace(TOY, reasons=("won",))),
        (laws.veil, "guesses are shown", replace(TOY, view=_open_guesses)),
        (laws.veil, "turns depend on the number", replace(TOY, legal=lambda state, _: (_guess(state.number.value),))),
        (laws.hide, "a public field depends on it", _saying(lambda number: number > 5)),
        (laws.hide, "a public field is it", _saying(lambda number: number)),
        (laws.hide, "the number of events depends on it", _deciding(_twice_if_high)),
        (laws.hide, "the view depends on it", replace(TOY, view=_open_guesses)),
        (laws.sets, "the last to guess wins", _deciding(_for_the_last_to_guess)),
        (laws.narrated, "two sentences", replace(TOY, narrate=lambda _: "A seat guessed. Who knows what.")),
        (laws.narrated, "what is hidden", replace(TOY, narrate=lambda event: f"A seat did {event}.")),
    )
]

DISORDERLY: Final = [
    pytest.param(ruleset, id=how)
    for how, ruleset in (
        ("an event declared twice", replace(TOY, events=(*TOY.events, NumberHidden))),
        ("a command of the game", replace(TOY, commands=(type("Resign", (), {}),))),
        ("a code of the game", replace(TOY, refusals={"NOT_AWAITED": "Wait."})),
        ("a code in lower case", replace(TOY, refusals={"out_of_range": "Guess less."})),
        ("no reason to end", replace(TOY, reasons=())),
        ("a reason in upper case", replace(TOY, reasons=("WON",))),
        (
            "a reserved field",
            replace(TOY, events=(*TOY.events, dataclass(type("Seen", (), {"__annotations__": {"prev_hash": str}})))),
        ),
    )
]
