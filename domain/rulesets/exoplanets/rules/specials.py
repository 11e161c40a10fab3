"""The special tiles: discs leave them, and with the last one the event happens (RULES 8)."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import assert_never

from domain.ruleset import Refused, Seat
from domain.rulesets.exoplanets.board import NUMBERS, Special
from domain.rulesets.exoplanets.commands import Resolve, ResolveBlackHole, ResolveCreation, ResolveSolarStorm
from domain.rulesets.exoplanets.events import (
    Event,
    Loss,
    PlanetSwallowed,
    SpecialDiscMoved,
    SpecialFired,
    SpecialFizzled,
    SpecialRefilled,
    StormHit,
)
from domain.rulesets.exoplanets.rules.life import open_places, step
from domain.rulesets.exoplanets.state import State, after
from domain.rulesets.exoplanets.system import Place


def move_disc(state: State, seat: Seat, special: Special) -> tuple[Event, ...]:
    """A disc leaves a special tile. With the last one its event waits for the seat's choice, or fizzles."""
    left = state.discs[special] - 1
    moved = SpecialDiscMoved(special, left)
    if left:
        return (moved,)
    fired = (moved, SpecialFired(special, seat))
    if next(choices(after(state, fired), seat), None) is None:
        return (*fired, SpecialFizzled(special), _refilled(state, special))
    return fired


def resolve(state: State, seat: Seat, command: Resolve) -> tuple[Event, ...]:
    """The event happens where the seat says, and its tile has all discs again."""
    special = _SPECIALS[type(command)]
    if state.pending is not special:
        raise Refused("PENDING", pending=state.choice)
    if command not in choices(state, seat):
        raise Refused("ILLEGAL_TARGET")
    return (*_happening(state, seat, command), _refilled(state, special))


def choices(state: State, seat: Seat) -> Iterator[Resolve]:
    """Where the pending event may happen."""
    rays = range(len(state.system.rays))
    match state.pending:
        case Special.BLACK_HOLE:
            yield from (ResolveBlackHole(ray) for ray in rays if _swallowable(state.system.outermost(ray)))
        case Special.SOLAR_STORM:
            yield from map(ResolveSolarStorm, rays)
        case Special.CREATION:
            yield from (ResolveCreation(place.ray, place.orbit) for place in open_places(state, seat))


_SPECIALS: Mapping[type[Resolve], Special] = MappingProxyType(
    {
        ResolveBlackHole: Special.BLACK_HOLE,
        ResolveSolarStorm: Special.SOLAR_STORM,
        ResolveCreation: Special.CREATION,
    }
)


def _happening(state: State, seat: Seat, command: Resolve) -> tuple[Event, ...]:
    match command:
        case ResolveBlackHole(ray):
            place = state.system.outermost(ray)
            beneath = (place.under.tile,) if place.under else ()
            return (PlanetSwallowed(seat, place.world.id, ray, place.orbit, place.life, beneath),)
        case ResolveSolarStorm(ray):
            return (StormHit(seat, ray, tuple(_losses(state, ray))),)
        case ResolveCreation(ray, orbit):
            return step(state, seat, state.place(ray, orbit))
    assert_never(command)


def _swallowable(place: Place) -> bool:
    return place.orbit > 1 and place.open and not place.shielded


def _losses(state: State, ray: int) -> Iterator[Loss]:
    for place in state.system.rays[ray]:
        if place.open and not place.shielded:
            yield from (Loss(seat, place.orbit, cubes - 1) for seat, cubes in enumerate(place.life) if cubes)


def _refilled(state: State, special: Special) -> SpecialRefilled:
    return SpecialRefilled(special, NUMBERS[len(state.players)].discs[special])
