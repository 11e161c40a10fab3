"""Positions as the rule sheet writes them: ships `bE@1,-4`, obstacles `H@1,-3` or `-`, the side to act `b` or `r`."""

from hypothesis import strategies as st

from domain.chance import draws_from
from domain.rulesets.novagravity.board import FLEET, RADIUS
from domain.rulesets.novagravity.hexes import CENTRE, COORDINATES, HEX_AT, HEXES, NAMES, Hex, distance
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


def crowd(seed: int) -> Position:
    """A position in which much is in the way of much: up to 34 ships and 12 obstacles, all over or close together."""
    chance = draws_from(seed.to_bytes(32, "big"))("crowd")
    middle, radius = HEXES[chance.below(len(HEXES))], (3, 5, 14)[chance.below(3)]
    hexes = chance.shuffled(hex_ for hex_ in HEXES if hex_ != CENTRE and distance(hex_, middle) <= radius)
    blue, red, *others = hexes
    lands = [(hex_, LANDS["HHPA"[chance.below(4)]]) for hex_ in others[: chance.below(13)]]
    below_mothers = [(hex_, HOLE) for hex_ in (blue, red) if not chance.below(8)]
    terrain = Terrain.of((hex_, land) for hex_, land in (*lands, *below_mothers) if land != ASTEROIDS or _inner(hex_))
    cells = bytearray(terrain.land)
    for hex_ in chance.shuffled(others)[: chance.below(35)]:
        ship = (BLUE, RED)[chance.below(2)] | 1 + chance.below(len(LETTERS) - 1)
        if terrain.land[hex_] in ((OPEN, HOLE, ASTEROIDS) if ship & UNIT == DRONE else (OPEN, HOLE)):
            cells[hex_] = ship
    cells[blue], cells[red] = BLUE | MOTHER, RED | MOTHER
    return Position(bytes(cells), terrain, (BLUE, RED)[chance.below(2)])


crowded = st.integers(0, 2**32 - 1).map(crowd)


def _inner(hex_: Hex) -> bool:
    return abs(COORDINATES[hex_][1]) < RADIUS


def _pairs(text: str) -> list[tuple[str, str]]:
    items = (item.partition("@") for item in text.split() if item != STAR_ALONE)
    return [(left, right) for left, _, right in items]
