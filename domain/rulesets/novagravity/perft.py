"""Perft: the number of legal action sequences of a length, by which two implementations of the rules compare."""

from domain.rulesets.novagravity.combat import resolve
from domain.rulesets.novagravity.legality import is_insufficient, legal_actions
from domain.rulesets.novagravity.position import BOTH_SIDES, Position


def perft(position: Position, depth: int) -> int:
    """The sequences of `depth` legal actions. One that ends the game earlier does not count; repetition is ignored."""
    if depth == 0:
        return 1
    if is_insufficient(position):
        return 0
    if depth == 1:
        return len(legal_actions(position))
    terrain, enemy = position.terrain, position.side ^ BOTH_SIDES
    return sum(
        perft(Position(resolve(position, *action).cells, terrain, enemy), depth - 1)
        for action in legal_actions(position)
    )
