"""GraphQL types from the dataclasses of a ruleset: its view, its events, its commands, and what these are made of."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from datetime import datetime
from enum import Enum, EnumType, StrEnum
from functools import cache
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import strawberry
from strawberry.annotation import StrawberryAnnotation
from strawberry.scalars import JSON
from strawberry.types.field import StrawberryField
from strawberry.utils.str_converters import to_camel_case

from domain.catalogue import AnyRuleset
from domain.ruleset import Hidden, Refused, Secret, snake
from domain.stream import time_text

Resolver = TypeVar("Resolver", bound=Callable[..., Any])

SCALARS: Final = (bool, int, float, str, datetime)


@dataclass(frozen=True)
class Title:
    """What the API gains from one title: its view, its events, and the `@oneOf` input of its commands."""

    view: type
    events: tuple[type, ...]
    turn: type
    commands: Mapping[str, type]

    def turn_of(self, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """A coerced turn input as the codec takes it: the command's snake_case name, and its fields as plain JSON."""
        ((field, value),) = given.items()
        kind = self.commands[field]
        if value is False:
            raise Refused("BAD_COMMAND", command=snake(kind.__name__), reason="false asks for nothing")
        return snake(kind.__name__), {} if value is True else _taken(kind, value)


def title(ruleset: AnyRuleset, event: type) -> Title:
    """The types of a title, named after it (`GravwellView`, `GravwellTurn` ...); its events implement `event`."""
    deriving = _Deriving(ruleset.name)
    commands = {to_camel_case(snake(kind.__name__)): kind for kind in ruleset.commands}
    return Title(
        view=deriving.output(ruleset.view_type, type_name(ruleset.name, "view")),
        events=deriving.events(ruleset.events, event),
        turn=deriving.one_of(
            type_name(ruleset.name, "turn"),
            f"A turn of {ruleset.title}: exactly one command.",
            {field: deriving.command(kind) for field, kind in commands.items()},
        ),
        commands=commands,
    )


def events(prefix: str, kinds: Collection[type], event: type) -> tuple[type, ...]:
    """The types of events that no title owns, implementing `event`."""
    return _Deriving(prefix).events(kinds, event)


def one_of(name: str, description: str, members: Mapping[str, Any]) -> type:
    """A `@oneOf` input."""
    return _made(
        strawberry.input, name, {field: (member | None, strawberry.UNSET) for field, member in members.items()},
        description=description, one_of=True,
    )  # fmt: skip


def names(name: str, description: str, values: Iterable[str]) -> type:
    """An enum of names, each in capitals."""
    members = StrEnum(name, {value.upper(): value for value in values})  # type: ignore[misc]
    made: type = strawberry.enum(members, description=description)
    return made


def offered(command: Any) -> dict[str, Any]:
    """A command as the value of its title's turn input: `{"draftStack": {"stack": 3}}`, `{"endTurn": true}`."""
    return {to_camel_case(snake(type(command).__name__)): _offered(command) if fields(command) else True}


def shown(value: Any) -> Any:
    """A value of the domain as JSON under its GraphQL names: what is hidden is null, as it is there."""
    match _seen(value):
        case Enum() as member:
            return member.name
        case datetime() as at:
            return time_text(at)
        case list() as items:
            return [shown(item) for item in items]
        case Mapping() as stored:
            return {str(name): shown(item) for name, item in stored.items()}
        case seen if is_dataclass(seen):
            return {name: shown(getattr(seen, field)) for field, name in _camel_names(type(seen)).items()}  # type: ignore[arg-type]
        case seen:
            return seen


def type_name(prefix: str, name: str) -> str:
    """`gravwell`, `stack_drafted` -> `GravwellStackDrafted`."""
    return "".join(word[:1].upper() + word[1:] for part in (prefix, name) for word in part.split("_"))


