"""How much one request may ask for, and what its text may hold."""

from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLNamedType,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    StringValueNode,
    ValidationContext,
    ValidationRule,
    get_named_type,
    is_interface_type,
    is_object_type,
)

from domain.ruleset import Refused
from service.seen import EventFilter

BODY_BYTES_MAX: Final = 256 * 1024
JSON_DEPTH_MAX: Final = 32
"""How deep the JSON of a request may nest."""

TOKENS_MAX: Final = 2_000
DEPTH_MAX: Final = 15
ALIASES_MAX: Final = 30
ITEMS_MAX: Final = 2_000
"""The most items of connections one operation may ask for, counting each page of each item of a page."""

WEIGHTS: Final = {"diff": 50, "leaves": 20}
"""How many items those fields count for that cost as much as a page."""

DIGITS_MAX: Final = 1_000
"""The most digits of an integer that is written into a document."""

NAMES_MAX: Final = 50
"""The most names of events that one filter takes."""

PAGE_MAX: Final = 100
PAGE_DEFAULT: Final = 20


def page_size(size: int | None) -> int:
    """How many items are asked for, if it is said. Raises Refused for what is not 1..100."""
    if size is None:
        return PAGE_DEFAULT
    if not 1 <= size <= PAGE_MAX:
        raise Refused("PAGE_OUT_OF_RANGE", given=size, least=1, most=PAGE_MAX)
    return size


def event_filter(names: list[str] | None, seat: int | None) -> EventFilter:
    """Which events are asked for. Raises Refused for too many names."""
    if names is not None and len(names) > NAMES_MAX:
        raise Refused("TOO_MANY_NAMES", most=NAMES_MAX)
    return EventFilter(None if names is None else frozenset(names), seat)


def check_json(value: object) -> None:
    """Refuse what no later step should have to think of: NUL, lone surrogates, infinite numbers, deep nesting."""
    level: list[object] = [value]
    for _ in range(JSON_DEPTH_MAX + 1):
        inner: list[object] = []
        for item in level:
            match item:
                case str():
                    if not is_text(item):
                        raise Refused("BAD_TEXT")
                case dict():
                    inner += item
                    inner += item.values()
                case list():
                    inner += item
                case float():
                    if not isfinite(item):
                        raise Refused("BAD_JSON")
        if not inner:
            return
        level = inner
    raise Refused("TOO_DEEP", most=JSON_DEPTH_MAX)


def is_plain(text: bytes) -> bool:
    """Whether the JSON of a text, its numbers finite, can hold nothing that `check_json` refuses, whatever it says."""
    return b"\\u" not in text and text.count(b"{") + text.count(b"[") <= JSON_DEPTH_MAX


def is_text(text: str) -> bool:
    """Whether it is Unicode text that can be stored: no NUL, no lone surrogate."""
    return "\0" not in text and (text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text))


class TextRule(ValidationRule):
    """Strings written into a document hold text, as those in variables do."""

    def enter_string_value(self, node: StringValueNode, *_args: Any) -> None:
        """Look at one string."""
        if not is_text(node.value):
            self.report_error(_error("BAD_TEXT", "A string holds NUL or half a character.", node))


class DigitsRule(ValidationRule):
    """Integers written into a document are of a length that can be read. First among the rules: others read them."""

    def enter_int_value(self, node: IntValueNode, *_args: Any) -> None:
        """Look at one integer. Raises, so that no other rule does."""
        if len(node.value) > DIGITS_MAX:
            raise GraphQLError(f"An integer has {len(node.value)} digits, and at most {DIGITS_MAX} are read.", node)


class SizeRule(ValidationRule):
    """Operations stay within the limits of depth, aliases and items, fragments counted where they are spread."""

    def __init__(self, context: ValidationContext) -> None:
        super().__init__(context)
        self._fragments: dict[str, _Size] = {}

    def enter_operation_definition(self, node: OperationDefinitionNode, *_args: Any) -> None:
        """Measure one operation."""
        size = self._size(node.selection_set, self.context.schema.get_root_type(node.operation))
        for code, is_asked, most in (
            ("TOO_DEEP", size.depth, DEPTH_MAX),
            ("TOO_MANY_ALIASES", size.aliases, ALIASES_MAX),
            ("TOO_MANY_ITEMS", size.items, ITEMS_MAX),
        ):
            if is_asked > most:
                what = code.removeprefix("TOO_").lower().replace("_", " ")
                self.report_error(_error(code, f"Too {what}: {is_asked}, and at most {most} is served.", node, most))

    def _size(self, selections: SelectionSetNode | None, parent: GraphQLNamedType | None) -> "_Size":
        total = _Size()
        for selection in selections.selections if selections else ():
            match selection:
                case FieldNode():
                    total = total.beside(self._field(selection, parent))
                case InlineFragmentNode():
                    total = total.beside(self._size(selection.selection_set, self._narrowed(selection, parent)))
                case FragmentSpreadNode():
                    total = total.beside(self._fragment(selection.name.value))
        return total

    def _field(self, node: FieldNode, parent: GraphQLNamedType | None) -> "_Size":
        field = None
        if is_object_type(parent) or is_interface_type(parent):
            field = parent.fields.get(node.name.value)
        inner = self._size(node.selection_set, get_named_type(field.type) if field else None)
        aliases = inner.aliases + (node.alias is not None)
        if node.name.value.startswith("__"):
            return _Size(0, aliases)  # how deep introspection goes is the business of MaxIntrospectionDepthRule
        page = _page(node) if field and "first" in field.args else WEIGHTS.get(node.name.value, 0)
        return _Size(inner.depth + 1, aliases, page + inner.items * (page or 1))

    def _fragment(self, name: str) -> "_Size":
        if name not in self._fragments:
            self._fragments[name] = _Size()  # what a cycle adds; cycles are refused by a rule of their own
            fragment = self.context.get_fragment(name)
            if fragment is not None:
                self._fragments[name] = self._size(fragment.selection_set, self._narrowed(fragment, None))
        return self._fragments[name]

    def _narrowed(
        self, node: InlineFragmentNode | FragmentDefinitionNode, parent: GraphQLNamedType | None
    ) -> GraphQLNamedType | None:
        return self.context.schema.get_type(node.type_condition.name.value) if node.type_condition else parent


@dataclass(frozen=True, slots=True)
class _Size:
    depth: int = 0
    aliases: int = 0
    items: int = 0

    def beside(self, other: "_Size") -> "_Size":
        return _Size(max(self.depth, other.depth), self.aliases + other.aliases, self.items + other.items)


def _page(node: FieldNode) -> int:
    """How many items a connection's field asks for at most."""
    given = [argument.value for argument in node.arguments or () if argument.name.value in ("first", "last")]
    if not given:
        return PAGE_DEFAULT
    known = [int(value.value) for value in given if isinstance(value, IntValueNode) and len(value.value) < 4]
    return max(0, min([PAGE_MAX, *known]))


def _error(code: str, message: str, node: Any, most: int | None = None) -> GraphQLError:
    return GraphQLError(message, node, extensions={"code": code, "facts": {} if most is None else {"most": most}})
