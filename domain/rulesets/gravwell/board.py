"""The board and the box: the track, the ships and the 26 fuel cards (RULES 1)."""

from enum import StrEnum
from typing import Final, Self, TypeAlias

Ship: TypeAlias = int
"""0 to 3 the ship of that seat, 4 the derelict D1, 5 the derelict D2."""

Ships: TypeAlias = tuple[int | None, ...]
"""The space of each of the six ships; None for a ship that is not on the board."""

SINGULARITY: Final = 0
GATE: Final = 54

ROUNDS: Final = 6
PHASES: Final = 6
STACKS_A_SEAT: Final = 3
HAND: Final = 6
CHANGES_A_PHASE: Final = 16

SEATS: Final = (2, 3, 4)
SHIPS: Final = 6
D1: Final[Ship] = 4
D2: Final[Ship] = 5

START: Final[dict[int, Ships]] = {
    2: (0, 0, None, None, None, 36),
    3: (0, 0, 0, None, 26, 36),
    4: (0, 0, 0, 0, 26, 36),
}
"""Number of seats -> where the ships start (RULES 1.2, 1.3)."""


class Kind(StrEnum):
    """What a fuel card does: toward the nearest ship, away from it, or all others toward one's own."""

    STANDARD = "STANDARD"
    REPULSOR = "REPULSOR"
    TRACTOR = "TRACTOR"


class Fuel(StrEnum):
    """A fuel card, named by its letter. Cards order as their letters do (RULES 1.5)."""

    symbol: str
    element: str
    number: int
    kind: Kind

    def __new__(cls, letter: str, symbol: str, element: str, number: int, kind: Kind) -> Self:
        """The card that is its letter, and knows what is printed on it."""
        fuel = str.__new__(cls, letter)
        fuel._value_ = letter
        fuel.symbol, fuel.element, fuel.number, fuel.kind = symbol, element, number, kind
        return fuel

    A = "A", "Ar", "Argon", 1, Kind.STANDARD
    B = "B", "B", "Boron", 2, Kind.STANDARD
    C = "C", "C", "Carbon", 3, Kind.STANDARD
    D = "D", "Dy", "Dysprosium", 5, Kind.STANDARD
    E = "E", "Es", "Einsteinium", 2, Kind.STANDARD
    F = "F", "F", "Fluorine", 6, Kind.STANDARD
    G = "G", "Ga", "Gallium", 5, Kind.STANDARD
    H = "H", "H", "Hydrogen", 4, Kind.STANDARD
    I = "I", "Ir", "Iridium", 6, Kind.STANDARD  # noqa: E741
    J = "J", "Jo", "Jovium", 2, Kind.TRACTOR
    K = "K", "Kr", "Krypton", 2, Kind.REPULSOR
    L = "L", "Li", "Lithium", 4, Kind.STANDARD
    M = "M", "Mg", "Magnesium", 10, Kind.STANDARD
    N = "N", "Ne", "Neon", 6, Kind.REPULSOR
    O = "O", "O", "Oxygen", 7, Kind.STANDARD  # noqa: E741
    P = "P", "Pu", "Plutonium", 5, Kind.STANDARD
    Q = "Q", "Qt", "Quantium", 3, Kind.TRACTOR
    R = "R", "Ra", "Radium", 9, Kind.STANDARD
    S = "S", "Si", "Silicon", 9, Kind.STANDARD
    T = "T", "Th", "Thorium", 2, Kind.STANDARD
    U = "U", "U", "Uranium", 5, Kind.REPULSOR
    V = "V", "V", "Vanadium", 7, Kind.STANDARD
    W = "W", "W", "Tungsten", 8, Kind.STANDARD
    X = "X", "Xe", "Xenon", 3, Kind.REPULSOR
    Y = "Y", "Y", "Yttrium", 8, Kind.STANDARD
    Z = "Z", "Zr", "Zirconium", 7, Kind.STANDARD
