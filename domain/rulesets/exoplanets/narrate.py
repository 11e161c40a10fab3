"""Each event as one English sentence."""

from typing import assert_never

from domain.ruleset import Hidden, Seat
from domain.rulesets.exoplanets.board import Special
from domain.rulesets.exoplanets.crystals import Crystals, Resource
from domain.rulesets.exoplanets.events import (
    DiscountGained,
    EffectUsed,
    EnergyFromStar,
    Event,
    Gained,
    GoalClaimed,
    GoalCompleted,
    GravityTaken,
    HandDealt,
    LastEnergyTaken,
    LifeCreated,
    LifeDisplaced,
    LifeMigrated,
    MeteorStruck,
    PlanetPlaced,
    PlanetsDrawn,
    PlanetsSwapped,
    PlanetSwallowed,
    PlanetToReserve,
    RankingSettled,
    ResourceExchanged,
    ResourcesGained,
    ResourcesTransmuted,
    SeatScored,
    SpaceTileTaken,
    SpecialDiscMoved,
    SpecialFired,
    SpecialFizzled,
    SpecialRefilled,
    SpeciesCreated,
    StormHit,
    SurveyKept,
    SystemFormed,
    TileAttached,
    TileRemoved,
    TilesSurveyed,
    TurnEnded,
    TurnStarted,
    Undone,
)
from domain.rulesets.exoplanets.goals import GOALS
from domain.rulesets.exoplanets.planets import PLANETS
from domain.rulesets.exoplanets.tiles import TILES


