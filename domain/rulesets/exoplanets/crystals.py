"""The three resources, and counts of their crystals: a pile, a cost, a gain."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Resource(StrEnum):
    """What life is made of."""

    ENERGY = "ENERGY"
    GAS = "GAS"
    WATER = "WATER"


@dataclass(frozen=True, slots=True)
class Crystals:
    """So many crystals of each resource."""

    energy: int = 0
    gas: int = 0
    water: int = 0

    @property
    def total(self) -> int:
        """How many crystals of any kind."""
        return self.energy + self.gas + self.water

    def __getitem__(self, resource: Resource) -> int:
        return (self.energy, self.gas, self.water)[_ORDER[resource]]

    def __add__(self, other: "Crystals") -> "Crystals":
        return Crystals(self.energy + other.energy, self.gas + other.gas, self.water + other.water)

    def __sub__(self, other: "Crystals") -> "Crystals":
        return Crystals(self.energy - other.energy, self.gas - other.gas, self.water - other.water)

    def __and__(self, other: "Crystals") -> "Crystals":
        """What both hold: of each resource the smaller count."""
        return Crystals(min(self.energy, other.energy), min(self.gas, other.gas), min(self.water, other.water))

    def covers(self, cost: "Crystals") -> bool:
        """Whether `cost` could be paid from this."""
        return self & cost == cost

    def __str__(self) -> str:
        counts = [f"{self[resource]} {resource.lower()}" for resource in Resource if self[resource]]
        if len(counts) < 2:
            return "".join(counts) or "nothing"
        return f"{', '.join(counts[:-1])} and {counts[-1]}"


NOTHING = Crystals()


def crystals(resources: Iterable[Resource]) -> Crystals:
    """One crystal for each resource named, as often as it is named."""
    named = tuple(resources)
    return Crystals(*(named.count(resource) for resource in Resource))


def icons(letters: str) -> Crystals:
    """Crystals as the tables print them: `EEG` is two energy and one gas."""
    return Crystals(*(letters.count(resource[0]) for resource in Resource))


_ORDER = {resource: place for place, resource in enumerate(Resource)}
