"""What can happen, each a fact with its consequences: nothing has to be worked out from the rules to know them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, get_args

from domain.ruleset import Seat, Secret
from domain.rulesets.exoplanets.board import Discs, Special
from domain.rulesets.exoplanets.crystals import NOTHING, Crystals, Resource
from domain.rulesets.exoplanets.options import Compensation
from domain.rulesets.exoplanets.scoring import Score

# The deal and the turns


@dataclass(frozen=True, slots=True)
class SystemFormed:
    """Everything lies ready. `planets` are those of orbit 1, ray by ray; bag and stack are taken from at the end.

    `covering` are the space tiles on the places outward of orbit 1, ray by ray. `removal` is how many Gravity markers
    remove a space tile; without Gravity, the pool is empty.
    """

    seats: int
    first_seat: Seat
    places_a_ray: int
    star: int
    cloud: Crystals
    discs: Discs
    with_gravity: bool
    gravity_pool: int
    removal: int
    compensation: Compensation
    fourth_cube: bool
    planets: tuple[str, ...]
    reserves: tuple[str, ...]
    bag_size: int
    stack_size: int
    bag: Secret[tuple[str, ...]]
    space_stack: Secret[tuple[str, ...]]
    covering: Secret[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class HandDealt:
    """A seat got so many space tiles."""

    seat: Seat
    count: int
    tiles: Secret[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """Turn number `turn`, from 1, began for a seat."""

    seat: Seat
    turn: int


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A seat closed its turn; unused discounts are gone."""

    seat: Seat


# Choosing a planet and placing it


@dataclass(frozen=True, slots=True)
class PlanetsDrawn:
    """A seat drew planets from the bag, for all to see."""

    seat: Seat
    planets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanetToReserve:
    """The drawn planet that was not chosen went on top of a reserve pile."""

    seat: Seat
    planet: str
    reserve: int


@dataclass(frozen=True, slots=True)
class PlanetPlaced:
    """A planet came into the system."""

    seat: Seat
    planet: str
    ray: int
    orbit: int


@dataclass(frozen=True, slots=True)
class SpaceTileTaken:
    """The space tile that lay where the planet is now went to a seat's hand."""

    seat: Seat
    ray: int
    orbit: int
    tile: Secret[str]


@dataclass(frozen=True, slots=True)
class EnergyFromStar:
    """A seat took one energy from the Star, which has so much left."""

    seat: Seat
    left: int


class Gained(StrEnum):
    """Why crystals came from the cloud: the placed planet's yield, its neighbour's, or a space tile."""

    PLANET = "PLANET"
    NEIGHBOUR = "NEIGHBOUR"
    TILE = "TILE"


@dataclass(frozen=True, slots=True)
class ResourcesGained:
    """A seat took crystals from the cloud."""

    seat: Seat
    gained: Crystals
    because: Gained


@dataclass(frozen=True, slots=True)
class GravityTaken:
    """A seat took one Gravity marker from the pool, which has so many left."""

    seat: Seat
    pool: int


@dataclass(frozen=True, slots=True)
class LastEnergyTaken:
    """The Star is spent: this is the last turn."""

    seat: Seat


# Life and goals


@dataclass(frozen=True, slots=True)
class LifeCreated:
    """Life of a seat on a planet came to so many cubes. `waived` are the icons that a discount saved it."""

    seat: Seat
    ray: int
    orbit: int
    level: int
    paid: Crystals = NOTHING
    waived: tuple[Resource, ...] = ()


@dataclass(frozen=True, slots=True)
class SpeciesCreated:
    """Life of a seat became a species: its cubes went home, and the planet is closed."""

    seat: Seat
    ray: int
    orbit: int
    paid: Crystals = NOTHING
    waived: tuple[Resource, ...] = ()


@dataclass(frozen=True, slots=True)
class LifeDisplaced:
    """A species displaced so many cubes of a seat, which received crystals from the cloud for them."""

    seat: Seat
    ray: int
    orbit: int
    cubes: int
    received: Crystals


@dataclass(frozen=True, slots=True)
class GoalClaimed:
    """A seat revealed a reached goal."""

    seat: Seat
    tile: str
    goal: str
    points: int


# Space tiles


@dataclass(frozen=True, slots=True)
class EffectUsed:
    """A seat used a space tile and discarded it; what it did follows."""

    seat: Seat
    tile: str


@dataclass(frozen=True, slots=True)
class DiscountGained:
    """A seat may waive so many icons until the end of its turn."""

    seat: Seat
    discount: int


@dataclass(frozen=True, slots=True)
class MeteorStruck:
    """A meteor took one cube of `victim`, which has so many left there."""

    seat: Seat
    victim: Seat
    ray: int
    orbit: int
    level: int


