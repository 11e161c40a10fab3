"""Legal actions and what they do, against the rules said plainly, and turned through the centre."""

import pytest
from hypothesis import given, settings

from domain.chance import draws_from
from domain.rulesets.novagravity.combat import resolve
from domain.rulesets.novagravity.hexes import COORDINATES, mirror
from domain.rulesets.novagravity.layout import terrain_of
from domain.rulesets.novagravity.legality import in_check, is_safe, legal_actions
from domain.rulesets.novagravity.movement import pseudo_legal_actions
from domain.rulesets.novagravity.perft import perft
from domain.rulesets.novagravity.position import BOTH_SIDES, Position, opening
from tests.rulesets.novagravity import reference
from tests.rulesets.novagravity.positions import board_of, crowded, position

MODESTLY = settings(max_examples=150, deadline=None, derandomize=True)


@given(crowded)
@MODESTLY
def test_legal_actions_and_what_they_do_are_those_of_the_plain_rules(found: Position) -> None:
    assert_as_the_plain_rules_say(found)


@given(crowded)
@settings(MODESTLY, max_examples=600)
def test_the_short_cut_to_legal_actions_leads_to_all_that_are_safe(found: Position) -> None:
    assert legal_actions(found) == [action for action in pseudo_legal_actions(found) if is_safe(found, *action)]


@pytest.mark.parametrize("seed", range(4))
def test_so_they_are_in_a_game(seed: int) -> None:
    chance = draws_from(seed.to_bytes(32, "big"))("game")
    found = opening(terrain_of(seed))
    for ply in range(120):
        actions = legal_actions(found)
        if ply % 12 == 0:
            assert_as_the_plain_rules_say(found)
        if not actions:
            break
        action = actions[chance.below(len(actions))]
        found = Position(resolve(found, *action).cells, found.terrain, found.side ^ BOTH_SIDES)


@given(crowded)
@MODESTLY
def test_the_mirrored_position_with_sides_swapped_has_the_mirrored_legal_actions(found: Position) -> None:
    mirrored = {(mirror(origin), mirror(target)) for origin, target in legal_actions(found)}
    assert set(legal_actions(found.mirrored)) == mirrored


@given(crowded)
@MODESTLY
def test_what_an_action_does_is_mirrored_too(found: Position) -> None:
    for origin, target in legal_actions(found):
        after = resolve(found, origin, target).cells
        turned = resolve(found.mirrored, mirror(origin), mirror(target)).cells
        assert Position(after, found.terrain, found.side).mirrored.cells == turned


def test_nothing_follows_where_a_mother_has_fallen() -> None:
    found = position("bM@7,-7 bC@0,3 rM@-4,3 rD@5,1")
    boards = [reference.apply(board_of(found), option) for option in reference.legal(board_of(found))]
    going_on = [board for board in boards if reference.mother_of(board, "r")]
    assert len(boards) - len(going_on) == 1
    assert perft(found, 1) == len(boards)
    assert perft(found, 2) == sum(len(list(reference.legal(board))) for board in going_on)


def test_the_opening_is_its_own_mirror() -> None:
    found = opening(terrain_of(1))
    assert found.mirrored.cells == found.cells
    assert found.mirrored.mirrored == found


def assert_as_the_plain_rules_say(found: Position) -> None:
    board = board_of(found)
    options = {(option.origin, option.target): option for option in reference.legal(board)}
    actions = legal_actions(found)
    assert {(COORDINATES[origin], COORDINATES[target]) for origin, target in actions} == set(options)
    assert in_check(found) == reference.in_check(board, board.side)
    for origin, target in actions:
        option = options[COORDINATES[origin], COORDINATES[target]]
        upshot = resolve(found, origin, target)
        after = Position(upshot.cells, found.terrain, found.side ^ BOTH_SIDES)
        assert board_of(after) == reference.apply(board, option)
        assert upshot.kind.lower() == option.kind
