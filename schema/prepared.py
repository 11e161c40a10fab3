"""The common mutation, made ready once with its document: what it says is read, and what it asks for shown, at once.

graphql-core works out anew for each request what a document means. Where a document has one root field, and all that it
selects is read plainly off what that field resolves to, its meaning is worked out once, as functions. They know the
common way alone. Whatever is not on it, a wrong value first of all, is left to graphql-core, which says what is wrong.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias, cast

from graphql import (
    ArgumentNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLAbstractType,
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    InlineFragmentNode,
    ObjectValueNode,
    OperationDefinitionNode,
    OperationType,
    SelectionNode,
    Undefined,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    Visitor,
    coerce_input_literal,
    is_abstract_type,
    is_leaf_type,
    is_required_argument,
    is_required_input_field,
    type_from_ast,
    visit,
)
from graphql.utilities.coerce_input_value import coerce_default_value

from schema.context import Context
from schema.schema import SCHEMA

Given: TypeAlias = Mapping[str, Any]
"""Variables by their names, as they came or coerced."""

Read: TypeAlias = Callable[[Any], Any]
"""Coerces a value from outside."""

Build: TypeAlias = Callable[[Given], Any]
"""Makes the value of an argument, or of a part of one, from coerced variables; Undefined where it is left out."""

Show: TypeAlias = Callable[[Any, "Asking"], Any]
"""Makes a part of an answer from what was resolved."""


class Uncommon(Exception):
    """Not on the common way: graphql-core is to see to it."""


class Asking(NamedTuple):
    """All of a GraphQLResolveInfo that is looked at on the common way."""

    context: Context
    field_name: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A mutation with one root field. Its functions raise some Exception where a request is not on the common way."""

    key: str
    name: str
    resolve: Callable[..., Any]
    variables: Callable[[Given], Given]
    arguments: Callable[[Given], dict[str, Any]]
    show: Show


def prepared(document: DocumentNode, operation: OperationDefinitionNode) -> Prepared | None:
    """What is ready of a valid operation; None if it is not a common one."""
    try:
        return _Preparing(document).operation(operation)
    except Uncommon:
        return None


