"""Events are read back as they were written, and those of an older shape in the newest one."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import ValidationError

from domain.canonical import canonical
from domain.catalogue import CATALOGUE
from domain.ruleset import HIDDEN, Secret
from domain.stream import Fact, Row, Seal
from service.codec import Codec

HASH = bytes(32)


@dataclass(frozen=True, slots=True)
class Told:
    """What was a `text`, first in one language, is a `word` and a `loud`ness."""

    SCHEMA: ClassVar = 3

    seat: int
    word: Secret[tuple[str, ...]]
    loud: bool = False


def from_text(given: dict[str, Any]) -> dict[str, Any]:
    text = given.pop("text")
    return {**given, "word": {**text, "value": text["value"] if text["value"] is HIDDEN else text["value"].split()}}


def with_loudness(given: dict[str, Any]) -> dict[str, Any]:
    return {**given, "loud": given["seat"] == 1}


CODEC = Codec(
    replace(CATALOGUE["gravwell", 1], events=(Told,), upcasts={("told", 1): from_text, ("told", 2): with_loudness})
)


def row(schema: int, data: dict[str, Any], sealed: dict[str, Any], secret: dict[str, Any] | None) -> Row:
    public = {
        "cause": {"first": 7},
        "data": data,
        "name": "gravwell.told",
        "schema": schema,
        "sealed": {name: {"c": "00", "to": to} for name, to in sealed.items()},
    }
    return Row(8, canonical(public), None if secret is None else canonical(secret), HASH, HASH)


def test_an_event_of_an_older_shape_is_read_in_the_newest() -> None:
    stored = row(1, {"seat": 1}, {"text": [0, 1]}, {"text": "by all means"})
    assert CODEC.event(stored) == Told(1, Secret(("by", "all", "means"), (0, 1)), loud=True)


def test_each_shape_is_brought_on_from_where_it_stands() -> None:
    stored = row(2, {"seat": 0}, {"word": [0]}, {"word": ["by"]})
    assert CODEC.event(stored) == Told(0, Secret(("by",), (0,)), loud=False)


@pytest.mark.parametrize(("schema", "name"), [(1, "text"), (2, "word"), (3, "word")])
def test_what_is_not_known_stays_hidden_in_every_shape(schema: int, name: str) -> None:
    assert CODEC.event(row(schema, {"seat": 1, "loud": True}, {name: [0]}, None)).word == Secret(HIDDEN, (0,))


def test_a_field_that_an_event_was_written_without_has_its_default() -> None:
    assert CODEC.event(row(3, {"seat": 2}, {"word": []}, {"word": []})) == Told(2, Secret((), ()))


def test_the_command_sealed_beside_a_field_is_no_part_of_the_event() -> None:
    stored = row(3, {"seat": 2}, {"word": [2]}, {"$command": {"say": {"loud": True}}, "word": ["so"]})
    assert CODEC.event(stored) == Told(2, Secret(("so",), (2,)))


@pytest.mark.parametrize(
    ("data", "secret"), [({"seat": "2"}, ["so"]), ({"seat": 2}, "so"), ({}, ["so"]), ({"seat": 2.5}, ["so"])]
)
def test_what_is_not_of_the_shape_of_its_name_is_not_read(data: dict[str, Any], secret: Any) -> None:
    with pytest.raises(ValidationError):
        CODEC.event(row(3, data, {"word": [2]}, {"word": secret}))


def test_a_fact_of_an_older_shape_is_brought_to_the_newest_with_whatever_else_is_in_it() -> None:
    sealed = {"text": Seal("by all means", (0, 1)), "note": Seal("x", ())}
    assert CODEC.newest(Fact("gravwell.told", 1, {"seat": 1, "more": 2}, sealed)) == Fact(
        "gravwell.told",
        3,
        {"seat": 1, "loud": True, "more": 2, "note": {"value": "x", "to": []}},
        {"word": Seal(["by", "all", "means"], (0, 1))},
    )


def test_a_shape_that_is_not_known_yet_is_brought_nowhere() -> None:
    with pytest.raises(ValueError, match="do not write"):
        CODEC.newest(Fact("gravwell.told", 4, {"seat": 1}, {}))


@given(
    seat=st.integers(0, 3),
    word=st.lists(st.text(st.characters(exclude_categories=["Cs"]))),
    to=st.lists(st.integers(0, 3)),
    loud=st.booleans(),
)
def test_what_is_written_is_read(seat: int, word: list[str], to: list[int], loud: bool) -> None:
    told = Told(seat, Secret(tuple(word), tuple(to)), loud)
    fact = CODEC.fact(told)
    sealed = {name: list(seal.to) for name, seal in fact.sealed.items()}
    secret = {name: seal.value for name, seal in fact.sealed.items()}
    assert CODEC.event(row(3, dict(fact.data), sealed, secret)) == told
