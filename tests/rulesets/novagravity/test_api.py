"""A whole duel through the API: two house bots play, and a spectator follows it to its end."""

from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from domain.rulesets.novagravity import RULESET
from domain.rulesets.novagravity.position import standing_of
from service.servers import Servers
from tests.api.asking import Person, registered
from tests.api.server import new_database, serving

DUEL_SECONDS_MAX = 300

SEEN = """
  status version awaiting outcome { reason ranking }
  view { ... on NovagravityView {
    position layoutSeed blue toAct plies noProgress targets { origin unit move close ranged }
    last { side unit origin target kind landed destroyed { at side unit cause } }
  } }
"""
LAST_EVENTS = """
  history(last: 3) { edges { node { name summary
    ... on NovagravityShipActed { deed { origin target kind } check }
    ... on NovagravityDuelEnded { ending winner }
  } } }
"""


@pytest.fixture(scope="module")
def host(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    log: Path = tmp_path_factory.mktemp("duel") / "log"
    database = new_database(servers, "duel")
    with serving(database, servers.redis_url, log) as started, registered(started.address, "host") as person:
        yield person


def test_two_house_bots_play_a_duel_to_its_end(host: Person) -> None:
    opened = host.applied(
        "openGame", ruleset="NOVAGRAVITY", seats=2, sit=False, bots=2, options={"layout_seed": 4294967295}
    )
    game = followed(host, opened["gameId"])
    assert game["status"] == "ENDED", game
    assert game["outcome"]["reason"] in RULESET.reasons
    assert game["view"]["layoutSeed"] == "4294967295"
    assert game["view"]["toAct"] is None
    assert standing_of(game["view"]["position"]).plies == game["view"]["plies"] > 4

    names = [edge["node"]["name"] for edge in host.game(opened["gameId"], LAST_EVENTS)["history"]["edges"]]
    assert names == ["novagravity.duel_ended", "game.ended", "game.secret_opened"]


def test_a_turn_is_taken_offered_and_refused_as_the_contract_says(host: Person) -> None:
    opened = host.applied("openGame", ruleset="NOVAGRAVITY", seats=2, bots=1, options={"blue": "SEAT_0"})
    game_id = opened["gameId"]
    turns = host.turns(game_id)
    assert {"novagravity": {"act": {"origin": "B3", "target": "C4"}}} in turns
    illegal = {"novagravity": {"act": {"origin": "B3", "target": "B9"}}}
    assert host.refused("submitTurn", gameId=game_id, turn=illegal) == ("Receipt", "OWN_SHIP")
    host.applied("submitTurn", gameId=game_id, turn={"novagravity": {"offerDraw": True}})
    host.applied("submitTurn", gameId=game_id, turn=turns[0])


def test_an_option_that_makes_no_sense_is_refused_at_the_edge(host: Person) -> None:
    given = {"ruleset": "NOVAGRAVITY", "seats": 2}
    assert host.refused("openGame", **given, options={"start_from": "8/8 b"}) == ("Refusal", "BAD_OPTION")
    assert host.refused("openGame", **given, options={"layout_seed": 2**32}) == ("Refusal", "BAD_OPTION")


def followed(host: Person, game_id: str) -> Any:
    """The game when it is over, or when there is no time left."""
    until = monotonic() + DUEL_SECONDS_MAX
    while (game := host.game(game_id, SEEN))["status"] == "RUNNING" and monotonic() < until:
        sleep(0.5)
    return game