@dataclass(frozen=True, slots=True)
class LifeMigrated:
    """One cube of a seat moved to the planet at `ray` and `orbit`; the levels are those after."""

    seat: Seat
    from_ray: int
    from_orbit: int
    from_level: int
    ray: int
    orbit: int
    level: int


@dataclass(frozen=True, slots=True)
class TilesSurveyed:
    """A seat looked at so many space tiles from the top of the stack."""

    seat: Seat
    tile: str
    count: int
    tiles: Secret[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SurveyKept:
    """A seat kept one of the tiles it looked at; so many others went under the stack."""

    seat: Seat
    returned_count: int
    kept: Secret[str]
    returned: Secret[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ResourcesTransmuted:
    """A seat exchanged crystals with the cloud."""

    seat: Seat
    given: Crystals
    taken: Crystals


@dataclass(frozen=True, slots=True)
class PlanetsSwapped:
    """The planets of an orbit on two rays traded places."""

    seat: Seat
    orbit: int
    ray: int
    other_ray: int


@dataclass(frozen=True, slots=True)
class TileAttached:
    """A lasting space tile was laid beneath a planet, as number `seq` in the order of laying."""

    seat: Seat
    tile: str
    ray: int
    orbit: int
    seq: int


# Special events


@dataclass(frozen=True, slots=True)
class SpecialDiscMoved:
    """A disc left a special tile, which has so many left."""

    special: Special
    left: int


@dataclass(frozen=True, slots=True)
class SpecialFired:
    """The last disc left a special tile: its event happens, and a seat decides where."""

    special: Special
    seat: Seat


@dataclass(frozen=True, slots=True)
class SpecialFizzled:
    """There was nothing for the event to happen to."""

    special: Special


@dataclass(frozen=True, slots=True)
class SpecialRefilled:
    """A special tile has all its discs again."""

    special: Special
    full: int


@dataclass(frozen=True, slots=True)
class PlanetSwallowed:
    """The Black Hole took a planet out of the game: cubes went home (by seat), the tiles beneath were discarded."""

    seat: Seat
    planet: str
    ray: int
    orbit: int
    cubes_home: tuple[int, ...]
    tiles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """A cube that a seat lost on the planet in an orbit; `level` cubes are left there."""

    seat: Seat
    orbit: int
    level: int


@dataclass(frozen=True, slots=True)
class StormHit:
    """The Solar Storm swept a ray."""

    seat: Seat
    ray: int
    losses: tuple[Loss, ...]


# Gravity, and taking back


@dataclass(frozen=True, slots=True)
class ResourceExchanged:
    """A seat returned Gravity markers and exchanged one crystal with the cloud."""

    seat: Seat
    markers: int
    gave: Resource
    took: Resource


@dataclass(frozen=True, slots=True)
class TileRemoved:
    """A seat returned Gravity markers and discarded the space tile beneath a planet; its effect ended."""

    seat: Seat
    markers: int
    tile: str
    ray: int
    orbit: int


@dataclass(frozen=True, slots=True)
class LifeRestored:
    """A planet where the seat has so many cubes again."""

    ray: int
    orbit: int
    level: int


@dataclass(frozen=True, slots=True)
class Undone:
    """A seat took back its last act; these are the facts as they were before it."""

    seat: Seat
    crystals: Crystals
    cloud: Crystals
    markers: int
    gravity_pool: int
    discount: int
    life: tuple[LifeRestored, ...]


# The end


@dataclass(frozen=True, slots=True)
class GoalCompleted:
    """At the end, a goal that a seat still held proved to be reached."""

    seat: Seat
    tile: str
    goal: str
    points: int


@dataclass(frozen=True, slots=True)
class SeatScored:
    """What a seat's game came to."""

    score: Score


@dataclass(frozen=True, slots=True)
class RankingSettled:
    """The seats, best first; each inner tuple is a tie. The play is over."""

    ranking: tuple[tuple[Seat, ...], ...]


Event: TypeAlias = (
    SystemFormed
    | HandDealt
    | TurnStarted
    | TurnEnded
    | PlanetsDrawn
    | PlanetToReserve
    | PlanetPlaced
    | SpaceTileTaken
    | EnergyFromStar
    | ResourcesGained
    | GravityTaken
    | LastEnergyTaken
    | LifeCreated
    | SpeciesCreated
    | LifeDisplaced
    | GoalClaimed
    | EffectUsed
    | DiscountGained
    | MeteorStruck
    | LifeMigrated
    | TilesSurveyed
    | SurveyKept
    | ResourcesTransmuted
    | PlanetsSwapped
    | TileAttached
    | SpecialDiscMoved
    | SpecialFired
    | SpecialFizzled
    | SpecialRefilled
    | PlanetSwallowed
    | StormHit
    | ResourceExchanged
    | TileRemoved
    | Undone
    | GoalCompleted
    | SeatScored
    | RankingSettled
)

EVENTS: tuple[type, ...] = get_args(Event)
