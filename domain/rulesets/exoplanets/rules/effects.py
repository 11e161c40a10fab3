"""Using space tiles for their effects: all a tile does at once, then its disc moves (RULES 7)."""

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations, product
from types import MappingProxyType
from typing import assert_never

from domain.ruleset import Refused, Seat, Secret
from domain.rulesets.exoplanets.board import CUBES, DRAWN, LIFE_MAX
from domain.rulesets.exoplanets.commands import (
    AttachTile,
    Discount,
    Gain,
    GainAny,
    HurlMeteor,
    KeepSurvey,
    Migrate,
    SowLife,
    Survey,
    SwapPlanets,
    Transmute,
    Use,
)
from domain.rulesets.exoplanets.crystals import Resource, crystals
from domain.rulesets.exoplanets.events import (
    DiscountGained,
    EffectUsed,
    Event,
    Gained,
    LifeCreated,
    LifeMigrated,
    MeteorStruck,
    PlanetsSwapped,
    ResourcesGained,
    ResourcesTransmuted,
    SurveyKept,
    TileAttached,
    TilesSurveyed,
)
from domain.rulesets.exoplanets.rules.hand import hand_of, tile_of
from domain.rulesets.exoplanets.rules.specials import move_disc
from domain.rulesets.exoplanets.state import State, after, known
from domain.rulesets.exoplanets.state import Survey as Seen
from domain.rulesets.exoplanets.tiles import TILES, Effect, Tile


def use(state: State, seat: Seat, command: Use) -> tuple[Event, ...]:
    """A tile of the hand, used by the command that fits it."""
    tile = tile_of(state, seat, command.tile)
    if tile.effect not in _EFFECTS[type(command)]:
        raise Refused("WRONG_TILE", tile=tile.id, effect=tile.effect.value)
    if isinstance(command, AttachTile):
        _refuse_bad_host(state, command)
    if command not in _USES[tile.effect](state, seat, tile):
        raise Refused("ILLEGAL_TARGET")
    used = _used(state, seat, tile, command)
    return used if isinstance(command, Survey) else _with_disc(state, seat, tile, used)


def keep(state: State, seat: Seat, command: KeepSurvey) -> tuple[Event, ...]:
    """One of the tiles seen goes into the hand, the other under the stack; then the disc of the survey moves."""
    if not isinstance(state.pending, Seen):
        raise Refused("PENDING", pending=state.choice)
    if command.index not in range(len(state.pending.seen)):
        raise Refused("ILLEGAL_TARGET")
    return _kept(state, seat, command.index)


def choices(state: State, seat: Seat) -> Iterator[Use]:
    """Every use of every tile of a hand."""
    for tile in hand_of(state, seat):
        yield from _USES[tile.effect](state, seat, tile)


def kept_choices(state: State) -> Iterator[KeepSurvey]:
    """The tiles of a survey that may be kept."""
    if isinstance(state.pending, Seen):
        yield from map(KeepSurvey, range(len(state.pending.seen)))


# What each tile may be used for


def _gain_any(state: State, seat: Seat, tile: Tile) -> Iterator[Use]:
    for take in product(Resource, repeat=tile.amount):
        if state.cloud.covers(crystals(take)):
            yield GainAny(tile.id, take)


def _gain(state: State, seat: Seat, tile: Tile) -> Iterator[Use]:
    if (tile.icons & state.cloud).total:
        yield Gain(tile.id)


def _discount(state: State, seat: Seat, tile: Tile) -> Iterator[Use]:
    yield Discount(tile.id)


def _meteor(state: State, seat: Seat, tile: Tile) -> Iterator[Use]:
    for place in state.system.planets:
        if place.open and not place.shielded:
            for victim in state.seats:
                if victim != seat and place.life[victim]:
                    yield HurlMeteor(tile.id, place.ray, place.orbit, victim)


def _migrate(state: State, seat: Seat, tile: Tile) -> Iterator[Use]:
    for origin in state.system.planets:
        if origin.life[seat]:
            for place in state.system.adjacent(origin):
                if place.open and place.life[seat] < LIFE_MAX:
                    yield Migrate(tile.id, origin.ray, origin.orbit, place.ray, place.orbit)


def _survey(state: State, seat: Seat, tile: Tile) -> Iterator[Use]:
    if state.stack:
        yield Survey(tile.id)


def _transmute(state: State, seat: Seat, tile: Tile) -> Iterator[Use]:
    pairs = tuple(permutations(Resource, 2))
    for count in range(1, tile.amount + 1):
        for exchanges in product(pairs, repeat=count):
            give, take = zip(*exchanges, strict=True)
            given = crystals(give)
            if state.players[seat].crystals.covers(given) and (state.cloud + given).covers(crystals(take)):
                yield Transmute(tile.id, give, take)


def _orbit_swap(state: State, seat: Seat, tile: Tile) -> Iterator[Use]:
    for orbit in range(1, state.system.orbits + 1):
        rays = [place.ray for place in state.system.planets if place.orbit == orbit]
        for ray, other_ray in permutations(rays, 2):
            yield SwapPlanets(tile.id, orbit, ray, other_ray)


