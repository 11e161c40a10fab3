"""The board as integers: 169 hexes in reading order, their names and neighbours, and the lines between them."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from domain.rulesets.novagravity.board import FLEET, RADIUS, Axis

Hex: TypeAlias = int
"""A hex by its place in reading order: 0 is A1, 84 the star, 168 is O8."""

COORDINATES: Final = tuple(
    (q, r) for r in range(-RADIUS, RADIUS + 1) for q in range(max(-RADIUS, -RADIUS - r), min(RADIUS, RADIUS - r) + 1)
)
"""Axial coordinates (q, r) of each hex; r grows downward."""

HEXES: Final = range(len(COORDINATES))

HEX_AT: Final[Mapping[tuple[int, int], Hex]] = {at: hex_ for hex_, at in enumerate(COORDINATES)}

CENTRE: Final[Hex] = HEX_AT[0, 0]

NAMES: Final = tuple(f"{chr(ord('H') + r)}{q - max(-RADIUS, -RADIUS - r) + 1}" for q, r in COORDINATES)
"""The display name of each hex: its row A .. O from the top, and its place in the row from the left, from 1."""

HEX_NAMED: Final[Mapping[str, Hex]] = {name: hex_ for hex_, name in enumerate(NAMES)}


def mirror(hex_: Hex) -> Hex:
    """The hex opposite through the centre."""
    return HEXES[-1] - hex_


def norm(a: Hex, b: Hex) -> int:
    """The squared Euclidean distance, in units of the distance between neighbours."""
    q, r = _offset(a, b)
    return q * q + q * r + r * r


def distance(a: Hex, b: Hex) -> int:
    """The number of hexes to step from one to the other."""
    q, r = _offset(a, b)
    return max(abs(q), abs(r), abs(q + r))


def _offset(a: Hex, b: Hex) -> tuple[int, int]:
    (aq, ar), (bq, br) = COORDINATES[a], COORDINATES[b]
    return bq - aq, br - ar


class Line(NamedTuple):
    """A straight way from one hex to another: what it jumps over, and where a close attack on it may recoil to.

    `between` are the hexes stepped on before the last. `lanes` are those that a vertical way needs clear, and `recoil`
    the two lanes of its last step, the one to be preferred first; on the other axes both are empty.
    """

    axis: Axis
    steps: int
    between: tuple[Hex, ...]
    lanes: tuple[Hex, ...]
    recoil: tuple[Hex, ...]


_E, _W, _NE, _NW, _SE, _SW = (1, 0), (-1, 0), (1, -1), (0, -1), (0, 1), (-1, 1)
_DIRECTIONS = (
    (Axis.H, _E, ()),
    (Axis.H, _W, ()),
    (Axis.O, _NE, ()),
    (Axis.O, _NW, ()),
    (Axis.O, _SE, ()),
    (Axis.O, _SW, ()),
    (Axis.V, (1, -2), (_NE, _NW)),  # the right-hand lane first, facing the way of travel
    (Axis.V, (-1, 2), (_SW, _SE)),
)
_LONGEST = {axis: max(design.ranges[axis] for design in FLEET.values()) for axis in Axis}


def _rays(origin: Hex) -> Iterator[tuple[Axis, tuple[tuple[Hex, Line], ...]]]:
    for axis, (dq, dr), lane_offsets in _DIRECTIONS:
        ray: list[tuple[Hex, Line]] = []
        between: tuple[Hex, ...] = ()
        lanes: tuple[Hex, ...] = ()
        q, r = COORDINATES[origin]
        for steps in range(1, _LONGEST[axis] + 1):
            if (target := HEX_AT.get((q + dq, r + dr))) is None:
                break
            last = tuple(HEX_AT[q + lane_q, r + lane_r] for lane_q, lane_r in lane_offsets)
            lanes += last
            ray.append((target, Line(axis, steps, between, lanes, tuple(sorted(last, key=_from_centre)))))
            between += (target,)
            q, r = q + dq, r + dr
        yield axis, tuple(ray)


def _from_centre(hex_: Hex) -> int:
    return norm(hex_, CENTRE)


RAYS: Final = tuple(tuple(_rays(origin)) for origin in HEXES)
"""For each hex the axis and the lines of each direction, nearest target first, as far as the longest range."""

LINES: Final = tuple({target: line for _, ray in rays for target, line in ray} for rays in RAYS)
"""For each hex the line to every target; at most one direction leads to each."""

NEIGHBOURS: Final = tuple(
    tuple(target for axis, ray in rays if axis is not Axis.V for target, _ in ray[:1]) for rays in RAYS
)
"""For each hex those at distance 1."""
