"""A practice game through the API: forked, seen beside the true line, played on all seats, and over when it is left."""

from collections.abc import Callable

import pytest

from tests.api.asking import Person, Table, seated

FORK = "fork { gameId version hash trueLine(first: 2) { edges { node { version name } } } }"


@pytest.fixture(scope="module")
def finished(join: Callable[[str], Person]) -> Table:
    """A game that was left after a few turns."""
    table = seated(join("ann"), join("bob"))
    table.play(8)
    table.people[1].applied("resign", gameId=table.game_id)
    return table


def test_a_finished_game_is_forked_played_on_and_left(finished: Table, ann: Person) -> None:
    at = finished.version() - 3
    receipt = ann.applied("forkGame", gameId=finished.game_id, at=at)
    practice = receipt["gameId"]
    told = ann.game(practice, f"status version mySeat awaiting seats {{ player {{ handle }} }} {FORK}")
    assert (told["status"], told["version"], told["mySeat"]) == ("RUNNING", 2, told["awaiting"][0])
    assert [seat["player"]["handle"] for seat in told["seats"]] == [ann.handle, ann.handle]
    fork = told["fork"]
    assert (fork["gameId"], fork["version"]) == (finished.game_id, at)
    assert [edge["node"]["version"] for edge in fork["trueLine"]["edges"]] == [at + 1, at + 2]
    then = ann.ask("query ($id: ID!, $at: Int) { game(id: $id, at: $at) { headHash } }", id=finished.game_id, at=at)
    assert fork["hash"] == then["game"]["headHash"]
    for _ in range(4):
        ann.applied("submitTurn", gameId=practice, turn=ann.turns(practice)[0])
    ann.applied("resign", gameId=practice)
    assert ann.game(practice, "status outcome { reason ranking }") == {
        "status": "ENDED",
        "outcome": {"reason": "abandoned", "ranking": [[0, 1]]},
    }


def test_a_turn_is_taken_for_the_seat_that_is_named(finished: Table, ann: Person) -> None:
    practice = ann.applied("forkGame", gameId=finished.game_id, at=finished.version() - 3)["gameId"]
    query = "query ($id: ID!, $as: Int) { game(id: $id, asSeat: $as) { mySeat legalTurns } }"
    told = [ann.ask(query, id=practice, **{"as": seat})["game"] for seat in (0, 1, 2)]
    assert [game and game["mySeat"] for game in told] == [0, 1, None]
    seat = next(seat for seat in (1, 0) if told[seat]["legalTurns"])
    ann.applied("submitTurn", gameId=practice, turn=told[seat]["legalTurns"][0], asSeat=seat)
    assert ann.refused("submitTurn", gameId=practice, turn=told[seat]["legalTurns"][0], asSeat=7)[1] == "NO_SUCH_SEAT"
    actors = ann.game(practice, "history(first: 3) { edges { node { actor } } }")["history"]["edges"]
    assert [edge["node"]["actor"] for edge in actors] == [None, None, seat]


def test_what_a_game_had_come_to_is_open_in_the_event_that_forks_it(finished: Table, ann: Person) -> None:
    practice = ann.applied("forkGame", gameId=finished.game_id, at=finished.version() - 3)["gameId"]
    events = ann.game(practice, "history { edges { node { name ... on GameForked { fromVersion past } } } }")
    opened, forked = (edge["node"] for edge in events["history"]["edges"])
    assert opened["name"] == "game.opened"
    assert forked["fromVersion"] == finished.version() - 3
    assert forked["past"][0]["name"] == "gravwell.race_begun"
    dealt = next(event for event in forked["past"] if event["name"] == "gravwell.round_dealt")
    assert len(dealt["sealed"]["face_down_cards"]["value"]) == 6


@pytest.mark.parametrize(("at", "code"), [(1, "VERSION_OUT_OF_RANGE"), (10_000, "VERSION_OUT_OF_RANGE")])
def test_a_version_at_which_nobody_played_is_refused(finished: Table, ann: Person, at: int, code: str) -> None:
    assert ann.refused("forkGame", gameId=finished.game_id, at=at) == ("Refusal", code)


def test_a_game_that_goes_on_is_not_forked(table: Table, ann: Person) -> None:
    assert ann.refused("forkGame", gameId=table.game_id, at=table.version()) == ("Refusal", "NOT_OVER")
    assert ann.refused("forkGame", gameId="game_nonsense", at=4) == ("Refusal", "UNKNOWN_GAME")
