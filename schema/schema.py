"""The schema: the core, the titles' types, and what a document must satisfy before it is run against them."""

from collections.abc import Callable
from inspect import cleandoc
from typing import Any, Final

import strawberry
from graphql import (
    ASTValidationRule,
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    Undefined,
    specified_rules,
)
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule

from schema.limits import DigitsRule, SizeRule, TextRule
from schema.mutations import Mutation, submit_turn
from schema.queries import Query
from schema.subscriptions import Subscription
from schema.titles import EVENTS

RULES: Final[tuple[type[ASTValidationRule], ...]] = (
    DigitsRule,
    *specified_rules,
    OneOfInputValidationRule,
    TextRule,
    SizeRule,
)


def sdl() -> str:
    """The schema as text: what `schema.graphql` holds."""
    return _STRAWBERRY.as_str() + "\n"


def _graphql(schema: strawberry.Schema) -> GraphQLSchema:
    """The schema that documents run against, with the finish that Strawberry has no word for."""
    finished = schema._schema  # noqa: SLF001  (the one way to graphql-core's `execute`)
    for kind in finished.type_map.values():
        match kind:
            case GraphQLObjectType() | GraphQLInterfaceType():
                _describe(kind, _source(kind, "origin"))
                for name, field in kind.fields.items():
                    _finish_field(field, is_inherited=any(name in parent.fields for parent in kind.interfaces))
            case GraphQLInputObjectType():
                _describe(kind, _source(kind, "origin"))
                _finish_defaults(kind.fields)
    assert finished.mutation_type is not None
    finished.mutation_type.fields["submitTurn"].resolve = submit_turn
    return finished


def _finish_field(field: GraphQLField, *, is_inherited: bool) -> None:
    """Describe a field by its resolver's docstring; what its interface says of it is not said again."""
    resolver = _source(field, "base_resolver")
    _describe(field, resolver and resolver.wrapped_func)
    if is_inherited:
        field.description = None
    _finish_defaults(field.args)


def _finish_defaults(arguments: dict[str, GraphQLArgument] | dict[str, GraphQLInputField]) -> None:
    """`first: Int`, not `first: Int = null`: the two mean the same."""
    for argument in arguments.values():
        if argument.default_value is None:
            argument.default_value = Undefined


def _describe(described: Any, source: Callable[..., Any] | None) -> None:
    if described.description is None and source is not None and source.__doc__:
        described.description = cleandoc(source.__doc__)


def _source(described: Any, attribute: str) -> Any:
    return getattr(described.extensions.get("strawberry-definition"), attribute, None)


_STRAWBERRY: Final = strawberry.Schema(query=Query, mutation=Mutation, subscription=Subscription, types=EVENTS)

SCHEMA: Final = _graphql(_STRAWBERRY)