def narrate(event: Event) -> str:
    """What happened, in one English sentence; what is HIDDEN is not named."""
    match event:
        case SystemFormed():
            return f"The Star shines with {event.star} energy; around it are {_planets(event.planets)}."
        case HandDealt(seat, count, tiles):
            return f"Seat {seat} is dealt {count} space tiles{_if_known(tiles.value)}."
        case TurnStarted(seat, turn):
            return f"Turn {turn}: seat {seat}."
        case TurnEnded(seat):
            return f"Seat {seat} ends its turn."
        case PlanetsDrawn(seat, planets):
            return f"Seat {seat} draws {_planets(planets)} from the bag."
        case PlanetToReserve(seat, planet, reserve):
            return f"Seat {seat} puts {_planet(planet)} on reserve pile {reserve}."
        case PlanetPlaced(seat, planet, ray, orbit):
            return f"Seat {seat} places {_planet(planet)} {_at(ray, orbit)}."
        case SpaceTileTaken(seat, _, _, tile):
            return f"Seat {seat} takes the space tile that lay there{_if_known(tile.value)}."
        case EnergyFromStar(seat, left):
            return f"Seat {seat} takes 1 energy from the Star, which has {left} left."
        case ResourcesGained(seat, gained, because):
            return f"Seat {seat} takes {gained} from the cloud, {_BECAUSE[because]}."
        case GravityTaken(seat, pool):
            return f"Seat {seat} takes a Gravity marker; {pool} are left."
        case LastEnergyTaken():
            return "The Star is exhausted: this is the last turn."
        case LifeCreated(seat, ray, orbit, level, paid, waived):
            return f"Seat {seat} creates life {_at(ray, orbit)}: level {level}{_for(paid, waived)}."
        case SpeciesCreated(seat, ray, orbit, paid, waived):
            return f"Seat {seat} creates a species {_at(ray, orbit)}{_for(paid, waived)}."
        case LifeDisplaced(seat, _, _, cubes, received):
            return f"It displaces {_count(cubes, 'cube')} of seat {seat}, which receives {received}."
        case GoalClaimed(seat, tile_id, goal, points):
            return f"Seat {seat} reveals {_tile(tile_id)} and claims {GOALS[goal].name} for {points} points."
        case GoalCompleted(seat, tile_id, goal, points):
            return f"Seat {seat} has {_tile(tile_id)} and has reached {GOALS[goal].name}, for {points} points."
        case EffectUsed(seat, tile_id):
            return f"Seat {seat} uses {_tile(tile_id)}: {_effect(tile_id)}"
        case DiscountGained(seat, discount):
            return f"Seat {seat} may waive {_count(discount, 'icon')} this turn."
        case MeteorStruck(_, victim, ray, orbit, level):
            return f"A meteor hits seat {victim} {_at(ray, orbit)}, down to level {level}."
        case LifeMigrated():
            start, end = _at(event.from_ray, event.from_orbit), _at(event.ray, event.orbit)
            return f"Life of seat {event.seat} {start} migrates to level {event.level} {end}."
        case TilesSurveyed(seat, _, count, tiles):
            return f"Seat {seat} looks at {_count(count, 'space tile')}{_if_known(tiles.value)}."
        case SurveyKept(seat, returned_count, kept, _):
            back = f" and puts {returned_count} under the stack" if returned_count else ""
            return f"Seat {seat} keeps one{_if_known(kept.value)}{back}."
        case ResourcesTransmuted(seat, given, taken):
            return f"Seat {seat} exchanges {given} for {taken}."
        case PlanetsSwapped(_, orbit, ray, other_ray):
            return f"The planets of orbit {orbit} on rays {ray} and {other_ray} trade places."
        case TileAttached(seat, tile_id, ray, orbit):
            return f"Seat {seat} lays {_tile(tile_id)} beneath the planet {_at(ray, orbit)}: {_effect(tile_id)}"
        case SpecialDiscMoved(special, left):
            return f"A disc leaves {_SPECIALS[special]}, which has {left} left."
        case SpecialFired(special, seat):
            return f"{_SPECIALS[special]}: seat {seat} decides where."
        case SpecialFizzled(special):
            return f"{_SPECIALS[special]} finds nothing to happen to."
        case SpecialRefilled(special, full):
            return f"{_SPECIALS[special]} has its {full} discs again."
        case PlanetSwallowed(_, planet, ray, orbit):
            return f"The Black Hole swallows {_planet(planet)} {_at(ray, orbit)}."
        case StormHit(_, ray, losses):
            return f"The Solar Storm sweeps ray {ray} and takes {_count(len(losses), 'cube')}."
        case ResourceExchanged(seat, markers, gave, took):
            returned = _count(markers, "Gravity marker")
            return f"Seat {seat} returns {returned} and exchanges 1 {gave.lower()} for 1 {took.lower()}."
        case TileRemoved(seat, markers, tile_id, ray, orbit):
            returned = _count(markers, "Gravity marker")
            where = f"from beneath the planet {_at(ray, orbit)}"
            return f"Seat {seat} returns {returned} and removes {_tile(tile_id)} {where}."
        case Undone(seat):
            return f"Seat {seat} takes back what it did last."
        case SeatScored(score):
            return f"Seat {score.seat} has {score.points} points."
        case RankingSettled(ranking):
            return f"The ranking: {', then '.join(_seats(tie) for tie in ranking)}."
    assert_never(event)


_BECAUSE = {
    Gained.PLANET: "the yield of the planet",
    Gained.NEIGHBOUR: "the yield of its neighbour",
    Gained.TILE: "by the space tile",
}

_SPECIALS = {
    Special.BLACK_HOLE: "The Black Hole",
    Special.SOLAR_STORM: "The Solar Storm",
    Special.CREATION: "Creation",
}


def _planet(planet: str) -> str:
    return f"{PLANETS[planet].name} ({planet})"


def _planets(planets: tuple[str, ...]) -> str:
    return " and ".join(map(_planet, planets))


def _tile(tile: str) -> str:
    return f"{TILES[tile].name} ({tile})"


def _effect(tile: str) -> str:
    text = TILES[tile].text
    return text[0].lower() + text[1:]


def _if_known(tiles: str | tuple[str, ...] | Hidden) -> str:
    if isinstance(tiles, Hidden):
        return ""
    return f": {' and '.join(map(_tile, (tiles,) if isinstance(tiles, str) else tiles))}"


def _at(ray: int, orbit: int) -> str:
    return f"on ray {ray}, orbit {orbit}"


def _for(paid: Crystals, waived: tuple[Resource, ...]) -> str:
    if not paid.total:
        return ", for free"
    return f", for {paid}" + "".join(f" (1 {icon.lower()} waived)" for icon in waived)


def _count(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _seats(seats: tuple[Seat, ...]) -> str:
    return " and ".join(f"seat {seat}" for seat in seats)