class _Preparing:
    """The document that is being made ready."""

    def __init__(self, document: DocumentNode) -> None:
        definitions = document.definitions
        self._fragments = {node.name.value: node for node in definitions if isinstance(node, FragmentDefinitionNode)}

    def operation(self, operation: OperationDefinitionNode) -> Prepared:
        root = SCHEMA.mutation_type
        selections = operation.selection_set.selections
        _demand(operation.operation is OperationType.MUTATION and root is not None and not operation.directives)
        _demand(len(selections) == 1 and isinstance(selections[0], FieldNode) and not selections[0].directives)
        node, root = cast(FieldNode, selections[0]), cast(GraphQLObjectType, root)
        field = root.fields.get(node.name.value)
        if field is None or field.resolve is None:
            raise Uncommon
        return Prepared(
            key=_key(node),
            name=node.name.value,
            resolve=field.resolve,
            variables=self._variables(operation.variable_definitions or ()),
            arguments=_arguments(field, node.arguments or ()),
            show=self._show(field.type, [node]),
        )

    def _variables(self, definitions: tuple[VariableDefinitionNode, ...]) -> Callable[[Given], Given]:
        readers = []
        for node in definitions:
            kind = cast("GraphQLInputType | None", type_from_ast(SCHEMA, node.type))
            _demand(kind is not None and not node.directives)
            default = Undefined if node.default_value is None else coerce_input_literal(node.default_value, kind)  # type: ignore[arg-type]
            readers.append((node.variable.name.value, _read(kind), default, isinstance(kind, GraphQLNonNull)))  # type: ignore[arg-type]

        def coerced(given: Given) -> Given:
            found = {}
            for name, read, default, is_required in readers:
                if name in given:
                    found[name] = read(given[name])
                elif default is not Undefined:
                    found[name] = default
                else:
                    _demand(not is_required)
            return found

        return coerced

    def _show(self, kind: GraphQLOutputType, nodes: list[FieldNode]) -> Show:
        if isinstance(kind, GraphQLNonNull):
            return _never_null(self._show(kind.of_type, nodes))
        if is_leaf_type(kind):
            return _leaf(kind.coerce_output_value)
        if isinstance(kind, GraphQLList):
            return _each(self._show(kind.of_type, nodes))
        if isinstance(kind, GraphQLObjectType):
            return self._object(kind, nodes)
        return self._abstract(cast("GraphQLAbstractType", kind), nodes)

    def _abstract(self, kind: GraphQLAbstractType, nodes: list[FieldNode]) -> Show:
        of = {possible.name: self._object(possible, nodes) for possible in SCHEMA.get_possible_types(kind)}
        name_of = cast("Callable[[Any, Asking, GraphQLAbstractType], str]", kind.resolve_type)
        _demand(name_of is not None)

        def show(value: Any, asking: Asking) -> Any:
            return None if value is None else of[name_of(value, asking, kind)](value, asking)

        return show

    def _object(self, kind: GraphQLObjectType, nodes: list[FieldNode]) -> Show:
        wanted: dict[str, list[FieldNode]] = {}
        for node in nodes:
            for field in self._fields(kind, node.selection_set.selections if node.selection_set else ()):
                wanted.setdefault(_key(field), []).append(field)
        parts = [(key, *self._part(kind, alike)) for key, alike in wanted.items()]
        is_type_of = cast("Callable[[Any, Asking], bool]", kind.is_type_of or (lambda _value, _asking: True))

        def show(value: Any, asking: Asking) -> Any:
            if value is None:
                return None
            _demand(is_type_of(value, asking))
            return {key: show_part(read(value, None), asking) for key, read, show_part in parts}

        return show

    def _part(self, kind: GraphQLObjectType, alike: list[FieldNode]) -> tuple[Callable[[Any, None], Any], Show]:
        name = alike[0].name.value
        if name == "__typename":
            return lambda _value, _info: kind.name, lambda value, _asking: value
        field = kind.fields.get(name)
        definition = field and field.extensions.get("strawberry-definition")
        if field is None or field.resolve is None or field.args or not (definition and definition.is_basic_field):
            raise Uncommon
        return field.resolve, self._show(field.type, alike)

    def _fields(self, kind: GraphQLObjectType, selections: tuple[SelectionNode, ...]) -> Iterator[FieldNode]:
        """The fields that are selected of objects of this type, those in fragments among them."""
        for selection in selections:
            _demand(not selection.directives)
            if isinstance(selection, FieldNode):
                yield selection
            elif isinstance(selection, InlineFragmentNode):
                condition = selection.type_condition
                if condition is None or self._is_a(kind, condition.name.value):
                    yield from self._fields(kind, selection.selection_set.selections)
            elif isinstance(selection, FragmentSpreadNode):
                fragment = self._fragments[selection.name.value]
                _demand(not fragment.directives and not fragment.variable_definitions)
                if self._is_a(kind, fragment.type_condition.name.value):
                    yield from self._fields(kind, fragment.selection_set.selections)

    def _is_a(self, kind: GraphQLObjectType, name: str) -> bool:
        condition = SCHEMA.get_type(name)
        return condition is kind or (is_abstract_type(condition) and SCHEMA.is_sub_type(condition, kind))


def _key(node: FieldNode) -> str:
    return (node.alias or node.name).value


def _demand(common: bool) -> None:
    if not common:
        raise Uncommon


def _arguments(field: GraphQLField, nodes: tuple[ArgumentNode, ...]) -> Callable[[Given], dict[str, Any]]:
    given = {node.name.value: node.value for node in nodes}
    return _members({name: (argument, given.get(name)) for name, argument in field.args.items()})


def _members(
    of: Mapping[str, tuple[GraphQLArgument | GraphQLInputField, ValueNode | None]],
) -> Callable[[Given], dict[str, Any]]:
    """Arguments, or the fields of an input object, by the names that resolvers know them by."""
    builders = []
    for name, (member, node) in of.items():
        build = _absent if node is None else _build(node, member.type)
        builders.append((member.out_name or name, build, coerce_default_value(member), _is_required(member)))

    def build_all(variables: Given) -> dict[str, Any]:
        built = {}
        for name, build, default, is_required in builders:
            value = build(variables)
            if value is not Undefined:
                built[name] = value
            elif default is not Undefined:
                built[name] = default
            else:
                _demand(not is_required)
        return built

    return build_all


