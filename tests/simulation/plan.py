"""What will happen in one simulation, all of it drawn from its seed before anything runs."""

from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final, get_args

from service.faults import Point
from tests.simulation.processes import ALL, API, WORKER, Part

PARTS: Final = {"all": Part(ALL), "api": Part(API), "worker": Part(WORKER)}
"""The processes of every simulation."""

PLAYERS: Final = 4
TABLES: Final = 3
ANSWERS: Final = 160
"""How many receipts are given before the simulation comes to its end."""

SIGHTS: Final[dict[str, tuple[Point, ...]]] = {
    "api": ("arrived", "received", "decided", "committed", "told", "opening", "opened"),
    "worker": ("received", "decided", "committed", "looked", "due", "leased", "advised"),
}
"""The points that a process comes to."""


class Deed(StrEnum):
    """What is done to the process that is meant, or around it."""

    KILL = "kill"
    TERMINATE = "terminate"
    CRASH_POSTGRES = "crash PostgreSQL"
    CRASH_VALKEY = "crash Valkey"
    CUT = "cut its lines"
    STALL = "stall its lines"
    REFUSE = "refuse its lines"
    HOLD = "hold it while the clock steps"


OUTSIDE: Final = (*Deed,)
STOPPED: Final = (Deed.KILL, Deed.KILL, Deed.TERMINATE, Deed.CRASH_POSTGRES, Deed.CRASH_VALKEY, Deed.HOLD, Deed.HOLD)
"""What may be done while a process is stopped at a point."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A deed done once a process has stopped at a point, or, without one, once so many receipts are given."""

    process: str
    deed: Deed
    point: Point | None = None
    nth: int = 0
    line: str = ""
    seconds: float = 0.0
    step: int = 0

    def __str__(self) -> str:
        when = f"at {self.point}:{self.nth}" if self.point else f"after {self.nth} receipts"
        line = f" ({self.line})" if self.line else ""
        return f"{self.process} {when}: {self.deed}{line}, {self.seconds:.1f} s, clock +{self.step} s"


@dataclass(frozen=True, slots=True)
class Table:
    """A game to be played: who sits at it, the host first; every other seat is a house bot's."""

    sitters: tuple[int, ...]
    bots: int
    turn_seconds: int | None
    start: bool

    @property
    def seats(self) -> int:
        return len(self.sitters) + self.bots


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that chance decides about a simulation, but for what each player does."""

    seed: int
    tables: tuple[Table, ...]
    stops: dict[str, tuple[Fault, ...]]
    faults: tuple[Fault, ...]
    echoing: bool

    def __str__(self) -> str:
        lines = [*map(str, self.tables), *(str(stop) for stops in self.stops.values() for stop in stops)]
        return "\n".join([f"plan of seed {self.seed}:", *lines, *map(str, self.faults), f"echoing: {self.echoing}"])


def plan_of(seed: int) -> Plan:
    """The plan that a seed stands for."""
    chance = Random(f"plan {seed}")
    return Plan(
        seed,
        tables=tuple(_table(chance) for _ in range(TABLES)),
        stops={name: tuple(_stop(chance, name) for _ in range(2)) for name in PARTS},
        faults=tuple(sorted((_fault(chance) for _ in range(5)), key=lambda fault: fault.nth)),
        echoing=chance.random() < 0.5,
    )


def _table(chance: Random) -> Table:
    sitters = tuple(chance.sample(range(PLAYERS), chance.choice((1, 2, 2, 3))))
    bots = 1 if len(sitters) == 1 else chance.choice((0, 0, 1))
    return Table(sitters, bots, chance.choice((None, 2, 5, 30)), start=chance.random() < 0.8)


def _stop(chance: Random, process: str) -> Fault:
    points = get_args(Point) if process == "all" else SIGHTS[process]
    return Fault(
        process,
        chance.choice(STOPPED),
        point=chance.choice(points),
        nth=chance.choice((1, 2, 3, 5, 8, 13)),
        seconds=chance.choice((0.0, 0.5, 1.5)),
        step=chance.choice((0, 2, 10, 60)),
    )


def _fault(chance: Random) -> Fault:
    deed, process = chance.choice(OUTSIDE), chance.choice(tuple(PARTS))
    lines = ("postgres", "valkey") if process == "worker" else ("postgres", "valkey", "http")
    return Fault(
        process,
        deed,
        nth=chance.randrange(ANSWERS),
        line=chance.choice(lines),
        seconds=chance.uniform(0.1, 1.5),
        step=chance.choice((0, 2, 10, 60)),
    )
