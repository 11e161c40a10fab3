"""The house bot: alpha-beta, two plies deep, and on along the exchanges after them."""

from collections.abc import Iterable
from operator import getitem
from typing import Final

from domain.chance import Draws
from domain.rulesets.novagravity.board import RADIUS, WON_BY_ACTING, Unit
from domain.rulesets.novagravity.combat import resolve
from domain.rulesets.novagravity.commands import Act, Command
from domain.rulesets.novagravity.hexes import CENTRE, COORDINATES, HEX_NAMED, HEXES, Hex, distance
from domain.rulesets.novagravity.legality import is_insufficient, legal_actions, verdict
from domain.rulesets.novagravity.movement import Action, pseudo_legal_actions
from domain.rulesets.novagravity.position import (
    BLUE,
    BOTH_SIDES,
    CELLS,
    DRONE,
    MOTHER,
    SHIPS,
    UNIT,
    UNITS,
    Position,
    standing_of,
)
from domain.rulesets.novagravity.view import NovagravityView

PLIES: Final = 2
"""How deep every action is looked at."""

EXCHANGE_PLIES: Final = 6
"""How much further exchanges are followed."""

WORTH: Final = {
    Unit.MOTHER_SHIP: 10_000,
    Unit.RELAY_DRONE: 100,
    Unit.ESCORT: 300,
    Unit.CRUISER: 350,
    Unit.VOID_SHIFTER: 350,
    Unit.STAR_BOMBER: 650,
}
"""What a ship is worth, in hundredths of a Drone; a Mother more than all others together."""

CENTRE_WORTH: Final = 4
"""What a step towards the centre is worth to the other ships."""

ADVANCE_WORTH: Final = 6
"""What a row towards promotion is worth to a Drone."""

WHIM: Final = 8
"""Actions whose worth differs by less than this are as good as each other."""

_WON: Final = 1_000_000


def advise(view: NovagravityView, legal: tuple[Command, ...], draws: Draws) -> Command:
    """The best of the legal actions as far as it sees, equals taken as chance has it."""
    position = standing_of(view.position).position
    chance = draws(f"advise/{view.plies}")
    acts = {(HEX_NAMED[act.origin], HEX_NAMED[act.target]): act for act in legal if isinstance(act, Act)}
    best, best_score = next(iter(acts)), -2 * _WON
    for action in _promising_first(position, acts):
        whim = chance.below(WHIM)
        score = whim - _score(_after(position, action), PLIES - 1, -2 * _WON, whim - best_score)
        if score > best_score:
            best, best_score = action, score
    return acts[best]


def _score(position: Position, plies: int, alpha: int, beta: int) -> int:
    """What a position is worth to the side to act, looking so many plies ahead and then along the exchanges."""
    if plies == 0:
        return _exchanged(position, EXCHANGE_PLIES, alpha, beta)
    if is_insufficient(position):
        return 0
    actions = legal_actions(position)
    if not actions:
        return -_WON - plies if verdict(position) in WON_BY_ACTING else 0
    for action in _promising_first(position, actions):
        alpha = max(alpha, -_score(_after(position, action), plies - 1, -beta, -alpha))
        if alpha >= beta:
            break
    return alpha


def _exchanged(position: Position, plies: int, alpha: int, beta: int) -> int:
    """What a position is worth once nobody gains by a blow; nobody has to strike."""
    alpha = max(alpha, _material(position))
    if plies == 0 or alpha >= beta:
        return alpha
    blows = [action for action in pseudo_legal_actions(position) if position.cells[action[1]] >= SHIPS]
    for blow in _promising_first(position, blows):
        after = _after(position, blow)
        if after.side | MOTHER not in after.cells:
            return _WON
        alpha = max(alpha, -_exchanged(after, plies - 1, -beta, -alpha))
        if alpha >= beta:
            break
    return alpha


def _after(position: Position, action: Action) -> Position:
    return Position(resolve(position, *action).cells, position.terrain, position.side ^ BOTH_SIDES)


def _material(position: Position) -> int:
    blue = sum(map(getitem, _PLACED, position.cells))
    return blue if position.side == BLUE else -blue


def _promising_first(position: Position, actions: Iterable[Action]) -> list[Action]:
    """The likely best first, by what is struck and where the ship goes: a good order cuts most of the search."""
    cells, sign = position.cells, 1 if position.side == BLUE else -1

    def promise(action: Action) -> int:
        origin, target = action
        ship, met = cells[origin], cells[target]
        if met < SHIPS:
            return sign * (_PLACED[target][ship] - _PLACED[origin][ship])
        return -sign * _PLACED[target][met]

    return sorted(actions, key=promise, reverse=True)


def _placed(hex_: Hex, cell: int) -> int:
    """What a ship is worth to Blue on a hex."""
    if cell < SHIPS or cell & UNIT >= len(UNITS):
        return 0
    unit = cell & UNIT
    forward = COORDINATES[hex_][1] if cell & BLUE else -COORDINATES[hex_][1]
    if unit == MOTHER:
        place = 0
    elif unit == DRONE:
        place = ADVANCE_WORTH * (forward + RADIUS)
    else:
        place = CENTRE_WORTH * (RADIUS - distance(hex_, CENTRE))
    worth = WORTH[UNITS[unit]] + place
    return worth if cell & BLUE else -worth


_PLACED: Final = tuple(tuple(_placed(hex_, cell) for cell in CELLS) for hex_ in HEXES)
