"""The first part of a turn: choosing a planet, placing it, and all it gives, in order (RULES 4)."""

from collections.abc import Iterator

from domain.ruleset import Refused, Seat, Secret
from domain.rulesets.exoplanets.board import DRAWN
from domain.rulesets.exoplanets.commands import Command, DrawPlanets, PlaceDrawn, PlaceFromReserve, PlaceOnlyDrawn
from domain.rulesets.exoplanets.crystals import crystals
from domain.rulesets.exoplanets.events import (
    EnergyFromStar,
    Event,
    Gained,
    GravityTaken,
    LastEnergyTaken,
    PlanetPlaced,
    PlanetsDrawn,
    PlanetToReserve,
    ResourcesGained,
    SpaceTileTaken,
)
from domain.rulesets.exoplanets.planets import PLANETS
from domain.rulesets.exoplanets.state import Phase, State, known


def draw(state: State, seat: Seat) -> tuple[Event, ...]:
    """Two planets from the bag, or its last one."""
    if not state.bag:
        raise Refused("BAG_EMPTY")
    return (PlanetsDrawn(seat, known(state.bag[: -DRAWN - 1 : -1])),)


def place_from_reserve(state: State, seat: Seat, command: PlaceFromReserve) -> tuple[Event, ...]:
    """The top of a reserve pile comes into the system."""
    if command.reserve not in range(len(state.reserves)) or not state.reserves[command.reserve]:
        raise Refused("RESERVE_EMPTY", reserve=command.reserve)
    return _placed(state, seat, state.reserves[command.reserve][-1], command.ray)


def place_drawn(state: State, seat: Seat, command: PlaceDrawn) -> tuple[Event, ...]:
    """One drawn planet comes into the system, the other on top of a reserve pile."""
    if len(state.drawn) < DRAWN or command.reserve not in range(len(state.reserves)):
        raise Refused("BAD_DISCARD", drawn=len(state.drawn))
    if command.drawn not in range(DRAWN):
        raise Refused("ILLEGAL_TARGET")
    placed = _placed(state, seat, state.drawn[command.drawn], command.ray)
    return (PlanetToReserve(seat, state.drawn[1 - command.drawn], command.reserve), *placed)


def place_only_drawn(state: State, seat: Seat, command: PlaceOnlyDrawn) -> tuple[Event, ...]:
    """The only planet that could be drawn comes into the system."""
    if len(state.drawn) == DRAWN:
        raise Refused("BAD_DISCARD", drawn=DRAWN)
    return _placed(state, seat, state.drawn[0], command.ray)


def choices(state: State) -> Iterator[Command]:
    """Every way to go on with the first part of the turn."""
    rays = [ray for ray in range(len(state.system.rays)) if state.system.free(ray)]
    piles = range(len(state.reserves))
    match state.phase, len(state.drawn):
        case Phase.PLACE, _:
            if state.bag:
                yield DrawPlanets()
            yield from (PlaceFromReserve(pile, ray) for pile in piles if state.reserves[pile] for ray in rays)
        case Phase.CHOOSE, 1:
            yield from (PlaceOnlyDrawn(ray) for ray in rays)
        case Phase.CHOOSE, _:
            yield from (PlaceDrawn(drawn, ray, pile) for drawn in range(DRAWN) for ray in rays for pile in piles)


def unasked(state: State) -> Command:
    """What a lapse does: it draws only if it must, and places on the ray with most room, the first of equals."""
    ray = max(range(len(state.system.rays)), key=lambda ray: len(state.system.free(ray)))
    if state.drawn:
        return PlaceDrawn(0, ray, 0) if len(state.drawn) == DRAWN else PlaceOnlyDrawn(ray)
    return next((PlaceFromReserve(pile, ray) for pile, planets in enumerate(state.reserves) if planets), DrawPlanets())


def _placed(state: State, seat: Seat, planet: str, ray: int) -> tuple[Event, ...]:
    if ray not in range(len(state.system.rays)):
        raise Refused("ILLEGAL_TARGET")
    if not state.system.free(ray):
        raise Refused("RAY_FULL", ray=ray)
    place = state.system.free(ray)[0]
    star = state.star - 1
    events: list[Event] = [PlanetPlaced(seat, planet, ray, place.orbit)]
    if place.face_down is not None:
        events.append(SpaceTileTaken(seat, ray, place.orbit, Secret(place.face_down, to=(seat,))))
    events.append(EnergyFromStar(seat, star))
    cloud = state.cloud
    neighbour = state.place(ray, place.orbit - 1).world
    for world, because in ((PLANETS[planet], Gained.PLANET), (neighbour, Gained.NEIGHBOUR)):
        gained = crystals((world.gives,)) & cloud
        if gained.total:
            events.append(ResourcesGained(seat, gained, because))
            cloud -= gained
    if state.gravity_pool:
        events.append(GravityTaken(seat, state.gravity_pool - 1))
    if not star:
        events.append(LastEnergyTaken(seat))
    return tuple(events)
