"""Gravity markers, spent at any moment of one's own turn (RULES 3)."""

from collections.abc import Iterator
from itertools import permutations

from domain.ruleset import Refused, Seat
from domain.rulesets.exoplanets.commands import Command, GravityExchange, GravityRemoveTile
from domain.rulesets.exoplanets.crystals import Resource
from domain.rulesets.exoplanets.events import Event, ResourceExchanged, TileRemoved
from domain.rulesets.exoplanets.state import State

EXCHANGE = 1
"""Markers that an exchange returns."""


def exchange(state: State, seat: Seat, command: GravityExchange) -> tuple[Event, ...]:
    """One crystal for one of another kind."""
    _refuse_short(state, seat, EXCHANGE)
    held = state.players[seat].crystals
    if not held[command.give]:
        raise Refused("CANNOT_PAY", cost=f"1 {command.give.lower()}", have=str(held))
    if command.give is command.take or not state.cloud[command.take]:
        raise Refused("BAD_EXCHANGE", give=command.give.value, take=command.take.value)
    return (ResourceExchanged(seat, EXCHANGE, command.give, command.take),)


def remove_tile(state: State, seat: Seat, command: GravityRemoveTile) -> tuple[Event, ...]:
    """The space tile beneath a planet, whoever laid it, is discarded."""
    _refuse_short(state, seat, state.removal)
    place = state.system.planet_at(command.ray, command.orbit)
    if place is None or place.under is None:
        raise Refused("NO_UNDER_TILE", ray=command.ray, orbit=command.orbit)
    return (TileRemoved(seat, state.removal, place.under.tile, place.ray, place.orbit),)


def choices(state: State, seat: Seat) -> Iterator[Command]:
    """Every use a seat can make of its markers."""
    player = state.players[seat]
    if player.gravity >= EXCHANGE:
        for give, take in permutations(Resource, 2):
            if player.crystals[give] and state.cloud[take]:
                yield GravityExchange(give, take)
    if player.gravity >= state.removal:
        yield from (GravityRemoveTile(place.ray, place.orbit) for place in state.system.planets if place.under)


def _refuse_short(state: State, seat: Seat, markers: int) -> None:
    have = state.players[seat].gravity
    if have < markers:
        raise Refused("NO_MARKERS", need=markers, have=have)
