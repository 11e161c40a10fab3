"""What a practice game may start from: a position that the rules can play on."""

from typing import Final

from domain.ruleset import Refused
from domain.rulesets.novagravity.board import FLEET, NO_PROGRESS_PLIES, RADIUS
from domain.rulesets.novagravity.hexes import COORDINATES
from domain.rulesets.novagravity.legality import verdict
from domain.rulesets.novagravity.movement import ENDS, MEETS
from domain.rulesets.novagravity.position import MOTHER, SHIPS, SIDES, BadText, Position, Standing, standing_of


def practice(text: str, *, no_progress: bool) -> Standing:
    """The standing of a practice game at its start. Raises Refused("BAD_OPTION")."""
    try:
        standing = standing_of(text)
    except BadText as bad:
        raise _refused(str(bad)) from None
    if flaw := _flaw(standing.position):
        raise _refused(flaw)
    if verdict(standing.position) or (no_progress and standing.quiet_plies >= NO_PROGRESS_PLIES):
        raise _refused("the game is over in this position")
    return standing


def _refused(reason: str) -> Refused:
    return Refused("BAD_OPTION", option="start_from", reason=reason)


_FLEET_SIZE: Final = sum(design.per_side for design in FLEET.values())


def _flaw(position: Position) -> str | None:
    """Why the rules have nothing to say about this position, if so (RULES.md, 13.1)."""
    cells, (land, _, fields), _ = position
    for bit, side in SIDES.items():
        if cells.count(bit | MOTHER) != 1:
            return f"{side.capitalize()} has not one Mother Ship"
        if sum(cell & bit > 0 for cell in cells) > _FLEET_SIZE:
            return f"{side.capitalize()} has more than {_FLEET_SIZE} ships"
    for cell, below in zip(cells, land, strict=True):
        if cell >= SHIPS and not MEETS[cell][below] & ENDS:
            return "a ship stands where it cannot be"
    if any(abs(COORDINATES[field][1]) == RADIUS for field in fields):
        return "an asteroid field lies on a rear row, and a Drone would be promoted inside it"
    return None
