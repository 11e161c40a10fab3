"""Which actions are legal: check, the safety of one's own Mother Ship, and positions in which nothing is left to do."""

from collections.abc import Container, Iterator
from typing import Final

from domain.rulesets.novagravity.board import BARE, FLEET, RADIUS, Axis, Ending
from domain.rulesets.novagravity.combat import resolve
from domain.rulesets.novagravity.hexes import HEXES, LINES, NEIGHBOURS, Hex
from domain.rulesets.novagravity.movement import CLEAR, MEETS, PASSES, Action, pseudo_legal_actions
from domain.rulesets.novagravity.position import (
    ASTEROIDS,
    BLUE,
    BOTH_SIDES,
    ESCORT,
    HOLE,
    MOTHER,
    RED,
    SHIPS,
    UNIT,
    Position,
)


def legal_actions(position: Position) -> list[Action]:
    """The actions that leave one's own Mother standing and not in check, origin by origin; none once she has fallen."""
    if position.side | MOTHER not in position.cells:
        return []
    suspects = _suspects(position)
    return [
        action
        for action in pseudo_legal_actions(position)
        if not (action[0] in suspects or action[1] in suspects) or is_safe(position, *action)
    ]


def is_safe(position: Position, origin: Hex, target: Hex) -> bool:
    """Whether one's own Mother survives this action, and is not left in check unless the enemy's falls."""
    _, terrain, side = position
    after = resolve(position, origin, target).cells
    if side | MOTHER not in after:
        return False
    return side ^ BOTH_SIDES | MOTHER not in after or not in_check(Position(after, terrain, side))


def in_check(position: Position) -> bool:
    """Whether a single enemy blow would destroy the Mother of the side to act."""
    return bool(attackers(position))


def attackers(position: Position) -> list[Hex]:
    """Where those stand that could destroy the Mother of the side to act in one blow; nobody while she is escorted."""
    mother = position.cells.index(position.side | MOTHER)
    if _escorts(position, mother):
        return []
    return [origin for origin, closed in _aims(position, mother) if not closed]


def verdict(position: Position) -> Ending | None:
    """How the game ends for the side to act, if this position alone ends it (RULES.md, 9)."""
    cells, (land, _, _), side = position
    if side | MOTHER not in cells:
        return Ending.MOTHER_DESTROYED
    if not legal_actions(position):
        if in_check(position):
            return Ending.CHECKMATE
        return Ending.CONSUMED if land[cells.index(side | MOTHER)] == HOLE else Ending.STALEMATE
    return Ending.INSUFFICIENT if is_insufficient(position) else None


def is_insufficient(position: Position) -> bool:
    """Whether both fleets are too small to force checkmate."""
    ships = position.cells.translate(None, _LANDS)
    return len(ships) <= _BARE_SHIPS_MAX and all(
        bytes(sorted(ship & UNIT for ship in ships if ship & side)) in _BARE for side in (BLUE, RED)
    )


def _suspects(position: Position) -> Container[Hex]:
    """The hexes that an action must leave alone, as origin and as target, to be safe without a closer look.

    They hold whatever shields the Mother: her only Escort, or the ships that close a line to her. Where she is in
    check, or a black hole may take a ship of hers, every action is looked at.
    """
    cells, (_, holes, _), side = position
    if any(cells[hole] & side for hole in holes):
        return HEXES
    mother = cells.index(side | MOTHER)
    escorts = _escorts(position, mother)
    if escorts:
        return {mother, *escorts} if len(escorts) == 1 else {mother}
    suspects = {mother, cells.index(side ^ BOTH_SIDES | MOTHER)}  # a blow on the enemy's Mother may fall elsewhere
    for _, closed in _aims(position, mother):
        if not closed:
            return HEXES
        if len(closed) <= _REMOVED_MAX:
            suspects.update(closed)
    return suspects


_REMOVED_MAX: Final = 2
"""The most ships that one action takes from where they stand, the black holes aside."""


def _escorts(position: Position, mother: Hex) -> list[Hex]:
    cells, escort = position.cells, position.side | ESCORT
    return [hex_ for hex_ in NEIGHBOURS[mother] if cells[hex_] == escort]


def _aims(position: Position, mother: Hex) -> Iterator[tuple[Hex, list[Hex]]]:
    """Each enemy in range of the Mother that may attack from where it stands, and the hexes that close its line."""
    cells, (land, _, _), side = position
    for origin, line, able in _AIMS[side][mother]:
        ship = cells[origin]
        if ship in able and land[origin] != ASTEROIDS:
            meets = MEETS[ship]
            yield (
                origin,
                [hex_ for hex_ in line.between if not meets[cells[hex_]] & PASSES]
                + [hex_ for hex_ in line.lanes if not meets[cells[hex_]] & CLEAR],
            )


_ABLE: Final = {
    (side, axis, steps): frozenset(
        side | unit for unit, design in enumerate(FLEET.values()) if design.ranges[axis] >= steps
    )
    for side in (BLUE, RED)
    for axis in Axis
    for steps in range(1, RADIUS)
}
"""The ships of a side that reach so many steps on an axis."""

_AIMS: Final = {
    side: tuple(
        tuple(
            (origin, line, _ABLE[side ^ BOTH_SIDES, line.axis, line.steps])
            for origin in LINES[mother]
            for line in (LINES[origin][mother],)
        )
        for mother in HEXES
    )
    for side in (BLUE, RED)
}
"""side -> hex of its Mother -> the origins of lines to it, each with its line and the enemies that reach along it."""

_LANDS: Final = bytes(range(SHIPS))
_BARE: Final = frozenset(
    bytes(sorted(unit for unit, design in enumerate(FLEET.values()) if design.letter in fleet)) for fleet in BARE
)
_BARE_SHIPS_MAX: Final = 2 * max(map(len, BARE))
