"""Commands, options and events as JSON values and back: one codec a ruleset, made from its dataclasses."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, replace
from functools import cache
from typing import Any, Final, TypeAlias, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from domain import game
from domain.canonical import Json, canonical
from domain.catalogue import CATALOGUE, NEWEST, AnyRuleset
from domain.game.events import DeadlineSet, Forked, Opened
from domain.ruleset import HIDDEN, Refused, Seat, Secret, schema_of, snake
from domain.stream import Fact, Row, Seal, time_text

INTEGER_MAX: Final = 2**53 - 1
"""The greatest integer a stream may hold (FORMAT.md, Values)."""

DEPTH_MAX: Final = 8
"""How deep a value from outside may nest."""


Validate: TypeAlias = Callable[[object], Any]


class Codec:
    """Conversions for one version of one ruleset, and for the life of a game around it."""

    def __init__(self, ruleset: AnyRuleset) -> None:
        self.ruleset = ruleset
        self._commands: dict[str, TypeAdapter[Any]] = {
            snake(kind.__name__): TypeAdapter(kind) for kind in (*game.COMMANDS, *ruleset.commands)
        }
        self._turns = frozenset(snake(kind.__name__) for kind in ruleset.commands)
        self._options: TypeAdapter[Any] = TypeAdapter(ruleset.options)
        kinds = dict.fromkeys(game.EVENTS, "game") | dict.fromkeys(ruleset.events, ruleset.name)
        self._events = {kind: _EventCodec(kind, prefix, ruleset, self) for kind, prefix in kinds.items()}
        self._named = {codec.name: codec for codec in self._events.values()}

    def turn(self, name: str, value: Mapping[str, Any]) -> Any:
        """A command of the ruleset from its snake_case name and fields. Raises Refused("BAD_COMMAND")."""
        if name not in self._turns:
            raise Refused("BAD_COMMAND", command=name, reason="unknown")
        return self.command({name: value})

    def command(self, value: Mapping[str, Any]) -> Any:
        """Any command from `{"play_fuel": {...}}`. Raises Refused("BAD_COMMAND") for what does not fit."""
        ((name, given),) = value.items()
        if name == "open_game":
            options = self.options(given.get("options", {}))
            return game.OpenGame(**{**given, "options": options})
        return _strictly(self._commands[name], given, "BAD_COMMAND", command=name)

    def command_json(self, command: Any) -> dict[str, Json]:
        """`{"play_fuel": {...}}`: the command as it is stored and sealed; fields at their default are left out."""
        name = snake(type(command).__name__)
        if isinstance(command, game.OpenGame):
            return {name: self._opening_json(command)}
        given: Json = self._commands[name].dump_python(command, mode="json", exclude_defaults=True)
        return {name: given}

    def options(self, given: object) -> Any:
        """The ruleset's options from a JSON object. Raises Refused with UNKNOWN_OPTION or BAD_OPTION."""
        if not isinstance(given, Mapping):
            raise Refused("BAD_OPTION", option="options", reason="they are an object")
        known = {field.name for field in fields(self.ruleset.options)}
        for name in given:
            if name not in known:
                raise Refused("UNKNOWN_OPTION", option=str(name), known=sorted(known))
        try:
            return self._options.validate_json(_checked_text(given), strict=True, extra="forbid")
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            option = str(first["loc"][0]) if first["loc"] else "options"
            raise Refused("BAD_OPTION", option=option, reason=first["msg"]) from None
        except ValueError as error:
            raise Refused("BAD_OPTION", option="options", reason=f"they hold {error}") from None

    def options_json(self, options: Any) -> Json:
        """Those options that are not left at their default."""
        value: Json = self._options.dump_python(options, mode="json", exclude_defaults=True)
        return value

    def fact(self, event: Any) -> Fact:
        """An event in plain JSON values."""
        return self._events[type(event)].fact(event)

    def event(self, public: Mapping[str, Any], row: Row) -> Any:
        """The whole event of a stored row, in its newest shape; `public` is the row's parsed public form."""
        return self._named[public["name"]].event(public, from_json(row.secret) if row.secret else {})

    def opened_json(self, event: Any) -> Json:
        """A whole event as it stands in the past of a practice game: under its name, with what was sealed in it."""
        fact = self.fact(event)
        sealed: Json = {name: {"to": list(seal.to), "value": seal.value} for name, seal in fact.sealed.items()}
        return {"name": fact.name, "schema": fact.schema, "data": dict(fact.data), "sealed": sealed}

    def opened_event(self, given: Mapping[str, Any]) -> Any:
        """An event of a practice game's past, in its newest shape."""
        return self._named[given["name"]].event(given, {name: seal["value"] for name, seal in given["sealed"].items()})

    def data(self, event: Any) -> dict[str, Any]:
        """The fields of an event in plain JSON values: public ones, and those sealed ones that are not HIDDEN."""
        fact = self._events[type(event)].fact(event)
        return {**fact.data, **{name: seal.value for name, seal in fact.sealed.items() if seal.value is not HIDDEN}}

    def narrate(self, event: Any) -> str:
        """One English sentence for an event, whole or redacted."""
        return game.narrate(event) if type(event) in game.EVENTS else self.ruleset.narrate(event)

    def _opening_json(self, command: game.OpenGame) -> Json:
        given: dict[str, Json] = {
            field.name: getattr(command, field.name)
            for field in fields(command)
            if field.default is MISSING or getattr(command, field.name) != field.default
        }
        options = {} if command.options is None else self.options_json(command.options)
        return {
            **{name: value for name, value in given.items() if name != "options"},
            **({"options": options} if options else {}),
        }


