"""What is derived from a title's dataclasses."""

import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

import pytest
import strawberry
from graphql import build_schema, is_input_object_type, is_object_type

from domain.ruleset import HIDDEN, Refused, Secret
from schema import derive
from schema.interfaces import Event
from service.seen import EventSeen
from tests.api.marbles import MARBLES, BagFilled, Board, EndTurn, Hue, Marble, MarblesThrown, Size, ThrowMarbles
from tests.api.serve import TITLES

TITLE = derive.title(MARBLES, Event)
RED = Marble(Hue.RED, Size.LARGE)


@strawberry.type
class Query:
    """Answers with whatever the root value holds."""

    view: object = derive.read(lambda root: root, kind=TITLE.view)
    event: object = derive.read(lambda root: root, kind=Event)

    @strawberry.field
    def turn(self, turn: Annotated[object, strawberry.argument(graphql_type=TITLE.turn)]) -> str:
        """Take a turn, to no effect."""
        return str(turn)


SCHEMA = strawberry.Schema(query=Query, types=TITLE.events)
SDL = build_schema(SCHEMA.as_str())


def fields(name: str) -> dict[str, str]:
    """The fields of a type and their types, but for those that every event has."""
    kind = SDL.type_map[name]
    assert is_object_type(kind) or is_input_object_type(kind)
    shared = SDL.type_map["Event"].fields  # type: ignore[attr-defined]
    return {name: str(field.type) for name, field in kind.fields.items() if name not in shared}


def answer(query: str, root: object) -> Any:
    result = SCHEMA.execute_sync(query, root_value=root)
    assert result.errors is None, result.errors
    return result.data


def thrown(event: MarblesThrown | BagFilled[Any], **data: Any) -> EventSeen:
    """An event as the service hands it over."""
    now = datetime(2030, 1, 1, tzinfo=UTC)
    name = f"marble_run.{'bag_filled' if isinstance(event, BagFilled) else 'marbles_thrown'}"
    return EventSeen(UUID(int=7), 3, name, now, 1, "Thrown.", event, data, {}, {}, "{}", "00", "11")


def test_a_view_has_the_fields_of_its_dataclass_and_what_may_be_hidden_is_nullable() -> None:
    assert fields("MarbleRunView") == {
        "holes": "[Int!]!",
        "rows": "[[Int!]!]!",
        "known": "[MarbleRunHue]!",
        "best": "MarbleRunMarble",
        "share": "Float!",
        "done": "Boolean!",
    }
    assert fields("MarbleRunMarble") == {"hueSeen": "MarbleRunHue!", "size": "MarbleRunSize!"}


def test_an_event_implements_event_and_its_secret_fields_are_nullable() -> None:
    assert fields("MarbleRunMarblesThrown") == {
        "seat": "Int!",
        "marble": "MarbleRunMarble",
        "rest": "[MarbleRunHue!]",
        "last": "MarbleRunHue",
    }
    assert fields("MarbleRunBagFilled") == {"houseRules": "JSON!", "filledAt": "DateTime!"}
    interfaces = SDL.type_map["MarbleRunBagFilled"].interfaces  # type: ignore[attr-defined]
    assert [interface.name for interface in interfaces] == ["Event"]


def test_a_turn_is_exactly_one_command_and_a_command_without_fields_is_a_boolean() -> None:
    assert fields("MarbleRunTurn") == {"throwMarbles": "MarbleRunThrowMarblesInput", "endTurn": "Boolean"}
    assert SDL.type_map["MarbleRunTurn"].is_one_of  # type: ignore[attr-defined]


def test_the_fields_of_a_command_keep_their_defaults() -> None:
    printed = SCHEMA.as_str()
    assert fields("MarbleRunThrowMarblesInput")["more"] == "[MarbleRunMarbleInput!]!"
    assert fields("MarbleRunThrowMarblesInput")["spare"] == "MarbleRunMarbleInput"
    assert "huesWanted: [MarbleRunHue!]! = [RED]" in printed
    assert "strength: Int! = 3" in printed


def test_docstrings_are_descriptions_with_the_names_that_graphql_has_and_made_up_ones_are_not() -> None:
    assert SDL.type_map["MarbleRunMarble"].description == "A marble, `hueSeen` by somebody."
    assert SDL.type_map["MarbleRunHue"].description == "A colour of marbles."
    assert SDL.type_map["MarbleRunSize"].description is None
    assert SDL.type_map["MarbleRunMarblesThrown"].description is None


def test_a_view_is_read_off_its_dataclass_and_what_is_hidden_is_null() -> None:
    board = Board(frozenset({5, 2}), ((1,), ()), (Hue.BLUE, HIDDEN), HIDDEN, 0.5, done=True)
    assert answer("{ view { holes rows known best { size } share done } }", board) == {
        "view": {"holes": [2, 5], "rows": [[1], []], "known": ["BLUE", None], "best": None, "share": 0.5, "done": True}
    }