def _panspermia(state: State, seat: Seat, tile: Tile) -> Iterator[Use]:
    if state.system.cubes(seat) == CUBES:
        return
    for place in state.system.planets:
        if place.open and not place.life[seat] and any(near.present(seat) for near in state.system.adjacent(place)):
            yield SowLife(tile.id, place.ray, place.orbit)


def _attach(state: State, seat: Seat, tile: Tile) -> Iterator[Use]:
    for place in state.system.planets:
        if place.under is None:
            yield AttachTile(tile.id, place.ray, place.orbit)


_USES: Mapping[Effect, Callable[[State, Seat, Tile], Iterator[Use]]] = MappingProxyType(
    {
        Effect.GAIN_ANY: _gain_any,
        Effect.GAIN: _gain,
        Effect.DISCOUNT: _discount,
        Effect.METEOR: _meteor,
        Effect.MIGRATE: _migrate,
        Effect.SURVEY: _survey,
        Effect.TRANSMUTE: _transmute,
        Effect.ORBIT_SWAP: _orbit_swap,
        Effect.PANSPERMIA: _panspermia,
        Effect.COST: _attach,
        Effect.POINTS: _attach,
        Effect.SHIELD: _attach,
    }
)

_EFFECTS: Mapping[type[Use], tuple[Effect, ...]] = MappingProxyType(
    {
        GainAny: (Effect.GAIN_ANY,),
        Gain: (Effect.GAIN,),
        Discount: (Effect.DISCOUNT,),
        HurlMeteor: (Effect.METEOR,),
        Migrate: (Effect.MIGRATE,),
        Survey: (Effect.SURVEY,),
        Transmute: (Effect.TRANSMUTE,),
        SwapPlanets: (Effect.ORBIT_SWAP,),
        SowLife: (Effect.PANSPERMIA,),
        AttachTile: (Effect.COST, Effect.POINTS, Effect.SHIELD),
    }
)
"""The effects that each command is for."""


# What follows


def _used(state: State, seat: Seat, tile: Tile, command: Use) -> tuple[Event, ...]:
    used, place = EffectUsed(seat, tile.id), state.place
    match command:
        case GainAny():
            return used, ResourcesGained(seat, crystals(command.take), Gained.TILE)
        case Gain():
            return used, ResourcesGained(seat, tile.icons & state.cloud, Gained.TILE)
        case Discount():
            return used, DiscountGained(seat, state.discount + tile.amount)
        case HurlMeteor(_, ray, orbit, victim):
            return used, MeteorStruck(seat, victim, ray, orbit, place(ray, orbit).life[victim] - 1)
        case Migrate(_, from_ray, from_orbit, ray, orbit):
            from_level, level = place(from_ray, from_orbit).life[seat] - 1, place(ray, orbit).life[seat] + 1
            return used, LifeMigrated(seat, from_ray, from_orbit, from_level, ray, orbit, level)
        case Survey():
            return _surveyed(state, seat, tile, used)
        case Transmute():
            return used, ResourcesTransmuted(seat, crystals(command.give), crystals(command.take))
        case SwapPlanets(_, orbit, ray, other_ray):
            return used, PlanetsSwapped(seat, orbit, ray, other_ray)
        case SowLife(_, ray, orbit):
            return used, LifeCreated(seat, ray, orbit, 1)
        case AttachTile(_, ray, orbit):
            laid = [host.under.seq for host in state.system.planets if host.under]
            return (TileAttached(seat, tile.id, ray, orbit, max(laid, default=0) + 1),)
    assert_never(command)


def _surveyed(state: State, seat: Seat, tile: Tile, used: Event) -> tuple[Event, ...]:
    """The topmost tiles are seen; a single one is kept at once."""
    seen = known(state.stack[: -DRAWN - 1 : -1])
    looked = (used, TilesSurveyed(seat, tile.id, len(seen), Secret(seen, to=(seat,))))
    return looked if len(seen) == DRAWN else looked + _kept(after(state, looked), seat, 0)


def _kept(state: State, seat: Seat, index: int) -> tuple[Event, ...]:
    assert isinstance(state.pending, Seen)
    seen = known(state.pending.seen)
    others = seen[:index] + seen[index + 1 :]
    kept = SurveyKept(seat, len(others), Secret(seen[index], to=(seat,)), Secret(others, to=(seat,)))
    return _with_disc(state, seat, TILES[state.pending.tile], (kept,))


def _with_disc(state: State, seat: Seat, tile: Tile, events: tuple[Event, ...]) -> tuple[Event, ...]:
    return events + move_disc(after(state, events), seat, tile.special)


def _refuse_bad_host(state: State, command: AttachTile) -> None:
    place = state.system.planet_at(command.ray, command.orbit)
    if place is None:
        raise Refused("NO_PLANET", ray=command.ray, orbit=command.orbit)
    if place.under is not None:
        raise Refused("UNDER_TAKEN", tile=place.under.tile)