class _EventCodec:
    """The conversion of one event type."""

    def __init__(self, kind: type, prefix: str, ruleset: AnyRuleset, codec: Codec) -> None:
        hints = get_type_hints(kind)
        self.name = f"{prefix}.{snake(kind.__name__)}"
        self._short = snake(kind.__name__)
        self._schema = schema_of(kind)
        shape: Any = Opened[ruleset.options] if kind is Opened else kind  # type: ignore[name-defined]
        self._adapter: TypeAdapter[Any] = TypeAdapter(shape)
        self._validate: Validate = self._adapter.validator.validate_python
        self._sealed: dict[str, Validate] = {
            name: TypeAdapter(get_args(hint)[0]).validator.validate_python
            for name, hint in hints.items()
            if get_origin(hint) is Secret
        }
        self._upcasts = ruleset.upcasts if prefix == ruleset.name else {}
        self._kind = kind
        self._codec = codec
        self._options: TypeAdapter[Any] = TypeAdapter(ruleset.options)

    def fact(self, event: Any) -> Fact:
        if self._kind is Forked:
            bare = self._adapter.dump_python(replace(event, past=()), mode="json")
            past = [self._codec.opened_json(each) for each in event.past]
            return Fact(self.name, self._schema, {**bare, "past": past}, {})
        data = self._adapter.dump_python(event, mode="json")
        if self._kind is DeadlineSet:
            data["deadline"] = time_text(event.deadline)
        elif self._kind is Opened:
            data["options"] = self._options.dump_python(event.options, mode="json", exclude_defaults=True)
        sealed = {}
        for name in self._sealed:
            value, secret = data.pop(name)["value"], getattr(event, name)
            sealed[name] = Seal(HIDDEN if secret.value is HIDDEN else value, secret.to)
        return Fact(self.name, self._schema, data, sealed)

    def event(self, public: Mapping[str, Any], secrets: Mapping[str, Any]) -> Any:
        given = dict(public["data"])
        for name, seal in public["sealed"].items():
            given[name] = {"value": secrets.get(name, HIDDEN), "to": seal["to"]}
        if self._kind is Forked:
            given["past"] = tuple(map(self._codec.opened_event, given["past"]))
        for schema in range(public["schema"], self._schema):
            given = self._upcasts[self._short, schema](given)
        for name, validate in self._sealed.items():
            given[name] = _secret(validate, **given[name])
        return self._validate(given)


def _secret(validate: Validate, value: object, to: Iterable[Seat]) -> Secret[Any]:
    """A sealed field. Made here, since to find out that a value is not HIDDEN costs a validator more than the value."""
    return Secret(HIDDEN if value is HIDDEN else validate(value), tuple(to))


@cache
def codec_of(ruleset_name: str, rules: int) -> Codec:
    """The codec of one version of a ruleset. Raises KeyError if this build does not have it."""
    return Codec(CATALOGUE[ruleset_name, rules])


def newest_codec(ruleset_name: str) -> Codec:
    """The codec of the rules that a game opened now is pinned to."""
    return codec_of(ruleset_name, NEWEST[ruleset_name].version)


def _strictly(adapter: TypeAdapter[Any], given: object, code: str, **facts: str) -> Any:
    try:
        return adapter.validate_json(_checked_text(given), strict=True, extra="forbid")
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise Refused(code, **facts, field=field, reason=first["msg"]) from None
    except ValueError as error:
        raise Refused(code, **facts, field="", reason=str(error)) from None


def _checked_text(given: object) -> str:
    """The canonical text, if all in it may stand in a stream. Raises ValueError."""
    _check(given)
    return canonical(given)


def _check(value: object, depth: int = 0) -> None:
    if depth > DEPTH_MAX:
        raise ValueError("something too deeply nested")
    match value:
        case bool() | None:
            return
        case int():
            if abs(value) > INTEGER_MAX:
                raise ValueError("an integer out of range")
        case str():
            if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
                raise ValueError("a character that is not text")
        case float():
            raise ValueError("a number that is not an integer")
        case Mapping():
            for key, inner in value.items():
                _check(key)
                _check(inner, depth + 1)
        case list() | tuple():
            for inner in value:
                _check(inner, depth + 1)
        case _:
            raise ValueError(f"a {type(value).__name__}")
