"""GraphQL documents, each parsed and validated once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from graphql import DocumentNode, GraphQLError, OperationDefinitionNode, OperationType, parse, validate

from schema.errors import BadRequest, bad_request, document_errors
from schema.limits import TOKENS_MAX
from schema.schema import RULES, SCHEMA

DOCUMENTS_KEPT: Final = 256
LENGTH_KEPT_MAX: Final = 8_192
"""The longest document that is kept, so that all that are kept stay small."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document that is valid for the schema, and its operations by name."""

    parsed: DocumentNode
    operations: Mapping[str | None, OperationType]

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
    return Document(parsed, {node.name.value if node.name else None: node.operation for node in operations})


_kept = lru_cache(DOCUMENTS_KEPT)(_made)
