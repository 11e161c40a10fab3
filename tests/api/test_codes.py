"""The page that lists every code with which the service says no: written anew with `--golden`, otherwise compared."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import domain
import schema
import service
from domain import game
from domain.catalogue import NEWEST
from schema import errors
from service import texts

PAGE = Path(schema.__file__).with_name("CODES.md")

HEAD = """# Codes

Whatever is not accepted says so with a stable code; the English beside it may change. A *refusal* (`Refusal`, or
`Receipt.refusal` of a receipt that is REFUSED) carries the facts that stand in braces; an *error* of GraphQL carries
them in `extensions.facts`, beside `extensions.code`. This page is written from the code by `make golden`.
"""


def page() -> str:
    parts = [
        HEAD,
        _part("Refusals before a game is asked", texts.REFUSALS),
        _part("Refusals of every game", game.REFUSALS),
        *(_part(f"Refusals of {ruleset.title}", ruleset.refusals) for ruleset in NEWEST.values()),
        _part("Errors of GraphQL", {**errors.MESSAGES, **errors.OF_A_DOCUMENT}),
    ]
    return "\n".join(parts)


def _part(title: str, meanings: Mapping[str, str]) -> str:
    rows = (f"| `{code}` | {meaning} |" for code, meaning in sorted(meanings.items()))
    return "\n".join((f"## {title}", "", "| code | means |", "|---|---|", *rows, ""))


def test_the_page_lists_every_code(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--golden"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page(), "run `make golden`"


def test_every_code_that_the_code_names_is_on_the_page() -> None:
    listed = page()
    missing = {code for code in _codes_named() if f"| `{code}` |" not in listed}
    assert not missing


def _codes_named() -> Iterator[str]:
    """The first argument of everything that refuses by a code."""
    refusing = {"Refused", "refusal_of", "bad_request", "_error", "_coded", "_refused"}
    for package in (domain, service, schema):
        for file in Path(str(package.__file__)).parent.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in refusing:
                    yield from (
                        str(argument.value)
                        for argument in node.args
                        if isinstance(argument, ast.Constant) and str(argument.value).isupper()
                    )
