"""Global ids: what is taken for one, and what is not."""

from collections.abc import Callable
from uuid import UUID

import pytest

from schema import ids

GAME = UUID("00112233-4455-8677-8899-aabbccddeeff")
SUBMISSION = UUID("ffffffff-ffff-4fff-bfff-ffffffffffff")


@pytest.mark.parametrize(
    ("written", "read"),
    [(ids.game_id, ids.game_of), (ids.player_id, ids.player_of), (ids.token_id, ids.token_of)],
)
def test_an_id_leads_back_to_what_it_is_the_id_of(
    written: Callable[[UUID], str], read: Callable[[str], UUID | None]
) -> None:
    assert read(written(GAME)) == GAME


def test_a_receipt_is_found_by_its_game_and_its_submission() -> None:
    assert ids.receipt_of(ids.receipt_id(GAME, SUBMISSION)) == (GAME, SUBMISSION)


def test_an_id_says_what_kind_of_thing_it_names() -> None:
    assert ids.game_id(GAME) == "game_ABEiM0RVhneImaq7zN3u_w"
    assert ids.kind_of(ids.game_id(GAME)) == ids.GAME


def test_events_of_one_game_have_ids_of_their_own() -> None:
    assert ids.event_id(GAME, 1) != ids.event_id(GAME, 256)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "game_",
        "game",
        str(GAME),
        f"game_{GAME}",
        "ABEiM0RVhneImaq7zN3u_w",
        "player_ABEiM0RVhneImaq7zN3u_w",
        "Game_ABEiM0RVhneImaq7zN3u_w",
        "game_ABEiM0RVhneImaq7zN3u_",
        "game_ABEiM0RVhneImaq7zN3u_ww",
        "game_ABEiM0RVhneImaq7zN3u_w==",
        "game_ABEiM0RVhneImaq7zN3u/w",
        "game_ABEiM0RVhneImaq7zN3u_x",
        " game_ABEiM0RVhneImaq7zN3u_w",
        "game_ABEiM0RVhneImaq7zN3u_w\n",
        "game_\0",
        "game_\ud800",
        "game_ABEiM0RVhneImaq7zN3u_wé",
    ],
)
def test_any_other_text_is_no_id_of_a_game(text: str) -> None:
    assert ids.game_of(text) is None
