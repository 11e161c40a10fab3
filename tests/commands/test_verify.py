"""The command `slowlight verify`: what it says of bundles that hold, and of those that do not. It needs no server."""

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from domain.bundle import read
from domain.catalogue import CATALOGUE
from service.main import cli
from service.signing import PublicKey, SigningKey, endorsed, key_list
from tests.service.kept import place_of, receipt_of
from tests.verifier.games import SIGNER, Written, random_game


def ended(number: int) -> Written:
    """A game of Gravwell that was played."""
    games = (random_game(CATALOGUE["gravwell", 1], one) for one in range(number, number + 40))
    return next(game for game in games if game.ended and len(game.rows) > 50 and '"entropy":"' in str(game.rows))


GAME = ended(0)
HEAD = GAME.rows[-1].hash.hex()


def verified(*words: object) -> Result:
    return CliRunner().invoke(cli, ["verify", *map(str, words)])


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    """Puts a bundle into a file."""

    def file(data: bytes, name: str = "game.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return file


def test_a_bundle_that_holds_is_consistent_and_without_an_anchor_says_so(file: Callable[..., Path]) -> None:
    told = verified(file(GAME.bundle()))
    assert told.exit_code == 0
    assert f"gravwell rules 1, game {GAME.game_id}, {len(GAME.rows)} events, ended: " in told.stdout
    assert "Checked: bytes, chain, commitments, chance, rules, outcome." in told.stdout
    assert told.stdout.rstrip().endswith("consistent; not anchored")


def test_it_says_whose_entropy_followed_the_commitment_and_what_that_proves(file: Callable[..., Path]) -> None:
    told = verified(file(GAME.bundle())).stdout
    assert "followed on the commitment to the secret in event 1" in told
    promise = (
        "Nobody but the server could know the seed, and the server could not steer it "
        "if the last entropy given came from someone not in league with it."
    )
    assert promise in told
    assert "Not proven: that seat" in told


def test_without_any_entropy_it_says_what_is_not_proven(file: Callable[..., Path]) -> None:
    games = (random_game(CATALOGUE["novagravity", 1], number) for number in range(60))
    game = next(
        game
        for game in games
        if game.ended and '"entropy":"' not in str(game.rows) and '"name":"game.started"' in str(game.rows)
    )
    told = verified(file(game.bundle())).stdout
    assert "No seat gave entropy." in told
    assert "Not proven: that it did not choose that secret" in told


def test_a_known_head_anchors_all_of_it_and_an_earlier_hash_what_came_before(file: Callable[..., Path]) -> None:
    path = file(GAME.bundle())
    whole, part = verified(path, "--head", HEAD), verified(path, "--head", GAME.rows[9].hash.hex().upper())
    assert (whole.exit_code, part.exit_code) == (0, 0)
    assert whole.stdout.rstrip().endswith("consistent; anchored")
    assert f"consistent; anchored up to event 10 of {len(GAME.rows)}" in part.stdout


def test_a_wholly_rebuilt_chain_is_found_by_a_head_and_by_nothing_else(file: Callable[..., Path]) -> None:
    """The server opens the game again with another secret and plays it as it likes: all is consistent in itself."""
    invented = ended(100)
    path = file(invented.bundle())
    assert verified(path).exit_code == 0
    told = verified(path, "--head", HEAD)
    assert told.exit_code == 1
    assert f"head {HEAD}: no event here has this hash" in told.stderr


def test_a_bundle_signed_by_another_key_than_the_known_one_is_found(file: Callable[..., Path]) -> None:
    other = SigningKey(bytes(32))
    path = file(GAME.bundle(other))
    assert verified(path, "--key", other.public).exit_code == 0
    told = verified(path, "--key", SIGNER.public)
    assert told.exit_code == 1
    assert "[KEY]" in told.stderr


def test_of_a_game_that_goes_on_it_says_what_is_not_checked_yet(file: Callable[..., Path]) -> None:
    told = verified(file(GAME.up_to(GAME.pauses[-1]).bundle()))
    assert told.exit_code == 0
    assert "going on" in told.stdout
    assert "Not yet: commitments, chance, rules" in told.stdout


def test_a_damaged_file_is_named_with_line_event_and_what_is_wrong(file: Callable[..., Path]) -> None:
    lines = GAME.bundle().splitlines(keepends=True)
    lines[11] = lines[11].replace(b'"version":11', b'"version":12')
    path = file(b"".join(lines))
    told = verified(path)
    name = read(GAME.bundle()).events[10].public["name"]
    assert told.exit_code == 1
    assert told.stderr.startswith(f"{path}: line 12, event 12 {name}: its text was changed")
    assert "1 of 1 damaged" in told.stdout


def test_many_bundles_are_told_of_in_a_line_each(file: Callable[..., Path]) -> None:
    other = ended(50)
    paths = [file(GAME.bundle(), "one"), file(other.bundle(), "other"), file(b"{}\n", "none")]
    told = verified(*paths, "--head", HEAD)
    assert told.exit_code == 1
    assert f"{paths[0]}: gravwell rules 1, {len(GAME.rows)} events, ended: " in told.stdout
    assert "; consistent; anchored\n" in told.stdout
    assert "; consistent; not anchored\n" in told.stdout
    assert f"{paths[2]}: line 1: " in told.stderr
    assert "3 bundles" in told.stdout
    assert "1 of 3 damaged" in told.stdout


LATE = GAME.pauses[-1]
"""The end of some decision."""


def submitted(game: Written) -> int:
    """The end of a decision that a submission led to."""
    starts = [row.version for row in game.rows[20:] if '"cause":{"command"' in row.public]
    return next(pause for pause in game.pauses if pause >= starts[0])


@pytest.mark.parametrize("given", [(), ("--key", SIGNER.public)], ids=["any key", "a known key"])
def test_a_receipt_and_a_checkpoint_anchor_what_they_vouch_for(file: Callable[..., Path], given: tuple[str]) -> None:
    path, version = file(GAME.bundle()), submitted(GAME)
    receipt, place = file(receipt_of(GAME, version), "receipt"), file(place_of(GAME, LATE), "place")
    one, other = verified(path, "--receipt", receipt, *given), verified(path, "--checkpoint", place, *given)
    assert (one.exit_code, other.exit_code) == (0, 0), one.stderr + other.stderr
    assert f"consistent; anchored up to event {version} of {len(GAME.rows)}" in one.stdout
    assert f"consistent; anchored up to event {LATE} of {len(GAME.rows)}" in other.stdout
    for told in (one, other):
        assert (f"signed by {SIGNER.public}, which was not named" in told.stdout) == (not given)


def test_a_foreign_receipt_and_a_foreign_checkpoint_are_found(file: Callable[..., Path]) -> None:
    other, path = ended(50), file(GAME.bundle())
    told = verified(path, "--receipt", file(receipt_of(other, submitted(other)), "receipt"))
    assert (told.exit_code, f"{other.game_id} [FOREIGN_RECEIPT]" in told.stderr) == (1, True)
    told = verified(path, "--checkpoint", file(place_of(other, other.pauses[-1]), "place"))
    assert (told.exit_code, "[CHECKPOINT]" in told.stderr) == (1, True)


def test_a_receipt_of_another_history_of_the_game_is_found(file: Callable[..., Path]) -> None:
    """The server keeps the game's id and secret and writes what followed on some event anew."""
    told = verified(
        file(GAME.bundle()), "--receipt", file(receipt_of(GAME, submitted(GAME), hash="ab" * 32), "receipt")
    )
    assert told.exit_code == 1
    assert "is not the event that was signed [RECEIPT]" in told.stderr


def test_what_is_signed_by_no_known_key_anchors_nothing(file: Callable[..., Path]) -> None:
    path, forger = file(GAME.bundle()), SigningKey(bytes(32))
    for option, data in (
        ("--receipt", receipt_of(GAME, submitted(GAME), forger)),
        ("--checkpoint", place_of(GAME, LATE, forger)),
    ):
        told = verified(path, option, file(data, "forged"), "--key", SIGNER.public)
        assert told.exit_code == 1
        assert "none of ours" in told.stderr


def test_a_list_of_keys_that_follows_from_a_known_one_is_believed(file: Callable[..., Path]) -> None:
    now = datetime(2026, 11, 29, tzinfo=UTC)
    old = SigningKey(bytes(31) + b"\1")
    published = [endorsed(old, SIGNER.public, now), PublicKey(old.public, now)]
    keys = file(json.dumps(asdict(key_list(SIGNER, published, now))).encode(), "keys")
    path = file(GAME.bundle())
    assert verified(path, "--key", keys, "--key", old.public).exit_code == 0
    other = SigningKey(bytes(32)).public
    assert verified(path, "--key", keys, "--key", other).exit_code == 2
    assert verified(path, "--key", keys, "--key", other, "--key", old.public).exit_code == 0


@pytest.mark.parametrize("words", [("--head", "abc"), ("--key", "x" * 64), ("no-such-file",)])
def test_words_that_make_no_sense_are_refused(file: Callable[..., Path], words: tuple[str, ...]) -> None:
    assert verified(file(GAME.bundle()), *words).exit_code == 2
