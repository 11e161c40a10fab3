"""A player who leaves for good, seen from outside: by themself, by who played with them, and in the log."""

from collections.abc import Callable

import psycopg

from schema import ids
from tests.api.asking import Person, seated
from tests.api.server import Serving

FORGET = "mutation { forgetMe { __typename ... on Forgotten { retired left } ... on Refusal { code } } }"


def test_who_leaves_is_not_known_any_more_and_their_games_go_on(join: Callable[[str], Person], api: Serving) -> None:
    ann, bob, cleo = join("ann"), join("bob"), join("cleopatra")
    table = seated(ann, cleo, bob)
    waiting = ann.applied("openGame", ruleset="GRAVWELL", seats=3)["gameId"]
    cleo.applied("takeSeat", gameId=waiting, key="signed-cleopatra")
    player_id = cleo.ask("{ me { id } }")["me"]["id"]

    assert cleo.ask(FORGET)["forgetMe"] == {"__typename": "Forgotten", "retired": 1, "left": 1}

    assert cleo.send_query("{ me { id } }").status_code == 401
    assert ann.ask("query ($id: ID!) { node(id: $id) { id } }", id=player_id)["node"] is None
    seats = ann.game(table.game_id, "seats { player { handle } bot retired }")["seats"]
    assert seats[1] == {"player": None, "bot": False, "retired": True}
    assert ann.game(waiting, "status seats { player { handle } }") == {
        "status": "OPEN",
        "seats": [{"player": {"handle": ann.handle}}, {"player": None}, {"player": None}],
    }
    ann.applied("submitTurn", gameId=table.game_id, turn=awaited_turn(table.game_id, ann, bob))
    with psycopg.connect(api.database_url) as database:
        for name in ("players", "tokens", "seats", "games", "submissions"):
            kept = str(database.execute(f"select t::text from {name} t").fetchall())
            assert "cleopatra" not in kept
            assert str(ids.player_of(player_id)) not in kept
    logged = api.log.read_text()
    assert [one for one in ("cleopatra", str(cleo.token), str(ids.player_of(player_id))) if one in logged] == []


def awaited_turn(game_id: str, *people: Person) -> object:
    """A turn of the first of these people, once the others have made way for it."""
    first, *others = people
    while not (turns := first.turns(game_id)):
        for other in others:
            for turn in other.turns(game_id)[:1]:
                other.applied("submitTurn", gameId=game_id, turn=turn)
    return turns[0]


def test_nobody_cannot_be_forgotten(nobody: Person) -> None:
    assert nobody.ask(FORGET)["forgetMe"] == {"__typename": "Refusal", "code": "NOT_SIGNED_IN"}
