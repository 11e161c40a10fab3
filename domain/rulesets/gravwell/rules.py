"""The rules of version 2: how a race starts, what follows from a decision, who is awaited, and how it ends."""

from collections.abc import Callable, Mapping
from itertools import groupby
from types import MappingProxyType

from domain.chance import Draws
from domain.ruleset import Outcome, Refused, Seat, Secret, Setup, snake
from domain.rulesets.gravwell.board import (
    CHANGES_A_PHASE,
    D1,
    GATE,
    HAND,
    PHASES,
    ROUNDS,
    SINGULARITY,
    STACKS_A_SEAT,
    START,
    Fuel,
    Kind,
    Ship,
    Ships,
)
from domain.rulesets.gravwell.commands import Command, DecideStop, DraftStack, PlayFuel, Stop
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
from domain.rulesets.gravwell.options import DerelictAtGate, NoGravity, Options, SingTie
from domain.rulesets.gravwell.state import Stage, State, evolve, moved

REASONS = ("escaped", "nearest", "all_in_singularity")
"""Every reason for which a race ends (RULES 7)."""

REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        "WRONG_STAGE": "This is not the moment for that; what can be decided now is {fitting}.",
        "NO_SUCH_STACK": "There is no stack {stack}; the last is {last}.",
        "STACK_TAKEN": "Stack {stack} was taken by seat {seat}.",
        "CARD_NOT_IN_HAND": "Card {card} is not in this hand.",
        "NO_STOP_LEFT": "The Emergency Stop is spent, so the instruction must be NEVER.",
        "TOO_MANY_CHANGES": "The choice was changed {limit} times; it stands until the reveal.",
    }
)


def start(setup: Setup, draws: Draws) -> tuple[Event, ...]:
    """Put the ships at the start and deal the first round. Raises Refused("BAD_OPTION")."""
    options: Options = setup.options
    seats = range(setup.seats)
    if options.age_rank is not None and sorted(options.age_rank) != list(seats):
        raise Refused("BAD_OPTION", option="age_rank", reason=f"it must name each seat from 0 to {seats[-1]} once")
    if options.no_secrets and options.random_deal:
        raise Refused("BAD_OPTION", option="no_secrets", reason="with random_deal there is no draft to open")
    age_rank = draws("age-rank").shuffled(seats) if options.age_rank is None else options.age_rank
    begun = RaceBegun(options, age_rank, START[setup.seats])
    state = evolve(None, begun)
    return (begun, *_with_what_follows(state, _deal(state, draws), draws))


def decide(state: State, seat: Seat, command: Command, draws: Draws) -> tuple[Event, ...]:
    """What follows from a seat's command, up to the next decision of anybody. Raises Refused."""
    if not _has_a_say(state, seat):
        raise Refused("NOT_AWAITED")
    if type(command) is not _FITTING[state.stage]:
        raise Refused("WRONG_STAGE", fitting=snake(_FITTING[state.stage].__name__))
    return _with_what_follows(state, (_decided(state, seat, command),), draws)


def lapse(state: State, seat: Seat, draws: Draws) -> tuple[Event, ...]:
    """What follows when an awaited seat does not act in time (RULES 8.1)."""
    assert seat in awaiting(state), "only an awaited seat is lapsed"
    return decide(state, seat, _LAPSES[state.stage](state, seat), draws)


def awaiting(state: State) -> tuple[Seat, ...]:
    """The seats without whom the race cannot go on, ascending."""
    match state.stage:
        case Stage.DRAFT if state.draft.drafter is not None:
            return (state.draft.drafter,)
        case Stage.FUEL:
            return tuple([seat for seat, order in enumerate(state.orders) if order is None])
        case Stage.STOP if state.question is not None:
            return (state.question.seat,)
    return ()


