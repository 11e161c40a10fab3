"""The thirty-eight space tiles: an effect, the special event whose disc its use moves, and a goal."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from domain.rulesets.exoplanets.board import Special
from domain.rulesets.exoplanets.crystals import NOTHING, Crystals, icons


class Scope(StrEnum):
    """How far an effect reaches: ONCE and gone, or lasting, measured from the planet the tile lies beneath."""

    ONCE = "ONCE"
    PLANET = "PLANET"
    RAY = "RAY"
    ORBIT = "ORBIT"


class Effect(StrEnum):
    """What a space tile does."""

    GAIN_ANY = "GAIN_ANY"
    GAIN = "GAIN"
    DISCOUNT = "DISCOUNT"
    METEOR = "METEOR"
    MIGRATE = "MIGRATE"
    SURVEY = "SURVEY"
    TRANSMUTE = "TRANSMUTE"
    ORBIT_SWAP = "ORBIT_SWAP"
    PANSPERMIA = "PANSPERMIA"
    COST = "COST"
    POINTS = "POINTS"
    SHIELD = "SHIELD"


@dataclass(frozen=True, slots=True)
class Tile:
    """A space tile.

    `icons` are what a GAIN gives, or what a COST adds (`amount` +1) or takes away (-1); for the other effects
    `amount` is how many crystals, tiles, cubes or points.
    """

    id: str
    name: str
    scope: Scope
    effect: Effect
    amount: int
    icons: Crystals
    special: Special
    goal: str

    @property
    def lasting(self) -> bool:
        """Whether it is laid beneath a planet, rather than used once."""
        return self.scope is not Scope.ONCE

    @property
    def text(self) -> str:
        """What it does, in words."""
        match self.effect:
            case Effect.GAIN:
                return f"Take {self.icons} from the cloud, as far as it has them."
            case Effect.COST:
                change = "more" if self.amount > 0 else "less, though never less than one crystal"
                return f"Life on {_REACH[self.scope]} costs {self.icons} {change}."
            case Effect.POINTS:
                reach, many = _REACH[self.scope].capitalize(), "" if abs(self.amount) == 1 else "s"
                change = f"{abs(self.amount)} point{many} {'more' if self.amount > 0 else 'less'}"
                return f"{reach} is worth {change} to each seat that is present."
            case _:
                return _TEXTS[self.effect]


ONCE, PLANET, RAY, ORBIT = Scope
BH, SS, CR = Special

TILES: Final[Mapping[str, Tile]] = MappingProxyType(
    {
        tile.id: tile
        for tile in (
            Tile("S01", "Comet Ice", ONCE, Effect.GAIN_ANY, 2, NOTHING, BH, "G01"),
            Tile("S02", "Stardust", ONCE, Effect.GAIN_ANY, 2, NOTHING, SS, "G02"),
            Tile("S03", "Flare Plume", ONCE, Effect.GAIN, 1, icons("EG"), SS, "G03"),
            Tile("S04", "Wet Nebula", ONCE, Effect.GAIN, 1, icons("GW"), BH, "G04"),
            Tile("S05", "Steam Jet", ONCE, Effect.GAIN, 1, icons("EW"), CR, "G05"),
            Tile("S06", "Gas Pocket", ONCE, Effect.GAIN, 1, icons("GG"), SS, "G06"),
            Tile("S07", "Ice Field", ONCE, Effect.GAIN, 1, icons("WW"), BH, "G07"),
            Tile("S08", "Sunbeam", ONCE, Effect.GAIN, 1, icons("EE"), CR, "G08"),
            Tile("S09", "Catalyst", ONCE, Effect.DISCOUNT, 1, NOTHING, BH, "G09"),
            Tile("S10", "Primordial Soup", ONCE, Effect.DISCOUNT, 1, NOTHING, SS, "G10"),
            Tile("S11", "Meteor", ONCE, Effect.METEOR, 1, NOTHING, CR, "G11"),
            Tile("S12", "Asteroid Hit", ONCE, Effect.METEOR, 1, NOTHING, CR, "G12"),
            Tile("S13", "Migration", ONCE, Effect.MIGRATE, 1, NOTHING, SS, "G13"),
            Tile("S14", "Drifting Spores", ONCE, Effect.MIGRATE, 1, NOTHING, BH, "G14"),
            Tile("S15", "Deep Survey", ONCE, Effect.SURVEY, 2, NOTHING, CR, "G15"),
            Tile("S16", "Transmutation", ONCE, Effect.TRANSMUTE, 2, NOTHING, BH, "G16"),
            Tile("S17", "Resonance Shift", ONCE, Effect.ORBIT_SWAP, 1, NOTHING, SS, "G17"),
            Tile("S18", "Panspermia", ONCE, Effect.PANSPERMIA, 1, NOTHING, BH, "G18"),
            Tile("S19", "Thin Air Belt", ORBIT, Effect.COST, +1, icons("G"), CR, "G19"),
            Tile("S20", "Dry Belt", ORBIT, Effect.COST, +1, icons("W"), CR, "G08"),
            Tile("S21", "Cold Belt", ORBIT, Effect.COST, +1, icons("E"), CR, "G09"),
            Tile("S22", "Warm Belt", ORBIT, Effect.COST, -1, icons("E"), SS, "G10"),
            Tile("S23", "Gas Belt", ORBIT, Effect.COST, -1, icons("G"), BH, "G11"),
            Tile("S24", "Ice Belt", ORBIT, Effect.COST, -1, icons("W"), SS, "G12"),
            Tile("S25", "Shadow Lane", RAY, Effect.COST, +1, icons("E"), CR, "G13"),
            Tile("S26", "Water Lane", RAY, Effect.COST, -1, icons("W"), BH, "G14"),
            Tile("S27", "Vacuum Lane", RAY, Effect.COST, +1, icons("G"), CR, "G15"),
            Tile("S28", "Hot Core", PLANET, Effect.COST, -1, icons("E"), SS, "G16"),
            Tile("S29", "Dense Air", PLANET, Effect.COST, -1, icons("G"), BH, "G17"),
            Tile("S30", "Hidden Sea", PLANET, Effect.COST, -1, icons("W"), SS, "G18"),
            Tile("S31", "Harsh World", PLANET, Effect.COST, +1, icons("EW"), CR, "G19"),
            Tile("S32", "Debris Ring", ORBIT, Effect.POINTS, -2, NOTHING, CR, "G01"),
            Tile("S33", "Golden Orbit", ORBIT, Effect.POINTS, +1, NOTHING, BH, "G02"),
            Tile("S34", "Radiation Lane", RAY, Effect.POINTS, -1, NOTHING, SS, "G03"),
            Tile("S35", "Quiet Lane", RAY, Effect.POINTS, +1, NOTHING, SS, "G04"),
            Tile("S36", "Jewel World", PLANET, Effect.POINTS, +3, NOTHING, BH, "G05"),
            Tile("S37", "Toxic World", PLANET, Effect.POINTS, -3, NOTHING, BH, "G06"),
            Tile("S38", "Magnetosphere", PLANET, Effect.SHIELD, 0, NOTHING, SS, "G07"),
        )
    }
)
"""Id -> space tile."""

_REACH: Mapping[Scope, str] = MappingProxyType(
    {Scope.PLANET: "this planet", Scope.RAY: "every planet of this ray", Scope.ORBIT: "every planet of this orbit"}
)

_TEXTS: Mapping[Effect, str] = MappingProxyType(
    {
        Effect.GAIN_ANY: "Take any two crystals from the cloud.",
        Effect.DISCOUNT: "One step of life this turn costs you one crystal less, but at least one.",
        Effect.METEOR: "A rival loses one cube on a planet that has no species and no shield.",
        Effect.MIGRATE: "Move one of your cubes to an adjacent planet.",
        Effect.SURVEY: "Look at the top two space tiles, keep one and put the other under the stack.",
        Effect.TRANSMUTE: "Exchange one or two of your crystals for crystals of another kind.",
        Effect.ORBIT_SWAP: "Two planets of one orbit trade places, with all that is on and beneath them.",
        Effect.PANSPERMIA: "Place a cube for free on a planet new to you, adjacent to one where you are present.",
        Effect.SHIELD: "Meteors, the Solar Storm and the Black Hole do not touch this planet.",
    }
)
