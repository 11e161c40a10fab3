"""A common mutation as it was prepared: its answer is graphql-core's to the letter, whatever is asked and resolved."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import pytest
from graphql import ExecutionResult
from hypothesis import given, settings
from hypothesis import strategies as st

from schema import documents, executing
from schema.context import Context
from schema.documents import Document
from schema.executing import executed
from schema.schema import SCHEMA
from service import texts
from service.seen import Receipt, ReceiptStatus

GAME: Final = UUID("01234567-89ab-8def-8123-456789abcdef")
APPLIED: Final = Receipt(
    GAME, "k", GAME, ReceiptStatus.APPLIED, datetime(2026, 1, 1, tzinfo=UTC), 4, 5, "ab" * 32, None
)
REFUSED: Final = replace(
    APPLIED, status=ReceiptStatus.REFUSED, version=None, hash=None, refusal=texts.refusal_of("UNKNOWN_GAME")
)
CONTEXT: Any = Context(None, None)  # type: ignore[arg-type]

TURN: Final = {"gravwell": {"playFuel": {"card": "A", "stop": "NEVER"}}}
INPUT: Final = {"key": "k", "gameId": "game_x", "turn": TURN}

WHOLE: Final = "mutation ($input: SubmitTurnInput!, $wait: Float) { submitTurn(input: $input, wait: $wait) { %s } }"
RECEIPT: Final = "... on Receipt { id key gameId status receivedAt version hash refusal { code message } }"
REFUSAL: Final = "... on Refusal { code message }"

DOCUMENTS: Final = {
    "the input in one variable": WHOLE % f"__typename {RECEIPT} {REFUSAL}",
    "its parts in variables": (
        "mutation T($key: ID!, $id: ID!, $turn: TurnInput!, $at: Int) {"
        " submitTurn(input: {key: $key, gameId: $id, turn: $turn, expectedVersion: $at})"
        " { ... on Receipt { status version } ... on Refusal { code } } }"
    ),
    "no variable": (
        'mutation { mine: submitTurn(input: {key: "k", gameId: "g", turn: {gravwell: {draftStack: {stack: 1}}}},'
        " wait: 1) { ...R } } fragment R on SubmitResult { ... on Receipt { s: status, s: status } }"
    ),
    "a default": (
        'mutation ($key: ID = "k", $id: ID!) { submitTurn(input: {key: $key, gameId: $id, turn: {exoplanets:'
        " {endTurn: true}}}) { ... on Receipt { refusal { code } refusal { message } } } }"
    ),
    "another mutation": "mutation ($name: String!) { createToken(name: $name) { __typename } }",
}
"""Documents that are prepared."""

LEFT_TO_CORE: Final = {
    "two root fields": "mutation { a: createToken(name: 1) { __typename } b: createToken(name: 2) { __typename } }",
    "a query": "{ __typename }",
    "a resolver": WHOLE % "... on Receipt { status events { version } }",
    "a directive": WHOLE % "... on Receipt { status @skip(if: true) }",
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> "Asked":
    """The root fields resolve to what the test says, and tell what they were asked."""
    asked = Asked()
    assert SCHEMA.mutation_type is not None
    for field in ("submitTurn", "createToken"):
        monkeypatch.setattr(SCHEMA.mutation_type.fields[field], "resolve", asked.resolve)
    return asked


class Asked:
    """A stand-in for the resolvers of root fields."""

    def __init__(self) -> None:
        self.answer: Any = APPLIED
        self.arguments: list[Any] = []

    async def resolve(self, _root: None, _info: Any, **arguments: Any) -> Any:
        self.arguments.append(arguments)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def answered(document: Document, variables: Any) -> tuple[Any, ...]:
    async def awaited() -> ExecutionResult:
        return await executing._awaited(executed(document, None, variables, CONTEXT))

    result = asyncio.run(awaited())
    return result.data, [error.formatted for error in result.errors or ()]


def alike(asked: Asked, text: str, variables: Any) -> tuple[Any, ...]:
    """What is answered as prepared, which has to be what graphql-core answers; what is done is done once."""
    document = documents._made(text)
    asked.arguments.clear()
    ours = answered(document, variables)
    done = list(asked.arguments)
    asked.arguments.clear()
    assert ours == answered(replace(document, prepared={}), variables)
    assert done == asked.arguments
    assert len(done) <= 1
    return ours


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_common_mutation_is_prepared(text: str) -> None:
    assert documents._made(text).prepared.keys() >= {None}


@pytest.mark.parametrize("text", LEFT_TO_CORE.values(), ids=LEFT_TO_CORE)
def test_any_other_operation_is_left_to_graphql_core(text: str) -> None:
    assert documents._made(text.replace("name: 1", 'name: "1"').replace("name: 2", 'name: "2"')).prepared == {}


def test_what_is_answered(asked: Asked) -> None:
    data, errors = alike(asked, DOCUMENTS["its parts in variables"], {"key": "k", "id": "g", "turn": TURN, "at": 3})
    assert errors == []
    assert data == {"submitTurn": {"status": "APPLIED", "version": 5}}
    assert asked.arguments[0]["input"]["expectedVersion"] == 3


@pytest.mark.parametrize("answer", [APPLIED, REFUSED, texts.refusal_of("UNKNOWN_GAME")])
@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS)
def test_every_answer_is_shown_alike(asked: Asked, text: str, answer: Any) -> None:
    asked.answer = answer
    variables = {"input": INPUT, "wait": 0, "key": "k", "id": "g", "turn": TURN, "name": "n"}
    alike(asked, text, variables)


@pytest.mark.parametrize(
    "answer",
    [RuntimeError("a bug"), None, 3, replace(APPLIED, key=None), replace(APPLIED, version="five")],  # type: ignore[arg-type]
    ids=["raised", "none", "of no type", "a null that may not be", "no integer"],
)
def test_what_is_wrong_with_an_answer_is_said_alike(asked: Asked, answer: Any) -> None:
    asked.answer = answer
    _, errors = alike(asked, DOCUMENTS["the input in one variable"], {"input": INPUT})
    assert errors


@pytest.mark.parametrize(
    "variables",
    [
        None,
        {},
        {"input": None},
        {"input": []},
        {"input": {**INPUT, "more": 1}},
        {"input": {**INPUT, "key": None}},
        {"input": {**INPUT, "key": 7}},
        {"input": {**INPUT, "expectedVersion": 2**31}},
        {"input": {**INPUT, "expectedVersion": True}},
        {"input": {**INPUT, "turn": {}}},
        {"input": {**INPUT, "turn": {"gravwell": None}}},
        {"input": {**INPUT, "turn": {**TURN, "exoplanets": None}}},
        {"input": {**INPUT, "turn": {"gravwell": {"playFuel": {"card": "A", "stop": "SOMETIMES"}}}}},
        {"input": INPUT, "wait": "long"},
        {"input": INPUT, "wait": 10**400},
        {"input": INPUT, "unknown": 1},
    ],
)
def test_a_variable_that_does_not_fit_is_refused_alike(asked: Asked, variables: Any) -> None:
    alike(asked, DOCUMENTS["the input in one variable"], variables)


def some(right: Any) -> st.SearchStrategy[Any]:
    """The right value mostly, else anything that JSON can say."""
    scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
    anything = scalars | st.lists(scalars, max_size=2) | st.dictionaries(st.text(max_size=3), scalars, max_size=2)
    return st.just(right) | st.just(right) | anything


def given_some(**rights: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Some of these, each right mostly."""
    return st.fixed_dictionaries({}, optional={name: some(right) for name, right in rights.items()})


TURNS: Final = st.one_of(
    some(TURN),
    given_some(gravwell={"draftStack": {"stack": 1}}),
    st.fixed_dictionaries({"gravwell": given_some(playFuel={"card": "A", "stop": "NEVER"})}),
    st.fixed_dictionaries({"gravwell": st.fixed_dictionaries({"draftStack": given_some(stack=1, more=2)})}),
)


@settings(max_examples=150, deadline=None)
@given(TURNS, given_some(key="k", gameId="g", expectedVersion=3, asSeat=1), given_some(wait=1.5))
def test_whatever_is_sent_is_taken_or_refused_alike(turn: Any, rest: dict[str, Any], beside: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        asked = Asked()
        assert SCHEMA.mutation_type is not None
        patch.setattr(SCHEMA.mutation_type.fields["submitTurn"], "resolve", asked.resolve)
        alike(asked, DOCUMENTS["the input in one variable"], {"input": {**rest, "turn": turn}, **beside})
        parts = {"turn": turn, "key": rest.get("key"), "id": rest.get("gameId"), "at": rest.get("expectedVersion")}
        alike(asked, DOCUMENTS["its parts in variables"], parts)