def legal(state: State, seat: Seat) -> tuple[Command, ...]:
    """Every command that would be accepted from the seat, changes of its choice until the reveal included."""
    if not _has_a_say(state, seat):
        return ()
    match state.stage:
        case Stage.DRAFT:
            return tuple(DraftStack(stack) for stack in state.draft.free)
        case Stage.FUEL if state.choices[seat] <= CHANGES_A_PHASE:
            stops = _instructions(state, seat)
            return tuple(PlayFuel(card, stop) for card in state.hands[seat].cards for stop in stops)
        case Stage.STOP:
            return (DecideStop(stop=False), DecideStop(stop=True))
    return ()


def outcome(state: State) -> Outcome | None:
    """How the race ended; None while it goes on."""
    return state.outcome


def resolved(ships: Ships, seat: Seat, card: Fuel, options: Options, age_rank: tuple[Seat, ...]) -> FuelResolved:
    """What a seat's card does where the ships stand like this (RULES 4 and 5)."""
    if card.kind is Kind.TRACTOR:
        return FuelResolved(seat, card, Cause.BEAM, None, _beam(ships, seat, card.number, options, age_rank))
    gravity = gravity_on(ships, seat)
    direction, cause = _course(ships, seat, card.kind, gravity, options)
    return FuelResolved(seat, card, cause, gravity, _travel(ships, seat, direction * card.number, options))


# Who has a say, and what a command comes to


_FITTING: Mapping[Stage, type[Command]] = MappingProxyType(
    {Stage.DRAFT: DraftStack, Stage.FUEL: PlayFuel, Stage.STOP: DecideStop}
)


def _has_a_say(state: State, seat: Seat) -> bool:
    """Whether the seat may decide something now: it is awaited, or may change what it chose."""
    return state.stage is Stage.FUEL or seat in awaiting(state)


def _decided(state: State, seat: Seat, command: Command) -> Event:
    match command:
        case DraftStack(stack):
            return _drafted(state, seat, stack)
        case PlayFuel(card, stop):
            return _chosen(state, seat, FuelOrder(card, stop))
        case DecideStop(stop):
            return _answered(state, stop=stop)


def _drafted(state: State, seat: Seat, stack: int) -> StackDrafted:
    draft = state.draft
    if not 0 <= stack < len(draft.face_up):
        raise Refused("NO_SUCH_STACK", stack=stack, last=len(draft.face_up) - 1)
    if draft.taken_by[stack] is not None:
        raise Refused("STACK_TAKEN", stack=stack, seat=draft.taken_by[stack])
    return StackDrafted(seat, stack, draft.face_up[stack], Secret(draft.face_down.known[stack], (seat,)))


def _chosen(state: State, seat: Seat, order: FuelOrder) -> FuelChosen:
    if state.choices[seat] > CHANGES_A_PHASE:
        raise Refused("TOO_MANY_CHANGES", limit=CHANGES_A_PHASE)
    if order.card not in state.hands[seat].cards:
        raise Refused("CARD_NOT_IN_HAND", card=order.card)
    if order.stop not in _instructions(state, seat):
        raise Refused("NO_STOP_LEFT")
    return FuelChosen(seat, Secret(order, (seat,)))


def _instructions(state: State, seat: Seat) -> tuple[Stop, ...]:
    return tuple(Stop) if state.stops[seat] else (Stop.NEVER,)


def _answered(state: State, *, stop: bool) -> StopUsed | FuelResolved:
    assert state.question is not None, "a stop is answered where it was asked"
    seat, card = state.question.seat, state.question.card
    return StopUsed(seat, card) if stop else _resolved(state, seat, card)


_LAPSES: Mapping[Stage, Callable[[State, Seat], Command]] = MappingProxyType(
    {
        Stage.DRAFT: lambda state, _: DraftStack(state.draft.free[0]),
        Stage.FUEL: lambda state, seat: PlayFuel(state.hands[seat].cards[0], Stop.NEVER),
        Stage.STOP: lambda *_: DecideStop(stop=False),
    }
)


# What follows by itself


