"""What one request may ask for: documents within limits, and JSON that holds nothing untoward."""

import json

import pytest
from graphql import get_introspection_query
from hypothesis import given
from hypothesis import strategies as st

from domain.ruleset import Refused
from schema import limits
from schema.documents import document
from schema.errors import BadRequest
from schema.limits import (
    ALIASES_MAX,
    ITEMS_MAX,
    JSON_DEPTH_MAX,
    TOKENS_MAX,
    check_json,
    is_plain,
    page_size,
)


def code_of(text: str) -> str | None:
    """The code with which a document is refused."""
    try:
        document(text)
    except BadRequest as bad:
        return str(bad.errors[0]["extensions"]["code"])
    return None


def options(literal: str) -> str:
    """A document with a literal of JSON in it."""
    given = f'key: "k", ruleset: GRAVWELL, seats: 2, options: {literal}'
    return f"mutation {{ openGame(input: {{ {given} }}) {{ __typename }} }}"


def turn(literal: str) -> str:
    """A document with a literal of a turn in it."""
    return f'mutation {{ submitTurn(input: {{ key: "k", gameId: "g", turn: {literal} }}) {{ __typename }} }}'


def test_an_ordinary_document_is_served() -> None:
    assert code_of('{ game(id: "x") { id seats { index } history(last: 5) { edges { node { id } } } } }') is None
    assert code_of(turn("{ gravwell: { draftStack: { stack: 1 } } }")) is None


def test_introspection_is_served() -> None:
    assert code_of(get_introspection_query()) is None


def test_introspection_does_not_go_round_in_circles() -> None:
    circle = "fields { type { fields { type { fields { type { fields { name } } } } } } }"
    assert code_of(f"{{ __schema {{ types {{ {circle} }} }} }}") == "GRAPHQL_VALIDATION_FAILED"


@pytest.mark.parametrize(
    "text", ["", "{", "query { me { handle }", "{ me { handle } } trailing", "\0", "{ me { ha\0ndle } }"]
)
def test_what_does_not_parse_is_said_not_to(text: str) -> None:
    assert code_of(text) == "GRAPHQL_PARSE_FAILED"


@pytest.mark.parametrize(
    "text",
    [
        "{ nothing }",
        "{ me }",
        "{ me { handle { more } } }",
        "{ game { id } }",
        "{ game(id: 1.5) { id } }",
        "{ games(first: 99999999999) { edges { cursor } } }",
        "{ games(first: " + "9" * 5000 + ") { edges { cursor } } }",
        "{ games(status: LOST) { edges { cursor } } }",
        "{ ...F } fragment F on Query { ...F }",
        "{ ...F } fragment F on Query { me { handle } ...G } fragment G on Query { ...F }",
        "query ($x: Int) { me { handle } }",
        "subscription { me { handle } }",
        turn("{}"),
        turn("{ gravwell: null }"),
        turn("{ gravwell: { draftStack: { stack: 1 }, decideStop: { stop: true } } }"),
        turn("{ gravwell: { playFuel: { card: AA, stop: ASK } } }"),
        turn("{ gravwell: { playFuel: { card: A } } }"),
        turn("{ gravwell: { draftStack: { stack: 1, hand: 2 } } }"),
    ],
)
def test_what_does_not_fit_the_schema_is_said_not_to(text: str) -> None:
    assert code_of(text) == "GRAPHQL_VALIDATION_FAILED"


def test_a_document_has_so_many_tokens_and_no_more() -> None:
    assert code_of(options("[" + "1 " * (TOKENS_MAX - 30) + "]")) is None
    assert code_of(options("[" + "1 " * TOKENS_MAX + "]")) == "DOCUMENT_TOO_LONG"


def test_fields_nest_so_deep_and_no_deeper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DEPTH_MAX", 3)  # no type of ours nests as deep as the limit really is
    assert (
        code_of('{ game(id: "x") { seats { awaited } } me { handle } ...A } fragment A on Query { me { id } }') is None
    )
    assert code_of('{ game(id: "x") { seats { player { id } } } }') == "TOO_DEEP"
    assert code_of('{ ... { ...A } } fragment A on Query { game(id: "x") { seats { player { id } } } }') == "TOO_DEEP"


