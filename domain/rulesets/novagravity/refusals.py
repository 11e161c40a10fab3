"""Why an action is not legal: one code and one sentence for each kind of mistake."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from domain.ruleset import Refused
from domain.rulesets.novagravity.board import FLEET
from domain.rulesets.novagravity.combat import resolve
from domain.rulesets.novagravity.hexes import HEX_NAMED, LINES, NAMES, Hex
from domain.rulesets.novagravity.legality import is_safe
from domain.rulesets.novagravity.movement import CLEAR, MEETS, PASSES, Action, targets
from domain.rulesets.novagravity.position import ASTEROIDS, HOLE, MOTHER, SHIPS, Position, unit_of

REFUSALS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "OFF_BOARD": "The {which} is not a hex of this board; hexes are named from A1 to O8.",
        "EMPTY_HEX": "No ship stands at {at}.",
        "NOT_YOUR_SHIP": "The ship at {at} is your opponent's.",
        "OWN_SHIP": "Your own ship stands at {at}.",
        "OUT_OF_RANGE": "{target} is not on a line of the ship at {origin} within its range.",
        "BLOCKED": "What lies at {at} stops the ship.",
        "LANE_CLOSED": "The vertical jump needs both lanes clear, and {at} is not.",
        "ASTEROID_FIELD": "Only a Relay Drone enters the asteroid field at {at}.",
        "SHELTERED": "A Relay Drone does not fire from inside the asteroid field at {at}.",
        "MOTHER_REPELLED": "The Mother Ship at {at} is escorted: ramming her would destroy yours.",
        "MOTHER_MUST_LEAVE": "Your Mother Ship must leave the black hole at {at} this turn.",
        "EXPOSES_MOTHER": "That would leave your Mother Ship at {at} open to an enemy's blow.",
        "DRAW_ALREADY_OFFERED": "A draw is already offered.",
        "OFFER_TOO_SOON": "Your last offer was refused; complete {actions} more actions before the next.",
        "NO_DRAW_OFFERED": "Your opponent does not offer a draw.",
    }
)


def legal_action(position: Position, origin: str, target: str) -> Action:
    """The action between two hexes by name. Raises Refused with the reason unless it is legal."""
    action = _hex("origin", origin), _hex("target", target)
    ship = position.cells[action[0]]
    if ship < SHIPS:
        raise Refused("EMPTY_HEX", at=origin)
    if not ship & position.side:
        raise Refused("NOT_YOUR_SHIP", at=origin)
    if action[1] not in targets(position, action[0]):
        raise _unreachable(position, *action)
    if not is_safe(position, *action):
        raise _unsafe(position, *action)
    return action


def _hex(which: str, name: str) -> Hex:
    if name not in HEX_NAMED:
        raise Refused("OFF_BOARD", which=which)
    return HEX_NAMED[name]


def _unreachable(position: Position, origin: Hex, target: Hex) -> Refused:
    cells, land = position.cells, position.terrain.land
    ship, meets = cells[origin], MEETS[cells[origin]]
    if cells[target] & position.side:
        return Refused("OWN_SHIP", at=NAMES[target])
    line = LINES[origin].get(target)
    if line is None or line.steps > FLEET[unit_of(ship)].ranges[line.axis]:
        return Refused("OUT_OF_RANGE", origin=NAMES[origin], target=NAMES[target])
    for step, hex_ in enumerate((*line.between, target)):
        for lane in line.lanes[2 * step : 2 * step + 2]:
            if not meets[cells[lane]] & CLEAR:
                return Refused("LANE_CLOSED", at=NAMES[lane])
        if hex_ != target and not meets[cells[hex_]] & PASSES:
            return Refused("BLOCKED", at=NAMES[hex_])
    if land[origin] == ASTEROIDS and cells[target] >= SHIPS:
        return Refused("SHELTERED", at=NAMES[origin])
    return Refused("ASTEROID_FIELD" if land[target] == ASTEROIDS else "BLOCKED", at=NAMES[target])


def _unsafe(position: Position, origin: Hex, target: Hex) -> Refused:
    mother = position.cells.index(position.side | MOTHER)
    if position.terrain.land[mother] == HOLE and origin != mother:
        return Refused("MOTHER_MUST_LEAVE", at=NAMES[mother])
    after = resolve(position, origin, target).cells
    if position.side | MOTHER not in after:
        return Refused("MOTHER_REPELLED", at=NAMES[target])
    return Refused("EXPOSES_MOTHER", at=NAMES[after.index(position.side | MOTHER)])
