"""What everything is worth: planets, tiles and goals, line by line, and who is ahead (RULES 9)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from domain.ruleset import Seat
from domain.rulesets.exoplanets.board import SPECIES_WORTH
from domain.rulesets.exoplanets.crystals import Crystals
from domain.rulesets.exoplanets.system import Place, System
from domain.rulesets.exoplanets.tiles import Effect


class Source(StrEnum):
    """Where points come from."""

    PLANET = "PLANET"
    GOAL = "GOAL"


@dataclass(frozen=True, slots=True)
class Claim:
    """A goal that a seat has reached, by the tile that asked for it, and what it is worth."""

    tile: str
    goal: str
    points: int


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of a score: a planet (its id in `item`) or a goal (the id of its tile).

    `base` is what cubes, species or goal are worth, `by_tiles` what space tiles add to that, `points` the line's sum.
    """

    source: Source
    item: str
    base: int
    by_tiles: int
    points: int


@dataclass(frozen=True, slots=True)
class Score:
    """A seat's score at the end, and what breaks ties, in that order: species, goals, cubes and crystals."""

    seat: Seat
    lines: tuple[ScoreLine, ...]
    points: int
    species: int
    goals: int
    cubes: int
    crystals: int

    @property
    def rank(self) -> tuple[int, ...]:
        """What seats are ranked by, the greatest first."""
        return self.points, self.species, self.goals, self.cubes, self.crystals


def planet_points(system: System, place: Place, seat: Seat) -> int:
    """What a planet is worth to a seat as things stand."""
    return 0 if not place.present(seat) else max(0, _base(place, seat) + _by_tiles(system, place))


def points(system: System, claims: Iterable[Claim], seat: Seat) -> int:
    """What a seat's planets and claimed goals are worth as things stand."""
    return sum(line.points for line in _lines(system, claims, seat))


def score(system: System, claims: tuple[Claim, ...], held: Crystals, seat: Seat) -> Score:
    """The score of a seat at the end, with all its goals claimed; `held` are its crystals."""
    lines = tuple(_lines(system, claims, seat))
    return Score(
        seat=seat,
        lines=lines,
        points=sum(line.points for line in lines),
        species=system.species(seat),
        goals=len(claims),
        cubes=system.cubes(seat),
        crystals=held.total,
    )


def ranking(scores: Iterable[Score]) -> tuple[tuple[Seat, ...], ...]:
    """The seats, best first; seats that nothing tells apart share a rank."""
    ordered = sorted(scores, key=lambda score: score.rank, reverse=True)
    return tuple(tuple(score.seat for score in tie) for _, tie in groupby(ordered, key=lambda score: score.rank))


def _lines(system: System, claims: Iterable[Claim], seat: Seat) -> Iterator[ScoreLine]:
    for place in system.planets:
        if place.present(seat):
            base, worth = _base(place, seat), planet_points(system, place, seat)
            yield ScoreLine(Source.PLANET, place.world.id, base, worth - base, worth)
    for claim in claims:
        yield ScoreLine(Source.GOAL, claim.tile, claim.points, 0, claim.points)


def _base(place: Place, seat: Seat) -> int:
    return place.world.size * (SPECIES_WORTH if place.species == seat else place.life[seat])


def _by_tiles(system: System, place: Place) -> int:
    return sum(tile.amount for _, tile in system.reaching(place, Effect.POINTS))
