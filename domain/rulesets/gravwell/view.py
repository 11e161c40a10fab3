"""What one viewer may see of a race, and each event as a sentence."""

from dataclasses import dataclass
from typing import TypeVar, assert_never

from domain.ruleset import Hidden, Seat, Viewer
from domain.rulesets.gravwell.board import CHANGES_A_PHASE, D1, GATE, SINGULARITY, START, Fuel, Kind, Ship
from domain.rulesets.gravwell.commands import Stop
from domain.rulesets.gravwell.events import (
    Cause,
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
from domain.rulesets.gravwell.gravity import Gravity, gravity_on
from domain.rulesets.gravwell.options import Options
from domain.rulesets.gravwell.state import Draft, Hand, Stage, State, Step

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ShipView:
    """A ship on the track and the pull on it now.

    `ship` is 0 to 3 for the ship of that `seat`, 4 and 5 for the derelicts D1 and D2, whose `seat` is null.
    `space` is 0 in the Singularity, 54 in the Warp Gate, null once off the board.
    """

    ship: Ship
    seat: Seat | None
    space: int | None
    gravity: Gravity


@dataclass(frozen=True, slots=True)
class SeatView:
    """What everybody knows of a seat.

    `stop_ready`: its Emergency Stop lies face up. `open_cards`: cards still in its hand that it drafted face up.
    `played`: cards it played this round, in order. `chosen`: it has chosen its card of this phase, and may choose anew
    `changes_left` times.
    """

    seat: Seat
    stop_ready: bool
    hand_size: int
    open_cards: tuple[Fuel, ...]
    played: tuple[Fuel, ...]
    chosen: bool
    changes_left: int


@dataclass(frozen=True, slots=True)
class StackView:
    """A stack of the draft. `face_down` is null unless it lies open to all; `taken_by` is null until it is taken."""

    stack: int
    face_up: Fuel
    face_down: Fuel | None
    taken_by: Seat | None


@dataclass(frozen=True, slots=True)
class DraftView:
    """A draft: the order of each pass, whose pick it is, and the stacks."""

    order: tuple[Seat, ...]
    drafter: Seat | None
    stacks: tuple[StackView, ...]


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A seat is asked whether to stop its card; not stopped, it leads to `moves`."""

    seat: Seat
    card: Fuel
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class StepView:
    """What came of one card: stopped by its owner, or resolved: why, under what pull, and who moved, in order.

    `cause` is null if the card was stopped; `gravity` is null for a stopped card and for a tractor.
    """

    seat: Seat
    card: Fuel
    stopped: bool
    cause: Cause | None
    gravity: Gravity | None
    moves: tuple[Move, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class TraceView:
    """The last phase whose cards were revealed: the cards by seat, and what came of them, letter by letter."""

    round: int
    phase: int
    cards: tuple[Fuel, ...]
    steps: tuple[StepView, ...]


@dataclass(frozen=True, slots=True)
class CardView:
    """A card of the chart of all 26."""

    card: Fuel
    symbol: str
    element: str
    number: int
    kind: Kind


CHART: tuple[CardView, ...] = tuple(CardView(fuel, fuel.symbol, fuel.element, fuel.number, fuel.kind) for fuel in Fuel)


@dataclass(frozen=True, slots=True)
class GravwellView:
    """A race as one viewer may see it.

    `phase` is 0 during a draft, and `draft` is null outside of one. `my_seat`, `hand` and `order` (what was chosen for
    this phase) are the viewer's own, null for the public. `trace` is null before the first reveal. `age_rank`: youngest
    first.
    """

    stage: Stage
    round: int
    phase: int
    options: Options
    age_rank: tuple[Seat, ...]
    track: tuple[ShipView, ...]
    seats: tuple[SeatView, ...]
    draft: DraftView | None
    my_seat: Seat | None
    hand: tuple[Fuel, ...] | None
    order: FuelOrder | None
    question: QuestionView | None
    trace: TraceView | None
    chart: tuple[CardView, ...]


def view(state: State, viewer: Viewer) -> GravwellView:
    """What a seat, or the public (None), may see."""
    order = None if viewer is None else state.orders[viewer]
    return GravwellView(
        stage=state.stage,
        round=state.round,
        phase=state.phase,
        options=state.options,
        age_rank=state.age_rank,
        track=_track(state),
        seats=tuple(_seat(state, seat) for seat in range(state.seats)),
        draft=_draft(state.draft) if state.stage is Stage.DRAFT else None,
        my_seat=viewer,
        hand=None if viewer is None else _hand(state.hands[viewer], viewer),
        order=None if order is None else _unless_hidden(order.seen_by(viewer)),
        question=_question(state.question),
        trace=_trace(state.reveal, state.steps),
        chart=CHART,
    )


def narrate(event: Event) -> str:
    """What happened, in one English sentence; what is HIDDEN is not named."""
    match event:
        case RaceBegun():
            return f"The race begins; from the youngest to the oldest: {_seats(event.age_rank)}."
        case RoundDealt(draft_order=()):
            return f"Round {event.round} begins without a draft."
        case RoundDealt():
            stacks, drafters = len(event.face_up_cards), _seats(event.draft_order)
            return f"Round {event.round} begins with a draft of {stacks} stacks: {drafters}."
        case StacksTurnedUp():
            return f"The lower cards are turned up: {_cards(event.cards)}."
        case HandDealt():
            cards = _unless_hidden(event.hand.value)
            return f"Seat {event.seat} is dealt {event.size} cards{'' if cards is None else f': {_cards(cards)}'}."
        case StackDrafted():
            lower = _unless_hidden(event.face_down.value)
            below = "a card face down" if lower is None else f"{_card(lower)} face down"
            return f"Seat {event.seat} takes stack {event.stack}: {_card(event.face_up)} and {below}."
        case PhaseOpened():
            return f"Phase {event.phase} of round {event.round}: every seat chooses its fuel."
        case FuelChosen():
            order = _unless_hidden(event.order.value)
            what = "its fuel" if order is None else f"{_card(order.card)}, {_INSTRUCTIONS[order.stop]}"
            return f"Seat {event.seat} has chosen {what}."
        case FuelRevealed():
            shown = (f"Seat {seat} {_card(card)}" for seat, card in enumerate(event.cards))
            return f"The fuel is revealed: {', '.join(shown)}."
        case StopAsked():
            return f"Seat {event.seat} is asked whether to stop {_card(event.card)}: {_moves(event.moves)}."
        case StopUsed():
            return f"Seat {event.seat} uses its Emergency Stop; {_card(event.card)} has no effect."
        case FuelResolved():
            return f"Seat {event.seat} resolves {_card(event.card)}{_because(event)}: {_moves(event.moves)}."
        case RaceEnded():
            return _ENDS[event.reason].format(_seats(event.ranking[0]))
    assert_never(event)


# Parts of the view


def _unless_hidden(value: T | Hidden) -> T | None:
    return None if isinstance(value, Hidden) else value


def _track(state: State) -> tuple[ShipView, ...]:
    """The ships of this race: one a seat, and the derelicts it began with."""
    return tuple(
        ShipView(ship, ship if ship < D1 else None, space, gravity_on(state.ships, ship))
        for ship, (space, begun) in enumerate(zip(state.ships, START[state.seats], strict=True))
        if begun is not None
    )


def _seat(state: State, seat: Seat) -> SeatView:
    hand = state.hands[seat]
    return SeatView(
        seat=seat,
        stop_ready=state.stops[seat],
        hand_size=hand.size,
        open_cards=hand.open,
        played=hand.played,
        chosen=state.orders[seat] is not None,
        changes_left=min(CHANGES_A_PHASE, CHANGES_A_PHASE + 1 - state.choices[seat]),
    )


def _hand(hand: Hand, viewer: Seat) -> tuple[Fuel, ...]:
    covered = (_unless_hidden(card.seen_by(viewer)) for card in hand.covered)
    return tuple(sorted((*hand.open, *(card for card in covered if card is not None))))


def _draft(draft: Draft) -> DraftView:
    lower = draft.turned_up or (None,) * len(draft.face_up)
    stacks = zip(draft.face_up, lower, draft.taken_by, strict=True)
    return DraftView(draft.order, draft.drafter, tuple(StackView(at, *stack) for at, stack in enumerate(stacks)))


def _question(asked: StopAsked | None) -> QuestionView | None:
    return None if asked is None else QuestionView(asked.seat, asked.card, asked.moves)


def _trace(reveal: FuelRevealed | None, steps: tuple[Step, ...]) -> TraceView | None:
    if reveal is None:
        return None
    return TraceView(reveal.round, reveal.phase, reveal.cards, tuple(map(_step, steps)))


def _step(step: Step) -> StepView:
    if isinstance(step, StopUsed):
        return StepView(step.seat, step.card, True, None, None, (), narrate(step))
    return StepView(step.seat, step.card, False, step.cause, step.gravity, step.moves, narrate(step))


# Parts of a sentence

_INSTRUCTIONS = {
    Stop.ASK: "to be asked before it moves anybody",
    Stop.NEVER: "without a stop",
    Stop.ALWAYS: "to be stopped",
    Stop.IF_BACKWARD: "to be stopped if it leads backward",
}

_ENDS = {
    "escaped": "{} escapes through the Warp Gate.",
    "nearest": "The last round is over; {} is nearest to the Warp Gate.",
    "all_in_singularity": "The last round is over, and all are in the Singularity: {}.",
}


def _seats(seats: tuple[Seat, ...]) -> str:
    return ", ".join(f"Seat {seat}" for seat in seats)


def _card(card: Fuel) -> str:
    """`M (Mg 10)`, `N (Ne 6, repulsor)`."""
    kind = "" if card.kind is Kind.STANDARD else f", {card.kind.lower()}"
    return f"{card} ({card.symbol} {card.number}{kind})"


def _cards(cards: tuple[Fuel, ...]) -> str:
    return ", ".join(map(_card, sorted(cards)))


def _ship(ship: Ship) -> str:
    return f"Seat {ship}" if ship < D1 else f"derelict D{ship - D1 + 1}"


def _ships(ships: tuple[Ship, ...]) -> str:
    return " and ".join(map(_ship, ships))


def _because(event: FuelResolved) -> str:
    """Why the card moved its ship as it did; nothing for a beam, which needs no reason."""
    gravity = event.gravity
    if gravity is None:
        return ""
    match event.cause:
        case Cause.NEAREST:
            return f", nearest to {_ships(gravity.nearest)} at {gravity.distance}"
        case Cause.MAJORITY | Cause.TIE:
            counts = f"{gravity.ahead} ahead and {gravity.behind} behind"
            return f", as near to {_ships(gravity.nearest)} at {gravity.distance}, with {counts}"
        case Cause.SINGULARITY:
            return " in the Singularity"
        case Cause.NO_GRAVITY:
            return " where nothing pulls"
    return ""


def _moves(moves: tuple[Move, ...]) -> str:
    return ", ".join(map(_move, moves)) or "nobody moves"


def _move(move: Move) -> str:
    past = f" past {_ships(move.bumps)}" if move.bumps else ""
    return f"{_ship(move.ship)} from {_space(move.start)}{past} {_to(move.end)}"


def _to(end: int | None) -> str:
    if end is None:
        return "off the board"
    return "through the Warp Gate" if end == GATE else f"to {_space(end)}"


def _space(space: int) -> str:
    return "the Singularity" if space == SINGULARITY else str(space)
