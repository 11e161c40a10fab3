"""What pulls a ship, read off the track (RULES 4.1)."""

from dataclasses import dataclass

from domain.rulesets.gravwell.board import Ship, Ships


@dataclass(frozen=True, slots=True)
class Gravity:
    """The pull on one ship: the nearest ships (two if one ahead and one behind), how far they are, and how many pull.

    `ahead` and `behind` count all ships that pull on either side; they matter only if two are nearest (RULES 4.4).
    """

    nearest: tuple[Ship, ...]
    distance: int | None
    ahead: int
    behind: int


def gravity_on(ships: Ships, ship: Ship) -> Gravity:
    """The pull on a ship where the ships stand like this."""
    here = ships[ship]
    pulling = (
        () if here is None else tuple((at - here, other) for other, at in enumerate(ships) if at and other != ship)
    )
    distance = min((abs(offset) for offset, _ in pulling), default=None)
    return Gravity(
        nearest=tuple(other for offset, other in pulling if abs(offset) == distance),
        distance=distance,
        ahead=sum(offset > 0 for offset, _ in pulling),
        behind=sum(offset < 0 for offset, _ in pulling),
    )