def test_aliases_are_counted_where_fragments_spread_them() -> None:
    many = " ".join(f"a{n}: handle" for n in range(ALIASES_MAX))
    assert code_of(f"{{ me {{ {many} }} }}") is None
    assert code_of(f"{{ me {{ {many} b: handle }} }}") == "TOO_MANY_ALIASES"
    doubled = " ".join(f"fragment F{n} on Query {{ ...F{n + 1} x{n}: me {{ handle }} ...F{n + 1} }}" for n in range(20))
    assert code_of(f"{{ ...F0 }} {doubled} fragment F20 on Query {{ y: me {{ handle }} }}") == "TOO_MANY_ALIASES"


def test_the_items_of_nested_pages_are_multiplied() -> None:
    def games(size: str, history: str) -> str:
        return f"{{ games({size}) {{ edges {{ node {{ history({history}) {{ edges {{ cursor }} }} }} }} }} }}"

    assert ITEMS_MAX == 20 + 20 * 99
    assert code_of(games("first: 20", "first: 99")) is None
    assert code_of(games("first: 20", "first: 100")) == "TOO_MANY_ITEMS"
    assert code_of(games("after: null", "last: 99")) is None
    assert code_of(games("first: 100", "first: 100")) == "TOO_MANY_ITEMS"


def test_a_page_whose_size_is_a_variable_counts_as_the_largest() -> None:
    inner = "edges { node { history(first: 20) { edges { cursor } } } }"
    assert code_of(f"query ($n: Int) {{ games(first: $n) {{ {inner} }} }}") == "TOO_MANY_ITEMS"


@pytest.mark.parametrize("literal", ['"\\u0000"', '{ a: ["x\\u0000"] }', '"""a\0b"""'])
def test_a_literal_holds_text(literal: str) -> None:
    assert code_of(options(literal)) in {"BAD_TEXT", "GRAPHQL_PARSE_FAILED"}
    assert code_of(options('"\\u0000"')) == "BAD_TEXT"


def test_half_a_character_is_no_text() -> None:
    assert code_of(options('"\\uD800"')) == "GRAPHQL_PARSE_FAILED"


def test_a_literal_that_nests_without_end_is_refused() -> None:
    assert code_of(options("[" * 150 + "]" * 150)) is None
    assert code_of(options("[" * 1000 + "]" * 1000)) == "GRAPHQL_PARSE_FAILED"


def refusal_of_json(value: object) -> str | None:
    try:
        check_json(value)
    except Refused as refused:
        return refused.code
    return None


def deep(levels: int) -> object:
    return [] if levels == 0 else {"inner": deep(levels - 1)}


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "", "naïve 🎲", {"a": [{"b": "c"}]}, deep(JSON_DEPTH_MAX - 1)])
def test_ordinary_json_is_taken(value: object) -> None:
    assert refusal_of_json(value) is None


@pytest.mark.parametrize("text", ["\0", "a\0", "é\0", "\ud800", "a\udc00b"])
def test_no_string_holds_nul_or_half_a_character_wherever_it_stands(text: str) -> None:
    for value in (text, [text], {"key": {"more": [text]}}, {text: 1}, {"a": {text: None}}):
        assert refusal_of_json(value) == "BAD_TEXT"


def test_json_nests_so_deep_and_no_deeper() -> None:
    assert refusal_of_json(deep(JSON_DEPTH_MAX)) is None
    assert refusal_of_json(deep(JSON_DEPTH_MAX + 1)) == "TOO_DEEP"


def test_a_number_has_a_value() -> None:
    assert refusal_of_json({"wait": [float("inf")]}) == "BAD_JSON"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON_VALUES, st.booleans())
def test_what_is_plain_holds_nothing_that_is_refused(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only).encode(errors="surrogatepass")
    if is_plain(text):
        try:
            meant = json.loads(text.decode())
        except ValueError:  # it is no JSON, and refused for that
            return
        assert refusal_of_json(meant) is None


@pytest.mark.parametrize("value", ["\0", "a\udc00b", {"\ud800": 1}, deep(JSON_DEPTH_MAX + 1), [[]] * JSON_DEPTH_MAX])
def test_what_may_have_to_be_refused_is_not_plain(value: object) -> None:
    assert not is_plain(json.dumps(value).encode())


def test_a_turn_is_plain() -> None:
    assert is_plain(json.dumps({"query": turn("$turn"), "variables": {"turn": {"gravwell": {"card": "A"}}}}).encode())


def test_a_page_has_1_to_100_items_and_20_if_nothing_is_said() -> None:
    assert [page_size(size) for size in (None, 1, 100)] == [20, 1, 100]
    for size in (0, -1, 101, 2**31 - 1):
        with pytest.raises(Refused, match="PAGE_OUT_OF_RANGE"):
            page_size(size)
