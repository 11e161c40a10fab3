"""What an action does: the blow, the Escort that takes it, the recoil, the promotion, the black holes at the end."""

from typing import NamedTuple

from domain.rulesets.novagravity.board import RADIUS, Cause, Kind
from domain.rulesets.novagravity.hexes import COORDINATES, LINES, NEIGHBOURS, Hex, distance, norm
from domain.rulesets.novagravity.movement import ENDS, MEETS, kind_of
from domain.rulesets.novagravity.position import (
    BLUE,
    BOMBER,
    BOTH_SIDES,
    DRONE,
    ESCORT,
    MOTHER,
    SHIPS,
    UNIT,
    Position,
)


class Fall(NamedTuple):
    """A ship destroyed: where, which, and why."""

    hex: Hex
    ship: int
    cause: Cause


class Upshot(NamedTuple):
    """All that an action does: its ship as it is then, where it stands (None: it fell), who fell, the cells after."""

    kind: Kind
    ship: int
    landed: Hex | None
    recoiled: bool
    falls: tuple[Fall, ...]
    cells: bytes


def resolve(position: Position, origin: Hex, target: Hex) -> Upshot:
    """Do an action that the ship at `origin` can reach, and close the turn: the black holes take who stayed."""
    cells, (land, holes, _), side = position
    after = bytearray(cells)
    ship, victim, kind = cells[origin], cells[target], kind_of(cells, origin, target)
    falls: list[Fall] = []
    landed: Hex | None = origin if kind is Kind.RANGED else target
    recoiled = False

    if victim >= SHIPS:
        escort = _escort_of(position, origin, target) if victim & UNIT == MOTHER else None
        if escort is None:
            falls.append(Fall(target, victim, Cause.SHOT if kind is Kind.RANGED else Cause.RAMMED))
        else:
            falls.append(Fall(escort, cells[escort], Cause.ABSORBED))
            if kind is Kind.CLOSE:
                falls.append(Fall(origin, ship, Cause.REPELLED))
                landed = None
    elif ship & UNIT == DRONE and COORDINATES[target][1] == (RADIUS if side == BLUE else -RADIUS):
        ship = side | BOMBER

    for fall in falls:
        after[fall.hex] = land[fall.hex]
    if landed is not None:
        if kind is Kind.CLOSE:
            landed = _recoil(after, ship, origin, target)
            recoiled = landed != target
        after[origin] = land[origin]
        after[landed] = ship
    for hole in holes:
        if cells[hole] & side and after[hole] & side:
            falls.append(Fall(hole, cells[hole], Cause.SWALLOWED))
            after[hole] = land[hole]
            if landed == hole:
                landed = None
    return Upshot(kind, ship, landed, recoiled, tuple(falls), bytes(after))


def _escort_of(position: Position, origin: Hex, mother: Hex) -> Hex | None:
    """The Escort that takes a blow from `origin` on a Mother: the nearest to the attacker (RULES.md, 6)."""
    cells, _, side = position
    guard = side ^ BOTH_SIDES | ESCORT
    escorts = (hex_ for hex_ in NEIGHBOURS[mother] if cells[hex_] == guard)
    forward = -1 if side == BLUE else 1  # in the frame of the Mother's side
    return min(escorts, key=lambda hex_: (distance(hex_, origin), norm(hex_, origin), forward * hex_), default=None)


def _recoil(after: bytearray, ship: int, origin: Hex, target: Hex) -> Hex:
    """Where a close attack ends: on H and O in the target's hex, on V in a free lane, at the worst where it began."""
    lanes = LINES[origin][target].recoil
    if not lanes:
        return target
    return next((lane for lane in lanes if after[lane] < SHIPS and MEETS[ship][after[lane]] & ENDS), origin)
