"""Positions as the rule sheet writes them: ships `bE@1,-4`, obstacles `H@1,-3` or `-`, the side to act `b` or `r`."""

from hypothesis import strategies as st

from domain.rulesets.novagravity.board import FLEET
from domain.rulesets.novagravity.hexes import CENTRE, COORDINATES, HEX_AT, HEXES, NAMES, Hex
from domain.rulesets.novagravity.position import (
    ASTEROIDS,
    BLUE,
    DRONE,
    HOLE,
    MOTHER,
    OPEN,
    PLANET,
    RED,
    SHIPS,
    STAR,
    UNIT,
    Position,
    Standing,
    Terrain,
    text_of,
)
from tests.rulesets.novagravity.reference import Board

LANDS = {"H": HOLE, "P": PLANET, "A": ASTEROIDS}
LETTERS = [design.letter for design in FLEET.values()]
SIDES = {"b": BLUE, "r": RED}
STAR_ALONE = "-"


def at(coordinates: str) -> Hex:
    """The hex of `1,-4`."""
    q, r = coordinates.split(",")
    return HEX_AT[int(q), int(r)]


def name(coordinates: str) -> str:
    """The display name of `1,-4`."""
    return NAMES[at(coordinates)]


def position(ships: str, side: str = "b", obstacles: str = STAR_ALONE) -> Position:
    """A position, whether or not it could arise."""
    land = Terrain.of((at(place), LANDS[letter]) for letter, place in _pairs(obstacles))
    cells = bytearray(land.land)
    for ship, place in _pairs(ships):
        cells[at(place)] = SIDES[ship[0]] | LETTERS.index(ship[1])
    return Position(bytes(cells), land, SIDES[side])


def text(ships: str, side: str = "b", obstacles: str = STAR_ALONE, quiet_plies: int = 0) -> str:
    """The text of a position, to start a practice game from."""
    return text_of(Standing(position(ships, side, obstacles), quiet_plies))


def ships_of(found: Position) -> set[str]:
    """The ships of a position as the sheet writes them."""
    return {f"{ship}@{q},{r}" for (q, r), ship in board_of(found).ships.items()}


def board_of(found: Position) -> Board:
    """The position as the reference knows it."""
    lands = {land: letter for letter, land in LANDS.items()} | {STAR: "S"}
    sides = {bit: letter for letter, bit in SIDES.items()}
    return Board(
        {
            COORDINATES[hex_]: ("b" if cell & BLUE else "r") + LETTERS[cell & UNIT]
            for hex_, cell in enumerate(found.cells)
            if cell >= SHIPS
        },
        {COORDINATES[hex_]: lands[land] for hex_, land in enumerate(found.terrain.land) if land != OPEN},
        sides[found.side],
    )


@st.composite
def crowded(draw: st.DrawFn) -> Position:
    """Positions in which much is in the way of much: both Mothers, up to 30 ships, up to 20 obstacles."""
    hexes = st.sampled_from([hex_ for hex_ in HEXES if hex_ != CENTRE])
    inner = hexes.filter(lambda hex_: abs(COORDINATES[hex_][1]) < 7)
    mothers = draw(st.lists(hexes, min_size=2, max_size=2, unique=True))
    obstacles = draw(st.dictionaries(inner, st.sampled_from([HOLE, HOLE, PLANET, ASTEROIDS]), max_size=20))
    terrain = Terrain.of((hex_, land) for hex_, land in obstacles.items() if hex_ not in mothers or land == HOLE)
    cells = bytearray(terrain.land)
    ship = st.builds(int.__or__, st.sampled_from([BLUE, RED]), st.integers(DRONE, len(FLEET) - 1))
    for hex_, cell in draw(st.dictionaries(hexes, ship, max_size=28)).items():
        if terrain.land[hex_] in (OPEN, HOLE) or (terrain.land[hex_] == ASTEROIDS and cell & UNIT == DRONE):
            cells[hex_] = cell
    for hex_, side in zip(mothers, (BLUE, RED), strict=True):
        cells[hex_] = side | MOTHER
    return Position(bytes(cells), terrain, draw(st.sampled_from([BLUE, RED])))


def _pairs(text: str) -> list[tuple[str, str]]:
    items = (item.partition("@") for item in text.split() if item != STAR_ALONE)
    return [(left, right) for left, _, right in items]
