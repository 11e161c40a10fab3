"""Legal actions and what they do, against the rules said plainly, and turned through the centre."""

import pytest
from hypothesis import given, settings

from domain.chance import draws_from
from domain.rulesets.novagravity.combat import resolve
from domain.rulesets.novagravity.hexes import COORDINATES, mirror
from domain.rulesets.novagravity.layout import terrain_of
from domain.rulesets.novagravity.legality import in_check, legal_actions
from domain.rulesets.novagravity.position import BOTH_SIDES, Position, opening
from tests.rulesets.novagravity import reference
from tests.rulesets.novagravity.positions import board_of, crowded

MODESTLY = settings(max_examples=60, deadline=None, derandomize=True)


@given(crowded())
@MODESTLY
def test_legal_actions_and_what_they_do_are_those_of_the_plain_rules(position: Position) -> None:
    assert_as_the_plain_rules_say(position)


@pytest.mark.parametrize("seed", range(4))
def test_so_they_are_in_a_game(seed: int) -> None:
    chance = draws_from(seed.to_bytes(32, "big"))("game")
    position = opening(terrain_of(seed))
    for ply in range(120):
        actions = legal_actions(position)
        if ply % 12 == 0:
            assert_as_the_plain_rules_say(position)
        if not actions:
            break
        action = actions[chance.below(len(actions))]
        position = Position(resolve(position, *action).cells, position.terrain, position.side ^ BOTH_SIDES)


@given(crowded())
@MODESTLY
def test_the_mirrored_position_with_sides_swapped_has_the_mirrored_legal_actions(position: Position) -> None:
    mirrored = {(mirror(origin), mirror(target)) for origin, target in legal_actions(position)}
    assert set(legal_actions(position.mirrored)) == mirrored


@given(crowded())
@MODESTLY
def test_what_an_action_does_is_mirrored_too(position: Position) -> None:
    for origin, target in legal_actions(position):
        after = resolve(position, origin, target).cells
        turned = resolve(position.mirrored, mirror(origin), mirror(target)).cells
        assert Position(after, position.terrain, position.side).mirrored.cells == turned


def test_the_opening_is_its_own_mirror() -> None:
    position = opening(terrain_of(1))
    assert position.mirrored.cells == position.cells
    assert position.mirrored.mirrored == position


def assert_as_the_plain_rules_say(position: Position) -> None:
    board = board_of(position)
    options = {(option.origin, option.target): option for option in reference.legal(board)}
    actions = legal_actions(position)
    assert {(COORDINATES[origin], COORDINATES[target]) for origin, target in actions} == set(options)
    assert in_check(position) == reference.in_check(board, board.side)
    for origin, target in actions:
        option = options[COORDINATES[origin], COORDINATES[target]]
        upshot = resolve(position, origin, target)
        after = Position(upshot.cells, position.terrain, position.side ^ BOTH_SIDES)
        assert board_of(after) == reference.apply(board, option)
        assert upshot.kind.lower() == option.kind