class Read(StrawberryField):
    """A field that a plain function reads off its source: no arguments, no info, none of the ceremony of resolvers."""

    def __init__(self, *args: Any, reading: Callable[[Any], Any] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.reading = reading

    def get_result(self, source: Any, info: Any, args: list[Any], kwargs: Any) -> Any:
        """What the function reads, or else the attribute of the field's name."""
        return super().get_result(source, info, args, kwargs) if self.reading is None else self.reading(source)


def read(reading: Callable[[Any], Any] | None = None, *, description: str | None = None, kind: Any = None) -> Any:
    """A field of a type whose source is one of the service's values, read by `reading` or by the field's name.

    `kind` is its GraphQL type, where that is made by derivation and no annotation can name it.
    """
    annotation = None if kind is None else StrawberryAnnotation(kind)
    return Read(reading=reading, description=description, type_annotation=annotation)


def answers(kind: Any) -> Callable[[Resolver], Resolver]:
    """A resolver whose answer is shown as the GraphQL type `kind`."""
    field: Callable[[Resolver], Resolver] = strawberry.field(graphql_type=kind)
    return field


def shows(source: type) -> Any:
    """The `is_type_of` of a GraphQL type that stands for values of `source`."""
    return staticmethod(lambda value, _info: isinstance(value, source))


class _Deriving:
    """The types derived under one prefix, each made once."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._made: dict[tuple[type, str], Any] = {}

    def output(self, kind: type, name: str | None = None) -> type:
        """An object type. A view says what may be seen, so nothing in it is Secret."""
        made: type = self._once(kind, name or self._name(kind), self._output)
        return made

    def events(self, kinds: Collection[type], interface: type) -> tuple[type, ...]:
        """Event types, read off an `EventSeen`, whose Secret fields are null where the viewer may not open them.

        A field that is nullable in one event is so in all: else no document could ask for it in two of them.
        """
        opened = {kind: {field: _opened(hint) for field, hint in _hints(kind).items()} for kind in kinds}
        nullable = {field for hints in opened.values() for field, hint in hints.items() if NoneType in get_args(hint)}
        for hints in opened.values():
            hints.update({field: hints[field] | None for field in nullable & hints.keys()})
        return tuple(self._event(kind, hints, interface) for kind, hints in opened.items())

    def command(self, kind: type) -> Any:
        """The input of a command: a Boolean if it has no fields."""
        return self._input(kind) if fields(kind) else bool

    def one_of(self, name: str, description: str, members: Mapping[str, Any]) -> type:
        return one_of(name, description, members)

    def _event(self, kind: type, hints: Mapping[str, Any], interface: type) -> type:
        name = type_name(self.prefix, snake(kind.__name__))
        taken = {field.python_name for field in interface.__strawberry_definition__.fields}  # type: ignore[attr-defined]
        members = {}
        for field, hint in hints.items():
            if field in taken:
                raise TypeError(f"{kind.__qualname__}.{field}: every event has a field of this name")
            annotation = self._annotation(hint, self.output, f"{kind.__qualname__}.{field}")
            members[field] = annotation, read(_read_data(field) if _is_json(hint) else _read_event(field))
        shown = staticmethod(lambda seen, _info: isinstance(seen.event, kind))
        return _made(strawberry.type, name, members, _docstring(kind), bases=(interface,), is_type_of=shown)

    def _output(self, kind: type, name: str) -> type:
        members = {
            field: (self._annotation(hint, self.output, f"{kind.__qualname__}.{field}"), read(_reading(field, hint)))
            for field, hint in _hints(kind).items()
        }
        return _made(strawberry.type, name, members, _docstring(kind), is_type_of=shows(kind))

    def _input(self, kind: type) -> type:
        made: type = self._once(kind, self._name(kind) + "Input", self._input_of)
        return made

    def _input_of(self, kind: type, name: str) -> type:
        hints = _hints(kind)
        members = {
            field.name: (
                self._annotation(hints[field.name], self._input, f"{kind.__qualname__}.{field.name}"),
                _default(field),
            )
            for field in fields(kind)
        }
        return _made(strawberry.input, name, members, _docstring(kind))

    def _enum(self, kind: EnumType) -> type:
        made: type = self._once(kind, self._name(kind), _named_enum)
        return made

    def _annotation(self, hint: Any, nested: Callable[[type], type], where: str) -> Any:
        """The annotation that Strawberry needs for a field's type. Raises TypeError for what no field may be."""
        origin, arguments = get_origin(hint), get_args(hint)
        if origin in (Union, UnionType):
            shown = [argument for argument in arguments if argument not in (NoneType, Hidden)]
            if len(shown) == 1 and len(arguments) > 1:
                return self._annotation(shown[0], nested, where) | None
        elif origin in (tuple, frozenset, list):
            items = {argument for argument in arguments if argument is not Ellipsis}
            if len(items) == 1:
                return list[self._annotation(items.pop(), nested, where)]  # type: ignore[misc]
        elif hint in SCALARS:
            return hint
        elif _is_json(hint):
            return JSON
        elif isinstance(hint, EnumType):
            return self._enum(hint)
        elif isinstance(hint, type) and is_dataclass(hint) and hint is not Secret:
            return nested(hint)
        raise TypeError(f"{where}: no GraphQL type is derived from {hint}")

    def _name(self, kind: type) -> str:
        return type_name(self.prefix, kind.__name__)

    def _once(self, kind: type, name: str, make: Callable[[Any, str], Any]) -> Any:
        if (kind, name) not in self._made:
            assert name not in {made for _, made in self._made}, f"two types of one title are both named {name}"
            self._made[kind, name] = make(kind, name)
        return self._made[kind, name]


def _named_enum(kind: EnumType, name: str) -> EnumType:
    return strawberry.enum(kind, name=name, description=_docstring(kind))


def _made(
    decorate: Any, name: str, members: Mapping[str, tuple[Any, Any]], description: str | None, *,
    bases: tuple[type, ...] = (), is_type_of: Any = None, **options: Any,
) -> type:  # fmt: skip
    namespace = {
        "__annotations__": {field: annotation for field, (annotation, _) in members.items()},
        "__module__": __name__,
        **{field: value for field, (_, value) in members.items() if value is not MISSING},
        **({"is_type_of": is_type_of} if is_type_of else {}),
    }
    made: type = decorate(type(name, bases, namespace), name=name, description=description, **options)
    return made


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _opened(hint: Any) -> Any:
    """The type of an event's field as a viewer meets it: what is sealed may not be theirs to open."""
    return get_args(hint)[0] | None if get_origin(hint) is Secret else hint


def _is_json(hint: Any) -> bool:
    """Whether a field's type is left open: it is shown as it is stored."""
    return hint is Any or isinstance(hint, TypeVar) or get_origin(hint) is Mapping


def _reading(field: str, hint: Any) -> Callable[[Any], Any] | None:
    return None if hint in SCALARS else lambda source: _seen(getattr(source, field))


def _read_event(field: str) -> Callable[[Any], Any]:
    return lambda seen: _seen(getattr(seen.event, field))


def _read_data(field: str) -> Callable[[Any], Any]:
    return lambda seen: seen.data[field]


def _seen(value: Any) -> Any:
    """A value of the domain as GraphQL takes it: what is hidden is null."""
    match value:
        case Hidden():
            return None
        case Secret():
            return _seen(value.value)
        case tuple() | list():
            return [_seen(item) for item in value]
        case frozenset():
            return sorted(value)
        case _:
            return value


def _taken(hint: Any, value: Any) -> Any:
    """A coerced input value of this type as plain JSON under the stored names."""
    if value is None:
        return None
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list):
        return [_taken(_item(hint), item) for item in value]
    if isinstance(value, dict):
        hints = _hints(_one(hint))
        return {
            field: _taken(hints[field], value[name])
            for field, name in _camel_names(_one(hint)).items() if name in value
        }  # fmt: skip
    return value


def _offered(value: Any) -> Any:
    """A value of a command as JSON under its GraphQL names."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, tuple):
        return [_offered(item) for item in value]
    if is_dataclass(value):
        kind: type = type(value)
        return {name: _offered(getattr(value, field)) for field, name in _camel_names(kind).items()}
    return value


@cache
def _camel_names(kind: type) -> dict[str, str]:
    return {field.name: to_camel_case(field.name) for field in fields(kind)}


def _one(hint: Any) -> Any:
    """The type in `T | None`."""
    return next((inner for inner in get_args(hint) if inner is not NoneType), hint)


def _item(hint: Any) -> Any:
    return get_args(_one(hint) if get_origin(hint) in (Union, UnionType) else hint)[0]


def _default(field: Field[Any]) -> Any:
    """The default of an input's field; null is what leaving it out means, and is no default."""
    return strawberry.UNSET if field.default is None else field.default


def _docstring(kind: type) -> str | None:
    """The docstring, unless a decorator made it up, with the names of fields as GraphQL has them."""
    text = vars(kind).get("__doc__")
    if text is None or text.startswith(f"{kind.__name__}("):
        return None
    return re.sub(r"`[a-z0-9_]+`", lambda name: to_camel_case(name[0]), cleandoc(text))
