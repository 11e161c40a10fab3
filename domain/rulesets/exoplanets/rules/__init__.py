"""The rules, version 1: what follows from each command, from a lapse, and what a seat may do."""

from itertools import chain
from typing import assert_never

from domain.chance import Draws
from domain.ruleset import Outcome, Refused, Seat
from domain.rulesets.exoplanets.commands import (
    AttachTile,
    ClaimGoal,
    Command,
    CreateLife,
    CreateLifeWaiving,
    Discount,
    DrawPlanets,
    EndTurn,
    Gain,
    GainAny,
    GravityExchange,
    GravityRemoveTile,
    HurlMeteor,
    KeepSurvey,
    Migrate,
    PlaceDrawn,
    PlaceFromReserve,
    PlaceOnlyDrawn,
    ResolveBlackHole,
    ResolveCreation,
    ResolveSolarStorm,
    SowLife,
    Survey,
    SwapPlanets,
    Transmute,
    Undo,
)
from domain.rulesets.exoplanets.events import Event
from domain.rulesets.exoplanets.rules import effects, gravity, life, placing, specials, turn
from domain.rulesets.exoplanets.rules.deal import start
from domain.rulesets.exoplanets.rules.refusals import REFUSALS
from domain.rulesets.exoplanets.state import Phase, State, after

__all__ = ["REASONS", "REFUSALS", "awaiting", "decide", "lapse", "legal", "outcome", "start"]

REASONS = ("star_exhausted",)
"""The one way a game ends by its rules."""


def decide(state: State, seat: Seat, command: Command, draws: Draws) -> tuple[Event, ...]:
    """What follows from a command of a seat. Nothing here is left to chance: the deal was all of it."""
    if state.phase is Phase.ENDED:
        raise Refused("GAME_OVER")
    if seat != state.active:
        raise Refused("NOT_AWAITED")
    if isinstance(command, GravityExchange | GravityRemoveTile) and not state.with_gravity:
        raise Refused("NO_GRAVITY")
    if code := _untimely(state.phase, command):
        raise Refused(code, pending=state.choice)
    match command:
        case DrawPlanets():
            return placing.draw(state, seat)
        case PlaceFromReserve():
            return placing.place_from_reserve(state, seat, command)
        case PlaceDrawn():
            return placing.place_drawn(state, seat, command)
        case PlaceOnlyDrawn():
            return placing.place_only_drawn(state, seat, command)
        case CreateLife():
            return life.create(state, seat, command)
        case CreateLifeWaiving():
            return life.create_waiving(state, seat, command)
        case ClaimGoal():
            return life.claim(state, seat, command)
        case (
            GainAny()
            | Gain()
            | Discount()
            | HurlMeteor()
            | Migrate()
            | Survey()
            | Transmute()
            | SwapPlanets()
            | SowLife()
            | AttachTile()
        ):
            return effects.use(state, seat, command)
        case KeepSurvey():
            return effects.keep(state, seat, command)
        case ResolveBlackHole() | ResolveSolarStorm() | ResolveCreation():
            return specials.resolve(state, seat, command)
        case GravityExchange():
            return gravity.exchange(state, seat, command)
        case GravityRemoveTile():
            return gravity.remove_tile(state, seat, command)
        case Undo():
            return turn.undo(state)
        case EndTurn():
            return turn.end(state, seat)
    assert_never(command)


def lapse(state: State, seat: Seat, draws: Draws) -> tuple[Event, ...]:
    """The rest of the turn without its seat: what must be done in the plainest way, nothing spent, and the turn ends.

    A choice that is open takes its first possibility (RULES 10).
    """
    command = _unasked(state, seat)
    events = decide(state, seat, command, draws)
    return events if isinstance(command, EndTurn) else events + lapse(after(state, events), seat, draws)


def awaiting(state: State) -> tuple[Seat, ...]:
    """The seat whose turn it is."""
    return () if state.phase is Phase.ENDED else (state.active,)


def legal(state: State, seat: Seat) -> tuple[Command, ...]:
    """Every command the seat may give now, but for Undo."""
    if seat not in awaiting(state):
        return ()
    if state.phase is Phase.RESOLVE:
        return (*specials.choices(state, seat), *effects.kept_choices(state))
    if state.phase is Phase.ACT:
        acts = chain(life.choices(state, seat), effects.choices(state, seat), gravity.choices(state, seat))
        return (*acts, EndTurn())
    return (*placing.choices(state), *gravity.choices(state, seat))


def outcome(state: State) -> Outcome | None:
    """The Star is exhausted after five turns of each seat; there is no other end."""
    return Outcome(REASONS[0], state.ranking) if state.ranking else None


def _untimely(phase: Phase, command: Command) -> str | None:
    """The code that refuses a command at the wrong time; None if it may be given now."""
    match command:
        case ResolveBlackHole() | ResolveSolarStorm() | ResolveCreation() | KeepSurvey():
            return None if phase is Phase.RESOLVE else "NOTHING_PENDING"
        case _ if phase is Phase.RESOLVE:
            return "PENDING"
        case DrawPlanets() | PlaceFromReserve():
            return {Phase.CHOOSE: "ALREADY_DRAWN", Phase.ACT: "ALREADY_PLACED"}.get(phase)
        case PlaceDrawn() | PlaceOnlyDrawn():
            return {Phase.PLACE: "NOTHING_DRAWN", Phase.ACT: "ALREADY_PLACED"}.get(phase)
        case GravityExchange() | GravityRemoveTile() | Undo():
            return None
        case _:
            return None if phase is Phase.ACT else "MUST_PLACE"


def _unasked(state: State, seat: Seat) -> Command:
    match state.phase:
        case Phase.PLACE | Phase.CHOOSE:
            return placing.unasked(state)
        case Phase.RESOLVE:
            return legal(state, seat)[0]
        case _:
            return EndTurn()
