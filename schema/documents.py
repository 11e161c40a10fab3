"""GraphQL documents, each parsed and validated once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from graphql import (
    SKIP,
    ArgumentNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    VariableNode,
    Visitor,
    parse,
    validate,
    visit,
)

from schema.errors import BadRequest, bad_request, document_errors
from schema.limits import TOKENS_MAX
from schema.prepared import Prepared, prepared
from schema.schema import RULES, SCHEMA

DOCUMENTS_KEPT: Final = 256
LENGTH_KEPT_MAX: Final = 8_192
"""The longest document that is kept, so that all that are kept stay small."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document that is valid for the schema, and its operations by name.

    `lasting_variables` are those that matter beyond the arguments of root fields: where only others differ, each event
    of a subscription has the same answer. `prepared` are those operations that are common, by name; where there is one
    operation alone, it is there under no name, too.
    """

    text: str
    parsed: DocumentNode
    operations: Mapping[str | None, OperationType]
    lasting_variables: frozenset[str]
    prepared: Mapping[str | None, Prepared]

    def operation(self, name: str | None) -> OperationType:
        """The type of the operation of this name, or of the only one. Raises BadRequest if there is none."""
        if name is None and len(self.operations) == 1:
            return next(iter(self.operations.values()))
        if name not in self.operations:
            raise bad_request(None, "UNKNOWN_OPERATION")
        return self.operations[name]


def document(text: str) -> Document:
    """The document of a text. Raises BadRequest, so that only what is valid is kept."""
    return _kept(text) if len(text) <= LENGTH_KEPT_MAX else _made(text)


def _made(text: str) -> Document:
    try:
        parsed = parse(text, max_tokens=TOKENS_MAX)
        errors = validate(SCHEMA, parsed, RULES)
    except GraphQLError as error:
        errors = [error]
    if errors:
        raise BadRequest(None, document_errors(errors))
    operations = [definition for definition in parsed.definitions if isinstance(definition, OperationDefinitionNode)]
    named = {node.name.value if node.name else None: node for node in operations}
    kinds = {name: node.operation for name, node in named.items()}
    return Document(text, parsed, kinds, _lasting_variables(parsed, operations), _prepared(parsed, named))


def _prepared(
    parsed: DocumentNode, operations: Mapping[str | None, OperationDefinitionNode]
) -> Mapping[str | None, Prepared]:
    ready = {name: prepared(parsed, node) for name, node in operations.items()}
    if len(operations) == 1:
        ready[None] = next(iter(ready.values()))
    return {name: one for name, one in ready.items() if one is not None}


class _Uses(Visitor):
    """The variables that a document uses, but for some of its arguments."""

    def __init__(self, passed_over: set[int]) -> None:
        super().__init__()
        self.names: set[str] = set()
        self._passed_over = passed_over

    def enter_argument(self, node: ArgumentNode, *_args: Any) -> Any:
        """Do not look into those passed over."""
        return SKIP if id(node) in self._passed_over else None

    def enter_variable_definition(self, *_args: Any) -> Any:
        """A definition is no use."""
        return SKIP

    def enter_variable(self, node: VariableNode, *_args: Any) -> None:
        """Note one."""
        self.names.add(node.name.value)


def _lasting_variables(parsed: DocumentNode, operations: list[OperationDefinitionNode]) -> frozenset[str]:
    if all(node.operation is not OperationType.SUBSCRIPTION for node in operations):
        return frozenset()
    fragments = {node.name.value: node for node in parsed.definitions if isinstance(node, FragmentDefinitionNode)}
    roots = [root for node in operations for root in _root_fields(node.selection_set, fragments)]
    uses = _Uses({id(argument) for root in roots for argument in root.arguments or ()})
    visit(parsed, uses)
    return frozenset(uses.names)


def _root_fields(selections: SelectionSetNode, fragments: Mapping[str, FragmentDefinitionNode]) -> list[FieldNode]:
    fields: list[FieldNode] = []
    for selection in selections.selections:
        if isinstance(selection, FieldNode):
            fields.append(selection)
        elif isinstance(selection, InlineFragmentNode):
            fields += _root_fields(selection.selection_set, fragments)
        elif isinstance(selection, FragmentSpreadNode):
            fields += _root_fields(fragments[selection.name.value].selection_set, fragments)
    return fields


_kept = lru_cache(DOCUMENTS_KEPT)(_made)