def _absent(_variables: Given) -> Any:
    return Undefined


def _is_required(member: GraphQLArgument | GraphQLInputField) -> bool:
    return is_required_argument(member) if isinstance(member, GraphQLArgument) else is_required_input_field(member)


def _build(node: ValueNode, kind: GraphQLInputType) -> Build:
    """The value that stands in a document, with variables in it or without."""
    if isinstance(node, VariableNode):
        name, never_null = node.name.value, isinstance(kind, GraphQLNonNull)

        def take(variables: Given) -> Any:
            value = variables.get(name, Undefined)
            _demand(not (never_null and value is None))
            return value

        return take
    if not _has_variables(node):
        literal = coerce_input_literal(node, kind)
        _demand(literal is not Undefined)
        return lambda _variables: literal
    bare = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
    if not isinstance(bare, GraphQLInputObjectType) or not isinstance(node, ObjectValueNode):
        raise Uncommon
    given = {field.name.value: field.value for field in node.fields}
    members = _members({name: (field, given.get(name)) for name, field in bare.fields.items()})
    return lambda variables: _object_of(bare, members(variables))


def _has_variables(node: ValueNode) -> bool:
    found: list[VariableNode] = []

    class Finding(Visitor):
        def enter_variable(self, node: VariableNode, *_args: Any) -> None:
            found.append(node)

    visit(node, Finding())
    return bool(found)


def _object_of(kind: GraphQLInputObjectType, built: dict[str, Any]) -> Any:
    _demand(not kind.is_one_of or (len(built) == 1 and None not in built.values()))
    return kind.out_type(built)


_readers: Final[dict[str, Read]] = {}
"""Those of the schema's input objects, which may hold one another."""


def _read(kind: GraphQLInputType) -> Read:
    """How a variable, or a part of one, is coerced."""
    if isinstance(kind, GraphQLNonNull):
        return _given(_read(kind.of_type))
    if isinstance(kind, GraphQLList):
        item = _read(kind.of_type)
        return _or_null(lambda value: [item(each) for each in _exactly(list, value)])
    if isinstance(kind, GraphQLInputObjectType):
        if kind.name not in _readers:
            _readers[kind.name] = partial(_read_later, kind.name)  # for those that it holds, and that hold it
            _readers[kind.name] = _or_null(_read_object(kind))
        return _readers[kind.name]
    return _or_null(kind.coerce_input_value)


def _read_later(name: str, value: Any) -> Any:
    return _readers[name](value)


def _read_object(kind: GraphQLInputObjectType) -> Read:
    members = [
        (name, field.out_name or name, _read(field.type), coerce_default_value(field), is_required_input_field(field))
        for name, field in kind.fields.items()
    ]

    def read(value: Any) -> Any:
        given = _exactly(dict, value)
        built = {}
        for name, out_name, read_member, default, is_required in members:
            if name in given:
                built[out_name] = read_member(given[name])
            elif default is not Undefined:
                built[out_name] = default
            else:
                _demand(not is_required)
        _demand(given.keys() <= kind.fields.keys() and (not kind.is_one_of or len(given) == 1))
        return _object_of(kind, built)

    return read


def _exactly(kind: type, value: Any) -> Any:
    _demand(type(value) is kind)
    return value


def _given(read: Read) -> Read:
    def read_given(value: Any) -> Any:
        _demand(value is not None)
        return read(value)

    return read_given


def _or_null(read: Read) -> Read:
    def read_or_null(value: Any) -> Any:
        if value is None:
            return None
        found = read(value)
        _demand(found is not Undefined)
        return found

    return read_or_null


def _never_null(show: Show) -> Show:
    def show_given(value: Any, asking: Asking) -> Any:
        shown = show(value, asking)
        _demand(shown is not None)
        return shown

    return show_given


def _leaf(coerce: Callable[[Any], Any]) -> Show:
    def show(value: Any, _asking: Asking) -> Any:
        if value is None:
            return None
        shown = coerce(value)
        _demand(shown is not None and shown is not Undefined)
        return shown

    return show


def _each(show: Show) -> Show:
    def show_each(value: Any, asking: Asking) -> Any:
        if value is None:
            return None
        _demand(isinstance(value, list | tuple))
        return [show(item, asking) for item in value]

    return show_each
