"""The race as folded from its events, whole or redacted, and how each event changes it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias, TypeVar, cast

from domain.ruleset import HIDDEN, Hidden, Outcome, Seat, Secret
from domain.rulesets.gravwell.board import Fuel, Ships
from domain.rulesets.gravwell.events import (
    Event,
    FuelChosen,
    FuelOrder,
    FuelResolved,
    FuelRevealed,
    HandDealt,
    Move,
    PhaseOpened,
    RaceBegun,
    RaceEnded,
    RoundDealt,
    StackDrafted,
    StacksTurnedUp,
    StopAsked,
    StopUsed,
)
from domain.rulesets.gravwell.options import Options
from domain.values import changed

T = TypeVar("T")


class Stage(StrEnum):
    """What goes on now: a draft, the choice of fuel, the resolving of cards, a stop asked about, or nothing more."""

    DRAFT = "DRAFT"
    FUEL = "FUEL"
    REVEAL = "REVEAL"
    STOP = "STOP"
    OVER = "OVER"


@dataclass(frozen=True, slots=True)
class Draft:
    """The stacks of a round, by number: their cards, who took them, and whose turn it is in each pass."""

    order: tuple[Seat, ...]
    face_up: tuple[Fuel, ...]
    face_down: Secret[tuple[Fuel, ...]]
    turned_up: tuple[Fuel, ...]
    taken_by: tuple[Seat | None, ...]

    @property
    def free(self) -> tuple[int, ...]:
        """The stacks that nobody took, ascending."""
        return tuple(stack for stack, seat in enumerate(self.taken_by) if seat is None)

    @property
    def drafter(self) -> Seat | None:
        """Whose pick it is; None when all stacks are taken."""
        picks = len(self.taken_by) - self.taken_by.count(None)
        return self.order[picks % len(self.order)] if picks < len(self.taken_by) else None


NO_DRAFT = Draft((), (), Secret((), ()), (), ())


@dataclass(frozen=True, slots=True)
class Hand:
    """What a seat holds: cards everybody saw it take, and cards only it knows; and what it played this round."""

    open: tuple[Fuel, ...] = ()
    covered: tuple[Secret[Fuel], ...] = ()
    played: tuple[Fuel, ...] = ()

    @property
    def size(self) -> int:
        """The number of cards held."""
        return len(self.open) + len(self.covered)

    @property
    def cards(self) -> tuple[Fuel, ...]:
        """The cards held, by letter. They must be known."""
        return tuple(sorted((*self.open, *(card.known for card in self.covered))))

    def after(self, card: Fuel) -> "Hand":
        """The hand once this card of it was played. If it was among the covered ones, any unknown one leaves."""
        played = (*self.played, card)
        if card in self.open:
            return Hand(_without(self.open, self.open.index(card)), self.covered, played)
        left = next((at for at, secret in enumerate(self.covered) if secret.value in {card, HIDDEN}), len(self.covered))
        return Hand(self.open, _without(self.covered, left), played)


Step: TypeAlias = FuelResolved | StopUsed
"""What came of one card."""


@dataclass(frozen=True)
class State:
    """A race. Rows are by seat; `ships` by ship. `phase` is 0 during a draft.

    `orders` and `choices` (how often a seat chose) are of this phase; `reveal` and `steps` of the last one revealed.
    """

    options: Options
    age_rank: tuple[Seat, ...]
    ships: Ships
    stops: tuple[bool, ...]
    hands: tuple[Hand, ...]
    orders: tuple[Secret[FuelOrder] | None, ...]
    choices: tuple[int, ...]
    stage: Stage = Stage.DRAFT
    round: int = 0
    phase: int = 0
    draft: Draft = NO_DRAFT
    reveal: FuelRevealed | None = None
    steps: tuple[Step, ...] = ()
    question: StopAsked | None = None
    outcome: Outcome | None = None

    @property
    def seats(self) -> int:
        """How many seats race."""
        return len(self.age_rank)


def evolve(state: State | None, event: Event) -> State:
    """The race after one event. Total, also over HIDDEN values; reads no rules."""
    return _CHANGES[type(event)](state, event)


def moved(ships: Ships, moves: Iterable[Move]) -> Ships:
    """Where the ships stand after these moves."""
    spaces = list(ships)
    for move in moves:
        spaces[move.ship] = move.end
    return tuple(spaces)


def _put(row: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    return (*row[:at], value, *row[at + 1 :])


def _without(row: tuple[T, ...], at: int) -> tuple[T, ...]:
    return (*row[:at], *row[at + 1 :])


def _race_begun(_: State | None, event: RaceBegun) -> State:
    seats = len(event.age_rank)
    return State(
        options=event.agreed,
        age_rank=event.age_rank,
        ships=event.ships,
        stops=(True,) * seats,
        hands=(Hand(),) * seats,
        orders=(None,) * seats,
        choices=(0,) * seats,
    )


def _round_dealt(state: State, event: RoundDealt) -> State:
    return changed(
        state,
        stage=Stage.DRAFT,
        round=event.round,
        phase=0,
        stops=event.stops,
        draft=Draft(
            event.draft_order, event.face_up_cards, event.face_down_cards, (), (None,) * len(event.face_up_cards)
        ),
        hands=(Hand(),) * state.seats,
        orders=(None,) * state.seats,
        choices=(0,) * state.seats,
    )


def _stacks_turned_up(state: State, event: StacksTurnedUp) -> State:
    return changed(state, draft=replace(state.draft, turned_up=event.cards))


def _hand_dealt(state: State, event: HandDealt) -> State:
    cards: Iterable[Fuel | Hidden] = (HIDDEN,) * event.size if event.hand.value is HIDDEN else event.hand.known
    covered = tuple(Secret(card, event.hand.to) for card in cards)
    return changed(state, hands=_put(state.hands, event.seat, Hand(covered=covered)))


def _stack_drafted(state: State, event: StackDrafted) -> State:
    hand = state.hands[event.seat]
    hand = Hand((*hand.open, event.face_up), (*hand.covered, event.face_down))
    draft = replace(state.draft, taken_by=_put(state.draft.taken_by, event.stack, event.seat))
    return changed(state, draft=draft, hands=_put(state.hands, event.seat, hand))


def _phase_opened(state: State, event: PhaseOpened) -> State:
    return changed(
        state,
        stage=Stage.FUEL,
        phase=event.phase,
        draft=NO_DRAFT,
        orders=(None,) * state.seats,
        choices=(0,) * state.seats,
    )


def _fuel_chosen(state: State, event: FuelChosen) -> State:
    return changed(
        state,
        orders=_put(state.orders, event.seat, event.order),
        choices=_put(state.choices, event.seat, state.choices[event.seat] + 1),
    )


def _fuel_revealed(state: State, event: FuelRevealed) -> State:
    hands = tuple(hand.after(card) for hand, card in zip(state.hands, event.cards, strict=True))
    return changed(state, stage=Stage.REVEAL, hands=hands, reveal=event, steps=())


def _stop_asked(state: State, event: StopAsked) -> State:
    return changed(state, stage=Stage.STOP, question=event)


def _stop_used(state: State, event: StopUsed) -> State:
    stops = _put(state.stops, event.seat, value=False)
    return changed(state, stage=Stage.REVEAL, question=None, stops=stops, steps=(*state.steps, event))


def _fuel_resolved(state: State, event: FuelResolved) -> State:
    ships = moved(state.ships, event.moves)
    return changed(state, stage=Stage.REVEAL, question=None, ships=ships, steps=(*state.steps, event))


def _race_ended(state: State, event: RaceEnded) -> State:
    return changed(state, stage=Stage.OVER, outcome=Outcome(event.reason, event.ranking))


# Each function is given the events of its key alone, which the type of a mapping cannot say.
_CHANGES = cast(
    "Mapping[type[Event], Callable[[State | None, Event], State]]",
    {
        RaceBegun: _race_begun,
        RoundDealt: _round_dealt,
        StacksTurnedUp: _stacks_turned_up,
        HandDealt: _hand_dealt,
        StackDrafted: _stack_drafted,
        PhaseOpened: _phase_opened,
        FuelChosen: _fuel_chosen,
        FuelRevealed: _fuel_revealed,
        StopAsked: _stop_asked,
        StopUsed: _stop_used,
        FuelResolved: _fuel_resolved,
        RaceEnded: _race_ended,
    },
)
