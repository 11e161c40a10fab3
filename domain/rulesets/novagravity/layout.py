"""The obstacles of a game from its public layout seed (RULES.md, 2): the same for everyone who works it out."""

from collections.abc import Iterator

from domain.rulesets.novagravity.board import OBSTACLE_DISTANCE_MIN, OBSTACLE_ROW_MAX, OBSTACLES, SEEDS
from domain.rulesets.novagravity.hexes import CENTRE, COORDINATES, HEXES, Hex, distance, mirror
from domain.rulesets.novagravity.position import ASTEROIDS, HOLE, PLANET, Terrain


def terrain_of(seed: int) -> Terrain:
    """Two black holes, four planets and six asteroid fields, point-symmetric, no two of them adjacent."""
    hexes, numbers = list(_CANDIDATES), numbers_of(seed)
    for i in range(len(hexes) - 1, 0, -1):
        j = next(numbers) % (i + 1)
        hexes[i], hexes[j] = hexes[j], hexes[i]
    placed: list[tuple[Hex, int]] = []
    kinds = list(OBSTACLES)
    for hex_ in hexes:
        pair = (hex_, mirror(hex_))
        taken = [pair[1], *(other for other, _ in placed)]
        if kinds and all(distance(hex_, other) >= OBSTACLE_DISTANCE_MIN for other in taken):
            kind = _KINDS[kinds.pop(0)]
            placed += [(place, kind) for place in pair]
    return Terrain.of(placed)


def numbers_of(seed: int) -> Iterator[int]:
    """The generator mulberry32: an endless row of 32-bit numbers."""
    state = seed
    while True:
        state = (state + 0x6D2B79F5) % SEEDS
        mixed = (state ^ state >> 15) * (state | 1) % SEEDS
        mixed ^= (mixed + (mixed ^ mixed >> 7) * (mixed | 61)) % SEEDS
        yield mixed ^ mixed >> 14


_KINDS = {"H": HOLE, "P": PLANET, "A": ASTEROIDS}
_CANDIDATES = tuple(
    hex_
    for hex_ in HEXES
    if hex_ > CENTRE and COORDINATES[hex_][1] <= OBSTACLE_ROW_MAX and distance(hex_, CENTRE) >= OBSTACLE_DISTANCE_MIN
)
"""Half of the hexes that may hold an obstacle, in reading order; their mirrors are the other half."""
