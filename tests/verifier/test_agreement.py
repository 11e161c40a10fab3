"""A verifier that knows nothing but FORMAT.md says of every game what ours says."""

import ast
import json
import sys
from pathlib import Path

import pytest

from domain.bundle import read
from domain.catalogue import CATALOGUE, AnyRuleset
from service.verifying import verify
from tests.verifier import second
from tests.verifier.agreement import agree
from tests.verifier.games import closed, random_game, random_practice

GAMES = 20
EXAMPLE = Path(__file__).parents[1] / "data" / "bundle-example.jsonl"

TITLES = pytest.mark.parametrize("ruleset", CATALOGUE.values(), ids=lambda one: f"{one.name}-{one.version}")


@TITLES
def test_both_verifiers_say_the_same_of_random_games(ruleset: AnyRuleset) -> None:
    for number in range(GAMES):
        agree(ruleset, number)


@TITLES
def test_random_games_have_every_cause_and_every_event_of_a_games_life(ruleset: AnyRuleset) -> None:
    names, causes = set(), set()
    for number in range(GAMES):
        publics = [json.loads(row.public) for row in random_game(ruleset, number).rows]
        names |= {public["name"] for public in publics}
        causes |= {key for public in publics for key in public["cause"]}
    assert {"submission", "deadline", "operator"} <= causes
    life = {"seat_taken", "entropy_added", "seat_left", "held", "started", "lapsed", "resigned", "ended"}
    assert {f"game.{name}" for name in life} <= names


@TITLES
def test_random_practice_games_leave_others_under_any_rules_and_are_played_on(ruleset: AnyRuleset) -> None:
    games = [random_practice(ruleset, number) for number in range(GAMES)]
    forked = [json.loads(game.rows[1].public) for game in games]
    assert {public["name"] for public in forked} == {"game.forked"}
    assert any(len(game.rows) > 10 and game.ended for game in games)
    left = {json.loads(game.rows[0].secret or "")["$command"]["fork_game"]["at"] for game in games}
    assert len(left) > GAMES // 2
    sources = {str(game.game_id) for game in games}
    assert any(public["data"]["from_game"] in sources for public in forked), "some are forks of forks"


def test_the_worked_example_of_a_bundle_is_one() -> None:
    found = second.found_in(EXAMPLE.read_bytes())
    verified = verify(read(EXAMPLE.read_bytes()))
    assert found.head == verified.head
    assert found.openings
    assert found.ending is not None
    assert verified.judged


def test_the_second_verifier_imports_nothing_but_the_standard_library() -> None:
    tree = ast.parse(Path(second.__file__).read_text())
    imported = [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    imported += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert imported
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names


def test_the_second_verifier_knows_the_signatures_of_rfc_8032() -> None:
    # Section 7.1, tests 1 and 2.
    key = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    signature = bytes.fromhex(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )
    assert second.is_signed(key, signature, b"")
    assert not second.is_signed(key, signature, b"\0")
    key = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    signature = bytes.fromhex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert second.is_signed(key, signature, b"\x72")
    assert not second.is_signed(key, signature[:63] + b"\x01", b"\x72")


def test_the_second_verifier_finds_a_value_that_was_not_committed_to(gravwell_game_lines: list[bytes]) -> None:
    lines = gravwell_game_lines
    number = next(place for place, line in enumerate(lines) if b'"$command":{"take_seat"' in line)
    lines[number] = lines[number].replace(b'"$command":{"take_seat"', b'"$command":{"leave_seat"')
    with pytest.raises(second.Wrong, match="not what was committed to") as raised:
        second.found_in(closed(lines[:-1]))
    assert raised.value.line == number + 1


@pytest.fixture
def gravwell_game_lines() -> list[bytes]:
    return random_game(CATALOGUE["gravwell", 1], 1).bundle().splitlines(keepends=True)
