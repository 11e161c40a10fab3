"""The thirty planets: what they are, what they give when they or a neighbour are placed, what life on them costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from domain.rulesets.exoplanets.crystals import Crystals, Resource, icons


class Kind(StrEnum):
    """The kinds of planets."""

    SUPER_EARTH = "SUPER_EARTH"
    OCEANIC = "OCEANIC"
    GASEOUS = "GASEOUS"
    ROCKY = "ROCKY"

    def __str__(self) -> str:
        return self.lower().replace("_", "-")


@dataclass(frozen=True, slots=True)
class Planet:
    """A planet tile: `gives` is its yield, `cost` its printed price of one step of life."""

    id: str
    name: str
    kind: Kind
    gives: Resource
    cost: Crystals

    @property
    def size(self) -> int:
        """How many icons its cost shows, and so how much each life on it is worth."""
        return self.cost.total


SE, OC, GA, RO = Kind
E, G, W = Resource

PLANETS: Final[Mapping[str, Planet]] = MappingProxyType(
    {
        planet.id: planet
        for planet in (
            Planet("P01", "Verdia", SE, W, icons("E")),
            Planet("P02", "Terrona", SE, G, icons("W")),
            Planet("P03", "Halcyon", SE, E, icons("G")),
            Planet("P04", "Meadow", SE, W, icons("EG")),
            Planet("P05", "Savanna", SE, G, icons("EW")),
            Planet("P06", "Boreas", SE, E, icons("GW")),
            Planet("P07", "Elysium", SE, W, icons("EE")),
            Planet("P08", "Arcadia", SE, G, icons("EW")),
            Planet("P09", "Thalassa", OC, W, icons("EW")),
            Planet("P10", "Pontus", OC, W, icons("WW")),
            Planet("P11", "Nereid", OC, W, icons("GW")),
            Planet("P12", "Krakenia", OC, G, icons("EWW")),
            Planet("P13", "Abyssal", OC, E, icons("EW")),
            Planet("P14", "Brine", OC, W, icons("GWW")),
            Planet("P15", "Amber Sea", OC, G, icons("EGW")),
            Planet("P16", "Zephyr", GA, G, icons("EG")),
            Planet("P17", "Cirrus", GA, G, icons("GG")),
            Planet("P18", "Nimbus", GA, G, icons("GW")),
            Planet("P19", "Jovian", GA, W, icons("EGG")),
            Planet("P20", "Violet Giant", GA, E, icons("EG")),
            Planet("P21", "Banded Giant", GA, G, icons("GGW")),
            Planet("P22", "Tempest", GA, W, icons("EGW")),
            Planet("P23", "Basalt", RO, E, icons("EE")),
            Planet("P24", "Cinder", RO, E, icons("EEG")),
            Planet("P25", "Ferrum", RO, G, icons("EEW")),
            Planet("P26", "Caldera", RO, W, icons("EGW")),
            Planet("P27", "Obsidian", RO, E, icons("EG")),
            Planet("P28", "Regolith", RO, G, icons("EW")),
            Planet("P29", "Vulcan", RO, E, icons("EEE")),
            Planet("P30", "Slate", RO, W, icons("EE")),
        )
    }
)
"""Id -> planet."""
