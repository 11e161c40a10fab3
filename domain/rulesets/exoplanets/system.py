"""The planetary system: places on rays and orbits, the planets on them, life above and space tiles beneath."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from domain.ruleset import Hidden, Seat
from domain.rulesets.exoplanets.board import LIFE_MAX
from domain.rulesets.exoplanets.planets import PLANETS, Planet
from domain.rulesets.exoplanets.tiles import TILES, Effect, Scope, Tile


@dataclass(frozen=True, slots=True)
class Under:
    """A space tile beneath a planet: `seq` orders such tiles by when they were laid, `by` is who laid it."""

    tile: str
    seq: int
    by: Seat


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the system: at first a space tile lies on it face down, then a planet may.

    `life` counts cubes by seat; where a seat has its species, no cube is left.
    """

    ray: int
    orbit: int
    life: tuple[int, ...]
    face_down: str | Hidden | None = None
    planet: str | None = None
    under: Under | None = None
    species: Seat | None = None

    @property
    def world(self) -> Planet:
        """The planet here, for a place that has one."""
        assert self.planet is not None, "no planet here"
        return PLANETS[self.planet]

    @property
    def shielded(self) -> bool:
        """Whether meteors, the Solar Storm and the Black Hole pass by."""
        return self.under is not None and TILES[self.under.tile].effect is Effect.SHIELD

    @property
    def open(self) -> bool:
        """Whether life may still come and go: a planet without a species."""
        return self.planet is not None and self.species is None

    def level(self, seat: Seat) -> int:
        """How far life of `seat` has come here: its cubes, or one step more for its species."""
        return LIFE_MAX + 1 if self.species == seat else self.life[seat]

    def present(self, seat: Seat) -> bool:
        """Whether `seat` has life or its species here."""
        return self.level(seat) > 0

    def living(self, seat: Seat, cubes: int) -> "Place":
        """The place with so many cubes of `seat`."""
        return replace(self, life=(*self.life[:seat], cubes, *self.life[seat + 1 :]))

    def bearing(self, other: "Place") -> "Place":
        """The place with the planet of another, and all that is on and beneath that."""
        return replace(self, planet=other.planet, under=other.under, life=other.life, species=other.species)

    def emptied(self) -> "Place":
        """The place with nothing on it."""
        return Place(self.ray, self.orbit, (0,) * len(self.life))


@dataclass(frozen=True, slots=True)
class System:
    """All places, by ray and, from the Star outward, by orbit."""

    rays: tuple[tuple[Place, ...], ...]

    @property
    def orbits(self) -> int:
        """How many orbits there are."""
        return len(self.rays[0])

    @property
    def planets(self) -> tuple[Place, ...]:
        """The places with a planet, ray by ray."""
        return tuple(place for ray in self.rays for place in ray if place.planet is not None)

    def planet_at(self, ray: int, orbit: int) -> Place | None:
        """The place with a planet there; None for an empty one, or one off the board."""
        if not (0 <= ray < len(self.rays) and 1 <= orbit <= self.orbits):
            return None
        place = self.rays[ray][orbit - 1]
        return place if place.planet is not None else None

    def put(self, *places: Place) -> "System":
        """The system with these in the places of the same ray and orbit."""
        new = {(place.ray, place.orbit): place for place in places}
        return System(tuple(tuple(new.get((place.ray, place.orbit), place) for place in ray) for ray in self.rays))

    def free(self, ray: int) -> tuple[Place, ...]:
        """The places of a ray without a planet, nearest to the Star first; none for a ray that is not there."""
        return tuple(place for place in self.rays[ray] if place.planet is None) if ray in range(len(self.rays)) else ()

    def outermost(self, ray: int) -> Place:
        """The planet of a ray that is farthest from the Star; those of orbit 1 never leave."""
        return [place for place in self.rays[ray] if place.planet is not None][-1]

    def adjacent(self, place: Place) -> Iterator[Place]:
        """The planets next to a place: inward and outward on its ray, and in its orbit on the neighbouring rays."""
        rays = len(self.rays)
        for ray, orbit in (
            (place.ray, place.orbit - 1),
            (place.ray, place.orbit + 1),
            ((place.ray - 1) % rays, place.orbit),
            ((place.ray + 1) % rays, place.orbit),
        ):
            if neighbour := self.planet_at(ray, orbit):
                yield neighbour

    def reaching(self, place: Place, effect: Effect) -> Iterator[tuple[Place, Tile]]:
        """The lasting tiles of an effect that reach a place, each with its host, in the order they were laid."""
        hosts = [(host.under.seq, host, TILES[host.under.tile]) for ray in self.rays for host in ray if host.under]
        for _, host, tile in sorted(hosts, key=lambda laid: laid[0]):
            if tile.effect is effect and _reaches(tile.scope, host, place):
                yield host, tile

    def cubes(self, seat: Seat) -> int:
        """The life cubes of a seat in play."""
        return sum(place.life[seat] for place in self.planets)

    def species(self, seat: Seat) -> int:
        """The species of a seat in play."""
        return sum(place.species == seat for place in self.planets)


def _reaches(scope: Scope, host: Place, place: Place) -> bool:
    match scope:
        case Scope.RAY:
            return host.ray == place.ray
        case Scope.ORBIT:
            return host.orbit == place.orbit
        case _:
            return (host.ray, host.orbit) == (place.ray, place.orbit)
