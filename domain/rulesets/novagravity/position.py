"""A position: which ship stands where, on what terrain, and who is to act; and its compact text."""

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import groupby
from typing import Final, NamedTuple

from domain.rulesets.novagravity.board import FLEET, OPENING, RADIUS, Side, Unit
from domain.rulesets.novagravity.hexes import CENTRE, HEX_NAMED, HEXES, NAMES, Hex, mirror

# A cell is one number: what lies on an empty hex, or the ship that stands there, which is its side's bit and its unit.
OPEN, HOLE, ASTEROIDS, PLANET, STAR = range(5)
BLUE: Final = 8
RED: Final = 16
BOTH_SIDES: Final = BLUE | RED
SHIPS: Final = BLUE
"""The least cell that is a ship."""
UNIT: Final = 7
"""The bits of a ship's cell that tell its unit, a place in UNITS."""
CELLS: Final = range(3 * BLUE)

UNITS: Final = tuple(Unit)
MOTHER, DRONE, ESCORT, CRUISER, WARP, BOMBER = range(len(UNITS))
SIDES: Final = {BLUE: Side.BLUE, RED: Side.RED}
BITS: Final = {side: bit for bit, side in SIDES.items()}

KEY_BYTES: Final = 8


def ship_of(side: Side, unit: Unit) -> int:
    """The cell of a ship."""
    return BITS[side] | UNITS.index(unit)


def side_of(ship: int) -> Side:
    """Who commands the ship of this cell."""
    return SIDES[ship & BOTH_SIDES]


def unit_of(ship: int) -> Unit:
    """The unit of the ship of this cell."""
    return UNITS[ship & UNIT]


class Terrain(NamedTuple):
    """What lies on each hex, and where the black holes and the asteroid fields are."""

    land: bytes
    holes: tuple[Hex, ...]
    fields: tuple[Hex, ...]

    @classmethod
    def of(cls, obstacles: Iterable[tuple[Hex, int]]) -> "Terrain":
        """The star in the centre, and these obstacles."""
        land = bytearray(len(HEXES))
        for hex_, obstacle in obstacles:
            land[hex_] = obstacle
        land[CENTRE] = STAR
        found = {kind: tuple(hex_ for hex_ in HEXES if land[hex_] == kind) for kind in (HOLE, ASTEROIDS)}
        return cls(bytes(land), found[HOLE], found[ASTEROIDS])


class Position(NamedTuple):
    """All that a repetition compares: the cell of each hex, the terrain under them, and the bit of the side to act."""

    cells: bytes
    terrain: Terrain
    side: int

    @property
    def key(self) -> bytes:
        """A few bytes that tell this position from the others of its game."""
        return blake2b(self.cells + bytes((self.side,)), digest_size=KEY_BYTES).digest()

    @property
    def mirrored(self) -> "Position":
        """The same position seen from the other chair: turned through the centre, the sides swapped."""
        terrain = Terrain.of((mirror(hex_), land) for hex_, land in enumerate(self.terrain.land))
        return Position(self.cells[::-1].translate(_SWAPPED), terrain, self.side ^ BOTH_SIDES)


class Standing(NamedTuple):
    """A position in the course of a game: plies since a ship was destroyed or promoted, and plies altogether."""

    position: Position
    quiet_plies: int = 0
    plies: int = 0


class BadText(ValueError):
    """Not the text of a position; the message says why, in words of ours alone."""


def opening(terrain: Terrain) -> Position:
    """The position before Blue's first action."""
    return Position(_placed(_ships(OPENING), terrain), terrain, BLUE)


def text_of(standing: Standing) -> str:
    """Ships row by row (Blue in capitals), side to act, obstacles, quiet plies, plies: 5 fields and 4 spaces."""
    (cells, terrain, side), quiet_plies, plies = standing
    ships = "/".join(_row_text(row) for row in _rows(cells))
    return f"{ships} {'b' if side == BLUE else 'r'} {_terrain_text(terrain)} {quiet_plies} {plies}"


def standing_of(text: str) -> Standing:
    """What a position's text says, whether or not it can be played. Raises BadText."""
    fields = _TEXT.fullmatch(text)
    if fields is None:
        raise BadText("it is not five fields: ships, b or r, obstacles, quiet plies, plies")
    terrain = Terrain.of(_obstacles(fields["obstacles"]))
    position = Position(_placed(_ships(fields["ships"]), terrain), terrain, BLUE if fields["side"] == "b" else RED)
    return Standing(position, int(fields["quiet"]), int(fields["plies"]))


_TEXT: Final = re.compile(
    r"(?P<ships>[A-Za-z0-9/]{1,200}) (?P<side>[br]) (?P<obstacles>[A-Z0-9:;,-]{1,800})"
    r" (?P<quiet>[0-9]{1,9}) (?P<plies>[0-9]{1,9})"
)
_LETTERS: Final = {
    side | unit: letter if side == BLUE else letter.lower()
    for side in SIDES
    for unit, letter in enumerate(design.letter for design in FLEET.values())
}
_CELLS_LETTERED: Final = {letter: cell for cell, letter in _LETTERS.items()}
_OBSTACLE_LETTERS: Final = {"H": HOLE, "P": PLANET, "A": ASTEROIDS}
_ROW_LENGTHS: Final = tuple(2 * RADIUS + 1 - abs(r) for r in range(-RADIUS, RADIUS + 1))
_SWAPPED: Final = bytes(cell if cell < SHIPS else cell ^ BOTH_SIDES for cell in range(256 - SHIPS)) + bytes(SHIPS)


def _rows(cells: bytes) -> Iterator[bytes]:
    start = 0
    for length in _ROW_LENGTHS:
        yield cells[start : start + length]
        start += length


def _row_text(row: bytes) -> str:
    runs = groupby(_LETTERS.get(cell, "") for cell in row)
    return "".join(letter * len(list(run)) if letter else str(len(list(run))) for letter, run in runs)


def _terrain_text(terrain: Terrain) -> str:
    groups = (
        f"{letter}:{','.join(name for name, land in zip(NAMES, terrain.land, strict=True) if land == obstacle)}"
        for letter, obstacle in _OBSTACLE_LETTERS.items()
        if obstacle in terrain.land
    )
    return ";".join(groups) or "-"


def _obstacles(text: str) -> Iterator[tuple[Hex, int]]:
    taken = {CENTRE}
    for group in text.split(";") if text != "-" else ():
        letter, _, names = group.partition(":")
        for name in names.split(","):
            if letter not in _OBSTACLE_LETTERS or name not in HEX_NAMED:
                raise BadText("obstacles are H:, P: and A: with names of hexes")
            if (hex_ := HEX_NAMED[name]) in taken:
                raise BadText("two obstacles share a hex, or one lies on the star")
            taken.add(hex_)
            yield hex_, _OBSTACLE_LETTERS[letter]


def _ships(text: str) -> Iterator[tuple[Hex, int]]:
    rows = re.sub("[1-9][0-9]?", lambda run: "." * int(run[0]), text).split("/")
    if tuple(map(len, rows)) != _ROW_LENGTHS:
        raise BadText("the ships are not 15 rows of 8 to 15 hexes")
    for hex_, letter in enumerate("".join(rows)):
        if letter in _CELLS_LETTERED:
            yield hex_, _CELLS_LETTERED[letter]
        elif letter != ".":
            raise BadText("a ship is one of the letters M D E C W B, small for Red")


def _placed(ships: Iterable[tuple[Hex, int]], terrain: Terrain) -> bytes:
    cells = bytearray(terrain.land)
    for hex_, ship in ships:
        cells[hex_] = ship
    return bytes(cells)
