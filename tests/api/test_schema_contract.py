"""The schema as a promise: the core as it was agreed, the text as committed, and nothing released ever broken."""

from importlib.resources import files
from pathlib import Path

import pytest
from graphql import (
    DocumentNode,
    EnumTypeDefinitionNode,
    GraphQLSchema,
    InputObjectTypeDefinitionNode,
    InterfaceTypeDefinitionNode,
    ObjectTypeDefinitionNode,
    TypeDefinitionNode,
    build_ast_schema,
    build_schema,
    get_named_type,
    is_interface_type,
    is_object_type,
    parse,
    print_ast,
    validate,
)
from graphql.utilities import find_breaking_changes

from schema.schema import RULES, SCHEMA, sdl

CORE = Path(__file__).parents[1] / "data" / "api.graphql"
COMMITTED, RELEASED = (Path(str(files("schema"))) / name for name in ("schema.graphql", "released.graphql"))

DERIVED = {"RulesetName"}
"""What the core names in part only: its members are those of the catalogue."""


def types(document: DocumentNode) -> dict[str, TypeDefinitionNode]:
    return {node.name.value: node for node in document.definitions if isinstance(node, TypeDefinitionNode)}


def core() -> dict[str, TypeDefinitionNode]:
    """The types of the core, as they were agreed."""
    return {name: node for name, node in types(parse(CORE.read_text())).items() if name not in DERIVED}


def breaks(old: GraphQLSchema, new: GraphQLSchema) -> list[str]:
    return [change.description for change in find_breaking_changes(old, new)]


def test_nothing_of_the_core_is_broken() -> None:
    ours = parse(sdl())
    completed = {**types(ours), **core()}
    agreed = build_ast_schema(DocumentNode(definitions=tuple(completed.values())))
    assert breaks(agreed, build_ast_schema(ours)) == []


def test_every_field_of_the_core_has_the_type_it_was_agreed_to_have() -> None:
    ours = types(parse(sdl()))
    for name, node in core().items():
        if isinstance(node, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode | InputObjectTypeDefinitionNode):
            present = {field.name.value: print_ast(field.type) for field in ours[name].fields}  # type: ignore[attr-defined]
            agreed = {field.name.value: print_ast(field.type) for field in node.fields or ()}
            assert present.items() >= agreed.items(), name


def test_the_titles_of_the_core_keep_their_names() -> None:
    agreed, ours = types(parse(CORE.read_text()))["RulesetName"], types(parse(sdl()))["RulesetName"]
    assert isinstance(agreed, EnumTypeDefinitionNode)
    assert isinstance(ours, EnumTypeDefinitionNode)
    assert {value.name.value for value in ours.values or ()} <= {value.name.value for value in agreed.values or ()}


def test_the_committed_text_is_the_schema(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--golden"):
        COMMITTED.write_text(sdl())
    assert COMMITTED.read_text() == sdl(), "run `make golden` and read the diff: it is the review of the API"


def test_nothing_released_is_broken() -> None:
    assert breaks(build_schema(RELEASED.read_text()), build_schema(sdl())) == []


@pytest.mark.parametrize(
    ("part", "broken", "complaint"),
    [
        ("  awaiting: [Int!]!\n", "", "Game.awaiting was removed."),
        ("  deadline: DateTime\n", "  deadline: String\n", "Game.deadline changed type from DateTime to String."),
        ("  QUARANTINED\n", "", "GameStatus.QUARANTINED was removed."),
        ("  expectedVersion: Int\n", "  expectedVersion: Int!\n", "SubmitTurnInput.expectedVersion changed type"),
        ("game(id: ID!, at: Int,", "game(id: ID!,", "Argument Query.game(at:) was removed."),
        ("union SubmitResult = Receipt | Refusal", "union SubmitResult = Receipt", "Refusal was removed from union"),
        ("type Receipt implements Node", "type Receipt", "Receipt no longer implements interface Node."),
    ],
)
def test_a_change_that_breaks_a_client_is_caught(part: str, broken: str, complaint: str) -> None:
    assert part in sdl()
    found = breaks(build_schema(sdl()), build_schema(sdl().replace(part, broken)))
    assert any(complaint in description for description in found), found


def test_one_document_can_ask_for_every_field_of_every_event() -> None:
    """Fields of one name in two events are of one type: else no client could ask for both without an alias."""
    events = SCHEMA.get_possible_types(SCHEMA.type_map["Event"])  # type: ignore[arg-type]
    fragments = " ".join(f"... on {event.name} {{ {every_field(event.name)} }}" for event in events)
    document = f'{{ game(id: "x") {{ history {{ edges {{ node {{ {fragments} }} }} }} }} }}'
    assert validate(SCHEMA, parse(document), RULES) == []


def every_field(name: str) -> str:
    """All fields of a type, and all of theirs."""
    kind = SCHEMA.type_map[name]
    assert is_object_type(kind) or is_interface_type(kind)
    inner = {field: get_named_type(definition.type) for field, definition in kind.fields.items()}
    return " ".join(
        f"{field} {{ {every_field(type_.name)} }}" if is_object_type(type_) else field for field, type_ in inner.items()
    )