def test_an_event_shows_what_is_sealed_only_where_it_is_not_hidden() -> None:
    query = "{ event { version name ... on MarbleRunMarblesThrown { seat marble { hueSeen size } rest last } } }"
    seen = thrown(MarblesThrown(1, Secret(RED, (1,)), Secret(HIDDEN, ()), Secret(None, (1,))))
    assert answer(query, seen)["event"] == {
        "version": 3,
        "name": "marble_run.marbles_thrown",
        "seat": 1,
        "marble": {"hueSeen": "RED", "size": "LARGE"},
        "rest": None,
        "last": None,
    }


def test_a_field_whose_type_is_left_open_is_shown_as_it_is_stored() -> None:
    seen = thrown(BagFilled(object(), datetime(2030, 5, 1, tzinfo=UTC)), house_rules={"no_blue": True})
    assert answer("{ event { ... on MarbleRunBagFilled { houseRules filledAt } } }", seen)["event"] == {
        "houseRules": {"no_blue": True},
        "filledAt": "2030-05-01T00:00:00+00:00",
    }


def test_a_turn_that_was_offered_is_taken_back_as_the_codec_wants_it() -> None:
    throw = ThrowMarbles(RED, (Marble(Hue.BLUE, Size.SMALL),), None, (Hue.BLUE,), 4)
    offer = derive.offered(throw)
    assert offer == {
        "throwMarbles": {
            "marble": {"hueSeen": "RED", "size": "LARGE"},
            "more": [{"hueSeen": "BLUE", "size": "SMALL"}],
            "spare": None,
            "huesWanted": ["BLUE"],
            "strength": 4,
        }
    }
    coerced = {
        "throwMarbles": {
            "marble": {"hueSeen": Hue.RED, "size": Size.LARGE},
            "more": [{"hueSeen": Hue.BLUE, "size": Size.SMALL}],
            "spare": None,
            "huesWanted": [Hue.BLUE],
            "strength": 4,
        }
    }
    assert TITLE.turn_of(coerced) == (
        "throw_marbles",
        {
            "marble": {"hue_seen": "r", "size": 9},
            "more": [{"hue_seen": "b", "size": 1}],
            "spare": None,
            "hues_wanted": ["b"],
            "strength": 4,
        },
    )


def test_what_is_offered_is_valid_as_a_turn() -> None:
    query = "query ($turn: MarbleRunTurn!) { turn(turn: $turn) }"
    for command in (ThrowMarbles(RED, ()), ThrowMarbles(RED, (RED,), RED), EndTurn()):
        result = SCHEMA.execute_sync(query, variable_values={"turn": derive.offered(command)})
        assert result.errors is None


def test_a_command_without_fields_is_true_and_false_asks_for_nothing() -> None:
    assert derive.offered(EndTurn()) == {"endTurn": True}
    assert TITLE.turn_of({"endTurn": True}) == ("end_turn", {})
    with pytest.raises(Refused, match="BAD_COMMAND"):
        TITLE.turn_of({"endTurn": False})


@dataclass(frozen=True)
class Named:
    name: str


@dataclass(frozen=True)
class Leaky:
    card: Secret[int]


@dataclass(frozen=True)
class Either:
    what: int | str


@dataclass(frozen=True)
class Mixed:
    what: tuple[int, str]


def test_an_event_may_not_have_a_field_that_every_event_has() -> None:
    with pytest.raises(TypeError, match=r"Named\.name: every event has a field of this name"):
        derive.events("game", (Named,), Event)


@pytest.mark.parametrize("view", [Leaky, Either, Mixed])
def test_a_view_holds_no_secret_no_union_and_no_mixed_tuple(view: type) -> None:
    with pytest.raises(TypeError, match="no GraphQL type is derived"):
        derive.title(replace(MARBLES, view_type=view), Event)


PRINT_WITH_A_FOURTH_TITLE = """
import sys
from domain import rulesets

rulesets.__path__.append(sys.argv[1])

from schema.schema import sdl

print(sdl())
"""


def test_a_new_title_needs_nothing_but_its_folder() -> None:
    command = [sys.executable, "-c", PRINT_WITH_A_FOURTH_TITLE, str(TITLES)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    schema = build_schema(printed)
    assert "TOY" in schema.type_map["RulesetName"].values  # type: ignore[attr-defined]
    assert "toy" in schema.type_map["TurnInput"].fields  # type: ignore[attr-defined]
    assert "ToyView" in {kind.name for kind in schema.type_map["RulesetView"].types}  # type: ignore[attr-defined]
    assert {"ToyTurn", "ToyGuessInput", "ToyGuessed", "ToyNumberHidden", "ToyRevealed"} <= schema.type_map.keys()
