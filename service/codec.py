"""Commands, options and events as JSON values and back: one codec a ruleset, made from its dataclasses."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from functools import cache
from typing import Any, Final, get_args, get_origin, get_type_hints

from msgspec import Raw, Struct, defstruct
from msgspec.json import Decoder, decode, encode
from msgspec.structs import asdict
from pydantic import TypeAdapter, ValidationError

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


class _Cause(Struct, frozen=True):
    """What the place of an event among decisions is read from."""

    seat: Seat | None = None
    first: int | None = None


class _Seal(Struct, frozen=True):
    """Who may open a sealed field; and, in the past of a practice game, what is in it."""

    to: tuple[Seat, ...]
    value: Raw = Raw()


class _Stored(Struct, frozen=True):
    """What reading an event needs of its public form, or of how it stands in the past of a practice game."""

    name: str
    schema: int
    data: Raw
    sealed: dict[str, _Seal]
    cause: _Cause = _Cause()


_STORED: Final = Decoder(_Stored)


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
        """Any command from `{"play_fuel": {...}}`. Raises Refused("BAD_COMMAND") for what does not fit.

        What opens a game is refused for its options as they are.
        """
        ((name, given),) = value.items()
        command = _strictly(self._commands[name], given, "BAD_COMMAND", command=name)
        return replace(command, options=self.options(given.get("options", {}))) if name == "open_game" else command

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

    def event(self, row: Row) -> Any:
        """The whole event of a stored row, in its newest shape."""
        _, _, event = self.placed(row)
        return event

    def newest(self, fact: Fact) -> Fact:
        """What a stream says of an event, in the newest shape of its name, with whatever it says beyond that.

        Raises ValueError for a shape that these rules do not write.
        """
        return self._named[fact.name].newest(fact)

    def placed(self, row: Row) -> tuple[int | None, Seat | None, Any]:
        """The whole event of a stored row, in its newest shape, after its place among decisions (domain.stream)."""
        stored = _STORED.decode(row.public)
        event = self._named[stored.name].event(stored, row.secret or "{}")
        return stored.cause.first, stored.cause.seat, event

    def opened_json(self, event: Any) -> Json:
        """A whole event as it stands in the past of a practice game: under its name, with what was sealed in it."""
        fact = self.fact(event)
        sealed: Json = {name: {"to": list(seal.to), "value": seal.value} for name, seal in fact.sealed.items()}
        return {"name": fact.name, "schema": fact.schema, "data": dict(fact.data), "sealed": sealed}

    def opened_event(self, past: _Stored) -> Any:
        """An event of a practice game's past, in its newest shape."""
        return self._named[past.name].event(past, encode({name: seal.value for name, seal in past.sealed.items()}))

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
        opened: Any = Opened[ruleset.options]  # type: ignore[name-defined]
        self._adapter: TypeAdapter[Any] = TypeAdapter(opened if kind is Opened else kind)
        self._sealed = [name for name, hint in hints.items() if get_origin(hint) is Secret]
        shapes = {Opened: opened, Forked: Forked[tuple[_Stored, ...]]}
        self._data: Decoder[Any] = Decoder(_open_part(kind, hints) if self._sealed else shapes.get(kind, kind))
        self._secrets: Decoder[Any] = Decoder(_sealed_part(kind, hints))
        self._upcasts = ruleset.upcasts if prefix == ruleset.name else {}
        self._kind = kind
        self._codec = codec

    def fact(self, event: Any) -> Fact:
        if self._kind is Forked:
            bare = self._adapter.dump_python(replace(event, past=()), mode="json")
            past = [self._codec.opened_json(each) for each in event.past]
            return Fact(self.name, self._schema, {**bare, "past": past}, {})
        data = self._adapter.dump_python(event, mode="json")
        if self._kind is DeadlineSet:
            data["deadline"] = time_text(event.deadline)
        elif self._kind is Opened:
            data["options"] = self._codec.options_json(event.options)
        sealed = {}
        for name in self._sealed:
            value, secret = data.pop(name)["value"], getattr(event, name)
            sealed[name] = Seal(HIDDEN if secret.value is HIDDEN else value, secret.to)
        return Fact(self.name, self._schema, data, sealed)

    def event(self, stored: _Stored, secrets: str | bytes) -> Any:
        if stored.schema < self._schema:
            return self._upcast(stored, secrets)
        data = self._data.decode(stored.data)
        if self._sealed:
            values = asdict(self._secrets.decode(secrets))
            sealed = {name: Secret(value, stored.sealed[name].to) for name, value in values.items()}
            return self._kind(**asdict(data), **sealed)
        if self._kind is Forked:
            return replace(data, past=tuple(map(self._codec.opened_event, data.past)))
        return data

    def newest(self, fact: Fact) -> Fact:
        if fact.schema > self._schema:
            raise ValueError("a shape that these rules do not write")
        if fact.schema == self._schema:
            return fact
        sealed = {name: {"value": seal.value, "to": list(seal.to)} for name, seal in fact.sealed.items()}
        given = {**fact.data, **sealed}
        for schema in range(fact.schema, self._schema):
            given = self._upcasts[self._short, schema](given)
        seals = {name: given.pop(name) for name in self._sealed}
        newest = {name: Seal(seal["value"], tuple(seal["to"])) for name, seal in seals.items()}
        return Fact(self.name, self._schema, given, newest)

    def _upcast(self, stored: _Stored, secrets: str | bytes) -> Any:
        """The event of an older shape: brought to the newest one as what stands in a stream, and read as that."""
        values = decode(secrets)
        sealed = {name: Seal(values.get(name, HIDDEN), seal.to) for name, seal in stored.sealed.items()}
        fact = self.newest(Fact(self.name, stored.schema, decode(stored.data), sealed))
        known = {name: seal.value for name, seal in fact.sealed.items() if seal.value is not HIDDEN}
        audiences = {name: _Seal(seal.to) for name, seal in fact.sealed.items()}
        return self.event(_Stored(self.name, self._schema, Raw(encode(fact.data)), audiences), encode(known))


def _open_part(kind: type, hints: Mapping[str, Any]) -> type[Struct]:
    """What of an event is not sealed."""
    parts = [
        (each.name, hints[each.name], *([] if each.default is MISSING else [each.default]))
        for each in fields(kind)
        if get_origin(hints[each.name]) is not Secret
    ]
    return defstruct(kind.__name__, parts)


def _sealed_part(kind: type, hints: Mapping[str, Any]) -> type[Struct]:
    """What of an event is sealed: HIDDEN, where it is not known."""
    parts = [(name, get_args(hint)[0], HIDDEN) for name, hint in hints.items() if get_origin(hint) is Secret]
    return defstruct(kind.__name__, parts)


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
