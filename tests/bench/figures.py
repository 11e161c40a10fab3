"""What a bench finds: figures with what each is measured against, and the one table they are printed as."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from rich.console import Console
from rich.table import Table

from tests.bench.ground import Ground, strangers_share

QUIET_SHARE: Final = 0.1
"""The share of the machine that others may use before figures count as taken in noise."""

Part = Callable[[Ground], Iterable["Figure"]]
"""What takes some figures on a ground."""

WIDTH: Final = 170

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. `held` is None for a reading, which has no budget."""

    name: str
    absolute: str
    beside: str = ""
    ratio: float | None = None
    budget: str = ""
    held: bool | None = None


def reading(name: str, absolute: str, beside: str = "", ratio: float | None = None) -> Figure:
    """A figure that is told and not judged."""
    return Figure(name, absolute, beside, ratio)


def at_least(least: float, name: str, absolute: str, beside: str, ratio: float) -> Figure:
    """A figure whose ratio to what it is measured against may not be below a budget."""
    return Figure(name, absolute, beside, ratio, f">= {least:g}", ratio >= least)


def at_most(most: float, name: str, absolute: str, beside: str, ratio: float) -> Figure:
    """A figure whose ratio to what it is measured against may not be above a budget."""
    return Figure(name, absolute, beside, ratio, f"<= {most:g}", ratio <= most)


def alternated(rounds: int, measures: Mapping[str, Callable[[], T]]) -> dict[str, list[T]]:
    """What each measure gives when all are taken by turns, so that whatever else the machine does meets them alike."""
    taken: dict[str, list[T]] = {name: [] for name in measures}
    for nth in range(rounds):
        for name, measure in measures.items():
            say(f"{name}, {nth + 1} of {rounds}")
            taken[name].append(measure())
    return taken


def say(word: str) -> None:
    """Tell on standard error what is being done."""
    sys.stderr.write(f"{word}\n")


def print_table(found: Sequence[tuple[Figure, float]]) -> bool:
    """Print figures, each with the share of the machine that others used meanwhile; False if a budget was missed."""
    table = Table(title="Slowlight, measured", title_justify="left")
    for heading in ("figure", "absolute", "raw limit or peer", "ratio", "budget", "", "others"):
        table.add_column(heading, overflow="fold")
    for figure, share in found:
        verdict = {True: "held", False: "MISSED", None: "a reading"}[figure.held]
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
        noise = f"{share:.0%}: noise" if share > QUIET_SHARE else f"{share:.0%}"
        table.add_row(figure.name, figure.absolute, figure.beside, ratio, figure.budget, verdict, noise)
    Console(width=WIDTH).print(table)
    return all(figure.held is not False for figure, _ in found)


def with_noise(part: Part, ground: Ground) -> list[tuple[Figure, float]]:
    """Figures beside the share of the machine that others used just before or just after they were taken."""
    before = strangers_share()
    figures = list(part(ground))
    share = max(before, strangers_share())
    return [(figure, share) for figure in figures]


def alone(part: Part) -> None:
    """Take the figures of one part by themselves, and exit as their budgets were held or not."""
    with Ground.taken() as ground:
        found = with_noise(part, ground)
    sys.exit(not print_table(found))
