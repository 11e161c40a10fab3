"""How a duel starts, what follows from a command, and how it ends."""

from domain.chance import Draws
from domain.ruleset import Outcome, Refused, Seat, Setup
from domain.rulesets.novagravity.board import (
    NO_PROGRESS_PLIES,
    OCCURRENCES_MAX,
    OFFER_REST_ACTIONS,
    SEEDS,
    WON_BY_ACTING,
    Ending,
)
from domain.rulesets.novagravity.combat import Upshot, resolve
from domain.rulesets.novagravity.commands import Act, AnswerDraw, Command, OfferDraw
from domain.rulesets.novagravity.events import (
    Deed,
    DrawDeclined,
    DrawOffered,
    DuelEnded,
    DuelStarted,
    Event,
    Loss,
    ShipActed,
)
from domain.rulesets.novagravity.hexes import NAMES
from domain.rulesets.novagravity.layout import terrain_of
from domain.rulesets.novagravity.legality import in_check, legal_actions, verdict
from domain.rulesets.novagravity.movement import Action
from domain.rulesets.novagravity.options import Blue, Options
from domain.rulesets.novagravity.position import (
    BOTH_SIDES,
    MOTHER,
    Position,
    Standing,
    opening,
    side_of,
    text_of,
    unit_of,
)
from domain.rulesets.novagravity.practice import practice
from domain.rulesets.novagravity.refusals import legal_action
from domain.rulesets.novagravity.state import State, evolve


def start(setup: Setup, draws: Draws) -> tuple[Event, ...]:
    """Draw who commands Blue and the layout, unless the options name them. Raises Refused("BAD_OPTION")."""
    options: Options = setup.options
    blue = draws("blue").below(2) if options.blue is Blue.DRAWN else int(options.blue is Blue.SEAT_1)
    seed, standing = _laid_out(options, draws) if options.start_from is None else _given(options.start_from, options)
    check = in_check(standing.position)
    return (DuelStarted(blue, seed, text_of(standing), options.no_progress, check),)


def decide(state: State, seat: Seat, command: Command, draws: Draws) -> tuple[Event, ...]:
    """What follows from a command. Raises Refused; nothing here is left to chance."""
    if state.end is not None:
        raise Refused("GAME_OVER")
    match command:
        case Act(origin, target):
            if seat != state.to_act:
                raise Refused("NOT_AWAITED")
            return _act(state, legal_action(state.position, origin, target))
        case OfferDraw():
            return _offer_draw(state, seat)
        case AnswerDraw(accept):
            if state.offered_by != 1 - seat:
                raise Refused("NO_DRAW_OFFERED")
            return (DuelEnded(Ending.AGREEMENT, None),) if accept else (DrawDeclined(seat, OFFER_REST_ACTIONS),)


def lapse(state: State, seat: Seat, draws: Draws) -> tuple[Event, ...]:
    """Whoever does not act in time has lost."""
    return (DuelEnded(Ending.LAPSED, 1 - seat),)


def resign(state: State, seat: Seat) -> tuple[Event, ...]:
    """Whoever resigns has lost."""
    return (DuelEnded(Ending.RESIGNED, 1 - seat),)


def awaiting(state: State) -> tuple[Seat, ...]:
    """The seat to act, until the duel is over."""
    return () if state.end is not None else (state.to_act,)


def legal(state: State, seat: Seat) -> tuple[Command, ...]:
    """Every action of the seat to act; draws are offered and answered beside them."""
    if seat not in awaiting(state):
        return ()
    return tuple(Act(NAMES[origin], NAMES[target]) for origin, target in legal_actions(state.position))


def outcome(state: State) -> Outcome | None:
    """How the duel ended: the winner before the loser, or both in a tie."""
    if state.end is None:
        return None
    winner = state.end.winner
    return Outcome(state.end.ending.lower(), ((0, 1),) if winner is None else ((winner,), (1 - winner,)))


def _laid_out(options: Options, draws: Draws) -> tuple[str, Standing]:
    seed = draws("layout").below(SEEDS) if options.layout_seed is None else options.layout_seed
    if not 0 <= seed < SEEDS:
        raise Refused("BAD_OPTION", option="layout_seed", reason=f"it is not one of 0 to {SEEDS - 1}")
    return str(seed), Standing(opening(terrain_of(seed)))


def _given(text: str, options: Options) -> tuple[None, Standing]:
    if options.layout_seed is not None:
        raise Refused("BAD_OPTION", option="layout_seed", reason="the position of start_from has its own obstacles")
    return None, practice(text, no_progress=options.no_progress)


def _act(state: State, action: Action) -> tuple[Event, ...]:
    seat, (_, terrain, side) = state.to_act, state.position
    upshot = resolve(state.position, *action)
    after = Position(upshot.cells, terrain, side ^ BOTH_SIDES)
    check = after.side | MOTHER in after.cells and in_check(after)
    acted = ShipActed(seat, _deed(state.position, action, upshot), check)
    refusal = (DrawDeclined(seat, OFFER_REST_ACTIONS),) if state.offered_by == 1 - seat else ()
    return (*refusal, acted, *_end(evolve(state, acted), seat))


def _deed(position: Position, action: Action, upshot: Upshot) -> Deed:
    origin, target = action
    ship = position.cells[origin]
    return Deed(
        side=side_of(ship),
        unit=unit_of(ship),
        origin=NAMES[origin],
        target=NAMES[target],
        kind=upshot.kind,
        landed=None if upshot.landed is None else NAMES[upshot.landed],
        recoiled=upshot.recoiled,
        promoted=upshot.ship != ship,
        destroyed=tuple(
            Loss(NAMES[fall.hex], side_of(fall.ship), unit_of(fall.ship), fall.cause) for fall in upshot.falls
        ),
    )


def _end(state: State, actor: Seat) -> tuple[Event, ...]:
    """The end of the duel, if it is over now that `actor` has acted. The first reason that holds counts."""
    ending = verdict(state.position)
    if ending is None and state.occurrences >= OCCURRENCES_MAX:
        ending = Ending.THREEFOLD
    if ending is None and state.no_progress and state.standing.quiet_plies >= NO_PROGRESS_PLIES:
        ending = Ending.NO_PROGRESS
    if ending is None:
        return ()
    return (DuelEnded(ending, actor if ending in WON_BY_ACTING else None),)


def _offer_draw(state: State, seat: Seat) -> tuple[Event, ...]:
    if state.offered_by is not None:
        raise Refused("DRAW_ALREADY_OFFERED")
    if seat != state.to_act:
        raise Refused("NOT_AWAITED")
    if state.rests[seat]:
        raise Refused("OFFER_TOO_SOON", actions=state.rests[seat])
    return (DrawOffered(seat),)