def _with_what_follows(state: State, events: tuple[Event, ...], draws: Draws) -> tuple[Event, ...]:
    """The events and all that follow from them by themselves, until a seat is awaited or the race is over."""
    story: tuple[Event, ...] = ()
    while events:
        story += events
        for event in events:
            state = evolve(state, event)
        events = _next(state, draws)
    return story


def _next(state: State, draws: Draws) -> tuple[Event, ...]:
    match state.stage:
        case Stage.DRAFT:
            return _next_of_draft(state)
        case Stage.FUEL:
            return _next_of_choice(state)
        case Stage.REVEAL:
            return _next_of_reveal(state, draws)
    return ()


def _next_of_draft(state: State) -> tuple[Event, ...]:
    """The last stack is taken by itself; after it, or where none was dealt, the first phase opens (RULES 2.4)."""
    if state.draft.drafter is None:
        return (PhaseOpened(state.round, 1),)
    free = state.draft.free
    return (_drafted(state, state.draft.drafter, free[0]),) if len(free) == 1 else ()


def _next_of_choice(state: State) -> tuple[Event, ...]:
    """Seats without a choice have chosen; when all have, the cards are revealed (RULES 3.3, 3.4)."""
    if None not in state.orders:
        return (FuelRevealed(state.round, state.phase, tuple(order.known.card for order in state.orders if order)),)
    return tuple(
        FuelChosen(seat, Secret(FuelOrder(state.hands[seat].cards[0], Stop.NEVER), (seat,)))
        for seat in awaiting(state)
        if state.hands[seat].size == 1 and not state.stops[seat]
    )


def _next_of_reveal(state: State, draws: Draws) -> tuple[Event, ...]:
    """The next letter; after the last one the next phase, the next round, or the end."""
    if GATE in state.ships[: state.seats]:
        return (_ended(state, "escaped"),)
    assert state.reveal is not None, "cards are resolved once they are revealed"
    done = {step.card for step in state.steps}
    left = [(card, seat) for seat, card in enumerate(state.reveal.cards) if card not in done]
    if left:
        card, seat = min(left)
        return (_letter(state, seat, card),)
    if state.phase < PHASES:
        return (PhaseOpened(state.round, state.phase + 1),)
    if state.round < ROUNDS:
        return _deal(state, draws)
    return (_ended(state, "nearest" if any(state.ships[: state.seats]) else "all_in_singularity"),)


def _letter(state: State, seat: Seat, card: Fuel) -> FuelResolved | StopAsked | StopUsed:
    """What comes of a card: it is resolved, unless its owner's instruction stops it or asks (RULES 6.3)."""
    event = _resolved(state, seat, card)
    order = state.orders[seat]
    assert order is not None, "a card revealed was chosen"
    if not state.stops[seat]:
        return event
    match order.known.stop:
        case Stop.ALWAYS if event.moves:
            return StopUsed(seat, card)
        case Stop.IF_BACKWARD if any(move.ship == seat and move.is_backward for move in event.moves):
            return StopUsed(seat, card)
        case Stop.ASK if event.moves:
            return StopAsked(seat, card, event.moves)
    return event


def _ended(state: State, reason: str) -> RaceEnded:
    """The end, with the seats ranked by space; those in the Singularity share a place (RULES 7)."""
    spaces = state.ships[: state.seats]
    best_first = sorted(range(state.seats), key=lambda seat: -(spaces[seat] or SINGULARITY))
    return RaceEnded(reason, tuple(tuple(tie) for _, tie in groupby(best_first, key=lambda seat: spaces[seat])))


