"""The nineteen goals: what each asks of a seat, what it is worth, and how far a seat has come."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from domain.ruleset import Seat
from domain.rulesets.exoplanets.planets import Kind
from domain.rulesets.exoplanets.system import Place, System

Measure: TypeAlias = Callable[[System, Seat], int]
"""How far a seat has come towards a goal."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal: met where its measure reaches `need`."""

    id: str
    name: str
    text: str
    points: int
    need: int
    measure: Measure

    def progress(self, system: System, seat: Seat) -> int:
        """How much of `need` a seat has."""
        return min(self.measure(system, seat), self.need)

    def met(self, system: System, seat: Seat) -> bool:
        """Whether a seat has all that is needed."""
        return self.progress(system, seat) == self.need


def _homes(system: System, seat: Seat) -> list[Place]:
    """The planets where a seat is present."""
    return [place for place in system.planets if place.present(seat)]


def _present_on(kind: Kind) -> Measure:
    return lambda system, seat: sum(home.world.kind is kind for home in _homes(system, seat))


def _species_on(kind: Kind) -> Measure:
    return lambda system, seat: sum(home.species == seat and home.world.kind is kind for home in _homes(system, seat))


def _kinds(system: System, seat: Seat) -> int:
    return len({home.world.kind for home in _homes(system, seat)})


def _rays(system: System, seat: Seat) -> int:
    return len({home.ray for home in _homes(system, seat)})


def _in_one_orbit(system: System, seat: Seat) -> int:
    return _most_alike(home.orbit for home in _homes(system, seat))


def _on_one_ray(system: System, seat: Seat) -> int:
    return _most_alike(home.ray for home in _homes(system, seat))


def _most_alike(numbers: Iterable[int]) -> int:
    given = tuple(numbers)
    return max(map(given.count, given), default=0)


def _highest_life(system: System, seat: Seat) -> int:
    return max((place.life[seat] for place in system.planets), default=0)


def _outermost(system: System, seat: Seat) -> int:
    return sum(home.orbit == system.orbits for home in _homes(system, seat))


def _innermost(system: System, seat: Seat) -> int:
    return sum(home.orbit == 1 for home in _homes(system, seat))


def _shared(system: System, seat: Seat) -> int:
    return sum(place.life[seat] > 0 and sum(place.life) > place.life[seat] for place in system.planets)


def _alone(system: System, seat: Seat) -> int:
    return sum(sum(home.life) == home.life[seat] for home in _homes(system, seat))


GOALS: Final[Mapping[str, Goal]] = MappingProxyType(
    {
        goal.id: goal
        for goal in (
            Goal("G01", "Rocky Realm", "Be present on two rocky planets.", 3, 2, _present_on(Kind.ROCKY)),
            Goal("G02", "Ocean Realm", "Be present on two oceanic planets.", 3, 2, _present_on(Kind.OCEANIC)),
            Goal("G03", "Gas Realm", "Be present on two gaseous planets.", 3, 2, _present_on(Kind.GASEOUS)),
            Goal("G04", "Earth Realm", "Be present on two super-earths.", 3, 2, _present_on(Kind.SUPER_EARTH)),
            Goal("G05", "Rocky Species", "Have a species on a rocky planet.", 5, 1, _species_on(Kind.ROCKY)),
            Goal("G06", "Ocean Species", "Have a species on an oceanic planet.", 5, 1, _species_on(Kind.OCEANIC)),
            Goal("G07", "Gas Species", "Have a species on a gaseous planet.", 5, 1, _species_on(Kind.GASEOUS)),
            Goal("G08", "Earth Species", "Have a species on a super-earth.", 4, 1, _species_on(Kind.SUPER_EARTH)),
            Goal("G09", "Biodiversity", "Be present on three kinds of planets.", 3, 3, _kinds),
            Goal("G10", "Full Spectrum", "Be present on all four kinds of planets.", 5, 4, _kinds),
            Goal("G11", "Orbit Chain", "Be present on three planets of one orbit.", 5, 3, _in_one_orbit),
            Goal("G12", "Ray Chain", "Be present on three planets of one ray.", 5, 3, _on_one_ray),
            Goal("G13", "Four Winds", "Be present on all four rays.", 4, 4, _rays),
            Goal("G14", "Fusion", "Have exactly three cubes on some planet.", 3, 3, _highest_life),
            Goal("G15", "Dominion", "Have two species in play.", 6, 2, System.species),
            Goal("G16", "Frontier", "Be present in the outermost orbit.", 3, 1, _outermost),
            Goal("G17", "Star Dwellers", "Be present on two planets of orbit 1.", 3, 2, _innermost),
            Goal("G18", "Symbiosis", "Share two planets, cube beside cube, with rivals.", 3, 2, _shared),
            Goal("G19", "Hermit", "Have three planets to yourself.", 4, 3, _alone),
        )
    }
)
"""Id -> goal."""
