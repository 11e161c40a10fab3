"""A client that a generator makes from nothing but the SDL and our operations plays a whole game of Gravwell."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module, resources
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.api.server import Serving

GENERATOR = Path(sys.prefix) / "codegen" / "bin" / "ariadne-codegen"
"""Installed by `make setup`, in an environment of its own."""

SETTINGS = """
[tool.ariadne-codegen]
schema_path = "{schema}"
queries_path = "{operations}"
target_package_name = "typed_client"
target_package_path = "{folder}"
async_client = false

[tool.ariadne-codegen.scalars.DateTime]
type = "datetime.datetime"

[tool.ariadne-codegen.scalars.JSON]
type = "typing.Any"
"""


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The generated package."""
    folder = tmp_path_factory.mktemp("typed")
    settings = folder / "settings.toml"
    schema, operations = resources.files("schema") / "schema.graphql", Path(__file__).with_name("operations.graphql")
    settings.write_text(SETTINGS.format(schema=schema, operations=operations, folder=folder))
    subprocess.run([GENERATOR, "--config", settings], check=True, capture_output=True)
    sys.path.insert(0, str(folder))
    yield import_module("typed_client")
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def players(typed: Any, api: Serving) -> Iterator[list[Any]]:
    """Three clients of three new accounts."""
    url = f"{api.address}/graphql"
    clients = []
    for name in ("typed-a", "typed-b", "typed-c"):
        with typed.Client(url=url) as nobody:
            registered = nobody.register(typed.RegisterInput(handle=name)).registration
        assert registered.typename__ == "Registered"
        clients.append(typed.Client(url=url, headers={"Authorization": f"Bearer {registered.token}"}))
    yield clients
    for client in clients:
        client.http_client.close()


def test_a_typed_client_plays_a_whole_game(typed: Any, players: list[Any]) -> None:
    opening = typed.OpenGameInput(key="typed", ruleset=typed.RulesetName.GRAVWELL, seats=3, options={"hardcore": True})
    game_id = applied(players[0].open_game(opening).open_game).game_id
    for player in players[1:]:
        applied(player.take_seat(typed.SeatInput(key="sit", game_id=game_id)).take_seat)

    keys = count(1)
    while (desk := players[0].desk(game_id).game).outcome is None:
        player = players[desk.awaiting[0]]
        desk = player.desk(game_id).game
        assert desk.view.typename__ == "GravwellView"
        given = typed.SubmitTurnInput(
            key=f"turn-{next(keys)}", game_id=game_id, expected_version=desk.my_turn_since, turn=turn(typed, desk)
        )
        applied(player.submit_turn(given).submit_turn)

    events = whole_history(players[0], game_id)
    assert desk.status == typed.GameStatus.ENDED
    assert sorted(seat for tie in desk.outcome.ranking for seat in tie) == [0, 1, 2]
    assert [event.version for event in events] == list(range(1, desk.version + 1))
    assert (events[0].typename__, events[0].options) == ("GameOpened", {"hardcore": True})
    assert [event.typename__ for event in events[-2:]] == ["GameEnded", "GameSecretOpened"]
    assert (events[-2].reason, events[-2].ranking) == (desk.outcome.reason, desk.outcome.ranking)
    assert sum(event.typename__ == "GravwellFuelRevealed" for event in events) > 6


def turn(typed: Any, desk: Any) -> Any:
    """A draft written by hand, of the last free stack; otherwise the first turn that is offered."""
    if desk.view.draft is not None:
        free = [stack.stack for stack in desk.view.draft.stacks if stack.taken_by is None]
        draft = typed.GravwellDraftStackInput(stack=free[-1])
        return typed.TurnInput(gravwell=typed.GravwellTurn(draft_stack=draft))
    return typed.TurnInput.model_validate(desk.legal_turns[0])


def whole_history(player: Any, game_id: str) -> list[Any]:
    events: list[Any] = []
    page = None
    while page is None or page.has_next_page:
        history = player.history(game_id, after=page.end_cursor if page else None).game.history
        events += [edge.node for edge in history.edges]
        page = history.page_info
    return events


def applied(result: Any) -> Any:
    """The receipt of what was applied at once."""
    assert result.typename__ == "Receipt", result
    assert result.status.value == "APPLIED", result
    return result