def _deal(state: State, draws: Draws) -> tuple[Event, ...]:
    """The next round: stops face up, stacks or hands from the shuffled deck (RULES 2.2, 2.3, 9.2 to 9.4)."""
    number = state.round + 1
    options, seats = state.options, range(state.seats)
    deck = draws(f"round-{number}/deck").shuffled(Fuel)
    stops = state.stops if options.hardcore else (True,) * state.seats
    if options.random_deal:
        hands = tuple(HandDealt(seat, HAND, Secret(deck[seat * HAND : (seat + 1) * HAND], (seat,))) for seat in seats)
        return (RoundDealt(number, (), (), Secret((), ()), stops), *hands)
    order = tuple(sorted(seats, key=lambda seat: (state.ships[seat], state.age_rank.index(seat))))
    stacked = deck[: 2 * STACKS_A_SEAT * state.seats]
    face_down, face_up = stacked[::2], stacked[1::2]
    dealt = RoundDealt(number, order, face_up, Secret(face_down, ()), stops)
    return (dealt, StacksTurnedUp(face_down)) if options.no_secrets else (dealt,)


# How ships move


def _resolved(state: State, seat: Seat, card: Fuel) -> FuelResolved:
    return resolved(state.ships, seat, card, state.options, state.age_rank)


def _course(ships: Ships, seat: Seat, kind: Kind, gravity: Gravity, options: Options) -> tuple[int, Cause]:
    """Forward (1), backward (-1) or not at all (0), and why (RULES 4.2 to 4.6)."""
    if ships[seat] == SINGULARITY:
        return (1 if kind is Kind.STANDARD else 0), Cause.SINGULARITY
    pull, cause = _pull(ships, seat, gravity, options)
    return (pull if kind is Kind.STANDARD else -pull), cause


def _pull(ships: Ships, seat: Seat, gravity: Gravity, options: Options) -> tuple[int, Cause]:
    """The side to which a ship outside the Singularity is pulled."""
    here = _space(ships, seat)
    sides = {_sign(_space(ships, other) - here) for other in gravity.nearest}
    if not sides:
        return (1 if options.no_gravity is NoGravity.OUTWARD else 0), Cause.NO_GRAVITY
    if len(sides) == 1:
        return sides.pop(), Cause.NEAREST
    majority = _sign(gravity.ahead - gravity.behind)
    return majority, (Cause.MAJORITY if majority else Cause.TIE)


def _travel(ships: Ships, ship: Ship, distance: int, options: Options) -> tuple[Move, ...]:
    """A ship's move over this distance, negative if backward, bumps included (RULES 4.7, 4.8); none if it is 0."""
    if not distance:
        return ()
    here, direction = _space(ships, ship), _sign(distance)
    space, bumps = here + distance, []
    while SINGULARITY < space < GATE and space in ships:
        bumps.append(ships.index(space))
        space += direction
    end = min(max(space, SINGULARITY), GATE)
    leaves = end == GATE and ship >= D1 and options.derelict_at_gate is DerelictAtGate.REMOVED
    return (Move(ship, here, None if leaves else end, tuple(bumps)),)


def _beam(ships: Ships, seat: Seat, number: int, options: Options, age_rank: tuple[Seat, ...]) -> tuple[Move, ...]:
    """The moves of all other ships toward the puller, in order, until one of a seat escapes (RULES 5, 7.1)."""
    here = _space(ships, seat)
    ranks = age_rank if options.sing_tie is SingTie.YOUNGEST_FIRST else tuple(range(len(age_rank)))

    def turn(ship: Ship) -> tuple[int, int, int]:
        space = _space(ships, ship)
        return abs(space - here), space, ranks.index(ship) if ship in ranks else ship

    others = (ship for ship, space in enumerate(ships) if space is not None and ship != seat)
    moves: tuple[Move, ...] = ()
    for ship in sorted(others, key=turn):
        move = _travel(ships, ship, _sign(here - _space(ships, ship)) * number, options)
        moves += move
        ships = moved(ships, move)
        if ship < D1 and ships[ship] == GATE:
            break
    return moves


def _space(ships: Ships, ship: Ship) -> int:
    space = ships[ship]
    assert space is not None, "a ship that moves or pulls is on the board"
    return space


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
