"""Where a ship can reach: moves and attacks along its lines, whatever that does to its own Mother Ship."""

from collections.abc import Iterable
from typing import Final, TypeAlias

from domain.rulesets.novagravity.board import FLEET, Axis, Kind, Weapon
from domain.rulesets.novagravity.hexes import LINES, RAYS, Hex
from domain.rulesets.novagravity.position import (
    ASTEROIDS,
    BOTH_SIDES,
    CELLS,
    DRONE,
    HOLE,
    OPEN,
    SHIPS,
    UNIT,
    UNITS,
    WARP,
    Position,
)

Action: TypeAlias = tuple[Hex, Hex]
"""Origin and target. At most one line leads from one to the other, so this says it all."""

ENDS, PASSES, CLEAR = 1, 2, 4
"""What a ship may do with a cell on its way: act on it as its target; go on beyond it; fly past it in a lane."""


def _met(ship: int, cell: int) -> int:
    warps = ship & UNIT == WARP
    if cell == OPEN:
        return ENDS | PASSES | CLEAR
    if cell == HOLE:
        return ENDS | CLEAR | (PASSES if warps else 0)
    if cell == ASTEROIDS and ship & UNIT == DRONE:
        return ENDS | PASSES | CLEAR
    enemy = ENDS if cell >= SHIPS and not cell & ship & BOTH_SIDES else 0
    return enemy | (PASSES | CLEAR if warps else 0)


MEETS: Final = tuple(
    bytes(_met(ship, cell) for cell in CELLS) if ship >= SHIPS and ship & UNIT < len(UNITS) else b"" for ship in CELLS
)
"""ship -> cell -> what the ship may do with it (RULES.md, 4): the traits of Drone and Warp are in this table."""


def targets(position: Position, origin: Hex) -> list[Hex]:
    """The hexes that the ship at `origin` can act on, its own Mother's safety aside."""
    return [target for _, target in _actions(position, (origin,))]


def pseudo_legal_actions(position: Position) -> list[Action]:
    """Every action that the ships of the side to act can reach, its own Mother's safety aside."""
    return _actions(position, [origin for origin, cell in enumerate(position.cells) if cell & position.side])


def _actions(position: Position, origins: Iterable[Hex]) -> list[Action]:
    (land, _, fields), cells = position.terrain, position.cells
    actions = [(origin, target) for origin in origins for target in _reached(cells, origin)]
    if not [field for field in fields if cells[field] >= SHIPS]:
        return actions
    return [action for action in actions if cells[action[1]] < SHIPS or _can_strike(land, cells[action[0]], *action)]


def kind_of(cells: bytes, origin: Hex, target: Hex) -> Kind:
    """The kind of the action from `origin` on `target`."""
    return Kind.MOVE if cells[target] < SHIPS else _strike(cells[origin], origin, target)


def _reached(cells: bytes, origin: Hex) -> list[Hex]:
    ship = cells[origin]
    meets, found = MEETS[ship], []
    for ray in _FLAT[ship & UNIT][origin]:
        for target in ray:
            met = meets[cells[target]]
            if met & ENDS:
                found.append(target)
            if not met & PASSES:
                break
    for vertical in _VERTICAL[ship & UNIT][origin]:
        for target, right, left in vertical:
            if not meets[cells[right]] & meets[cells[left]] & CLEAR:
                break
            met = meets[cells[target]]
            if met & ENDS:
                found.append(target)
            if not met & PASSES:
                break
    return found


def _can_strike(land: bytes, ship: int, origin: Hex, target: Hex) -> bool:
    """An asteroid field shelters: nothing is fired from one, and no hull goes into one on H or O.

    So the Mother, who has no other attack, cannot choose one at all.
    """
    if land[origin] == ASTEROIDS:
        return False
    if land[target] != ASTEROIDS or LINES[origin][target].axis is Axis.V:
        return True
    return _strike(ship, origin, target) is Kind.RANGED


def _strike(ship: int, origin: Hex, target: Hex) -> Kind:
    weapon = FLEET[UNITS[ship & UNIT]].weapon
    if weapon is Weapon.BOTH:
        return Kind.CLOSE if LINES[origin][target].steps == 1 else Kind.RANGED
    return Kind.CLOSE if weapon is Weapon.CLOSE else Kind.RANGED


_FLAT: Final = tuple(
    tuple(
        tuple(tuple(target for target, _ in ray[: design.ranges[axis]]) for axis, ray in rays if axis is not Axis.V)
        for rays in RAYS
    )
    for design in FLEET.values()
)
"""unit -> origin -> the targets of each ray of the H and O axes, nearest first."""

_VERTICAL: Final = tuple(
    tuple(
        tuple(
            tuple((target, *line.lanes[-2:]) for target, line in ray[: design.ranges[axis]])
            for axis, ray in rays
            if axis is Axis.V
        )
        for rays in RAYS
    )
    for design in FLEET.values()
)
"""unit -> origin -> the targets of each ray of the V axis, nearest first, each with the two lanes of the step to it."""
