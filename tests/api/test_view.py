"""GraphQL over HTTP, as the clients of the world speak it: what is asked, and how it is refused."""

import json
from typing import Any

import httpx
import pytest

from schema.limits import BODY_BYTES_MAX
from tests.api.asking import Person

JSON = "application/json"
GRAPHQL = "application/graphql-response+json"
ME = {"query": "{ me { handle } }"}


def code(answer: httpx.Response) -> str:
    """The code of the one error of an answer; whatever happens, the answer has the shape GraphQL gives it."""
    assert answer.headers["content-type"] in (JSON, GRAPHQL)
    (error,) = answer.json()["errors"]
    assert error["message"]
    assert "data" not in answer.json()
    return str(error["extensions"]["code"])


def post(person: Person, content: bytes | str, content_type: str = JSON, **headers: str) -> httpx.Response:
    return person.post("/graphql", content=content, headers={"Content-Type": content_type, **headers})


def test_a_query_comes_by_post(ann: Person) -> None:
    answer = ann.post("/graphql", json=ME)
    assert (answer.status_code, answer.headers["content-type"]) == (200, JSON)
    assert answer.json() == {"data": {"me": {"handle": ann.handle}}}
    assert answer.headers["cache-control"] == "no-store"


def test_a_query_comes_by_get_with_variables_and_a_name(ann: Person) -> None:
    query = "query A { __typename } query B($id: ID!) { node(id: $id) { id } }"
    answer = ann.get("/graphql", params={"query": query, "variables": '{"id": "x"}', "operationName": "B"})
    assert answer.json() == {"data": {"node": None}}


def test_a_mutation_never_comes_by_get(nobody: Person) -> None:
    query = 'mutation { register(input: {handle: "by-get"}) { __typename } }'
    answer = nobody.get("/graphql", params={"query": query})
    assert (answer.status_code, code(answer), answer.headers["allow"]) == (405, "METHOD_NOT_ALLOWED", "POST")
    answer = nobody.get(
        "/graphql",
        params={"query": f"query Q {{ __typename }} {query.replace('mutation', 'mutation M')}", "operationName": "M"},
    )
    assert (answer.status_code, code(answer)) == (405, "METHOD_NOT_ALLOWED")
    assert nobody.ask(query)["register"]["__typename"] == "Registered"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_there_are_no_other_methods(nobody: Person, method: str) -> None:
    answer = nobody.request(method, "/graphql", json=ME)
    assert (answer.status_code, code(answer), answer.headers["allow"]) == (405, "METHOD_NOT_ALLOWED", "GET, POST")


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("*/*", JSON),
        ("application/*", JSON),
        (JSON, JSON),
        (GRAPHQL, GRAPHQL),
        (f"{GRAPHQL}, {JSON}", GRAPHQL),
        (f"{GRAPHQL};q=0.5, {JSON}", JSON),
        (f"{GRAPHQL}; charset=utf-8, {JSON};q=0.9", GRAPHQL),
        ("text/html, */*;q=0.1", JSON),
        (f"{GRAPHQL};q=x, {JSON};q=0.1", JSON),
    ],
)
def test_the_answer_comes_in_a_type_that_is_accepted(nobody: Person, accept: str, content_type: str) -> None:
    answer = nobody.post("/graphql", json=ME, headers={"Accept": accept})
    assert (answer.status_code, answer.headers["content-type"]) == (200, content_type)


@pytest.mark.parametrize("accept", ["text/html", "application/json;q=0", ""])
def test_who_accepts_neither_type_is_told(nobody: Person, accept: str) -> None:
    answer = nobody.post("/graphql", json=ME, headers={"Accept": accept})
    assert (answer.status_code, code(answer)) == (406, "NOT_ACCEPTABLE")


@pytest.mark.parametrize("body", ["{", "{ nothing }", "{ me { handle } } query Q { __typename }"])
def test_a_document_at_fault_is_400_only_to_those_who_accept_the_newer_type(nobody: Person, body: str) -> None:
    for accept, status in ((JSON, 200), (GRAPHQL, 400)):
        answer = nobody.post("/graphql", json={"query": body}, headers={"Accept": accept})
        assert answer.status_code == status
        assert code(answer).startswith("GRAPHQL_")


def test_a_variable_that_does_not_fit_is_a_fault_of_the_document_too(nobody: Person) -> None:
    body = {"query": "query ($id: ID!) { node(id: $id) { id } }", "variables": {"id": {}}}
    for accept, status in ((JSON, 200), (GRAPHQL, 400)):
        answer = nobody.post("/graphql", json=body, headers={"Accept": accept})
        assert (answer.status_code, code(answer)) == (status, "BAD_USER_INPUT")


@pytest.mark.parametrize("name", [None, "C", "a"])
def test_one_of_several_operations_is_named(nobody: Person, name: str | None) -> None:
    query = "query A { __typename } query B { me { id } }"
    assert nobody.post("/graphql", json={"query": query, "operationName": "A"}).json()["data"] == {
        "__typename": "Query"
    }
    assert code(nobody.post("/graphql", json={"query": query, "operationName": name})) == "UNKNOWN_OPERATION"


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/graphql", "",
     "application/json; charset=utf-16", "application/jsonx"],
)  # fmt: skip
def test_what_a_form_could_send_is_not_taken(nobody: Person, content_type: str) -> None:
    answer = post(nobody, json.dumps(ME), content_type)
    assert (answer.status_code, code(answer)) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_json_may_say_that_it_is_utf_8(nobody: Person) -> None:
    assert post(nobody, json.dumps(ME), 'Application/JSON; Charset="UTF-8"').status_code == 200


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"query", b'{"query": "\xff"}', b'{"query": NaN}', b'{"query": "{ __typename }"} x', b"\xef\xbb\xbf{}",
     b'{"variables": {"wait": 1e999}}', b'{"variables": ' + b"9" * 5000 + b"}",
     b"[" * 100_000, b'{"query": "' + b"\x00" + b'"}', b"{'query': ''}"],
)  # fmt: skip
def test_what_is_not_json_is_said_not_to_be(nobody: Person, body: bytes) -> None:
    answer = post(nobody, body)
    assert (answer.status_code, code(answer)) == (400, "BAD_JSON")


@pytest.mark.parametrize(
    "body",
    [[], [ME], "{ me { handle } }", 1, None, {}, {"query": None}, {"query": 1}, {"query": ["{ me }"]},
     {**ME, "variables": []}, {**ME, "variables": "{}"}, {**ME, "operationName": 1}, {**ME, "extensions": []}],
)  # fmt: skip
def test_json_of_another_shape_is_no_request(nobody: Person, body: Any) -> None:
    answer = post(nobody, json.dumps(body))
    assert (answer.status_code, code(answer)) == (400, "BAD_REQUEST")


@pytest.mark.parametrize("params", [{}, {"variables": "{}"}, {"query": "{ __typename }", "variables": "[]"}])
def test_a_get_without_a_query_is_no_request(nobody: Person, params: dict[str, str]) -> None:
    answer = nobody.get("/graphql", params=params)
    assert (answer.status_code, code(answer)) == (400, "BAD_REQUEST")


@pytest.mark.parametrize("text", ["\\u0000", "\\ud800", "x\\udc00y"])
def test_no_string_of_a_request_holds_nul_or_half_a_character(nobody: Person, text: str) -> None:
    for body in (
        f'{{"query": "query ($id: ID!) {{ node(id: $id) {{ id }} }}", "variables": {{"id": "{text}"}}}}',
        f'{{"query": "{{ me {{ id }} }} # {text}"}}',
        f'{{"query": "{{ __typename }}", "operationName": "{text}"}}',
        f'{{"query": "{{ __typename }}", "variables": {{"{text}": 1}}}}',
        f'{{"query": "{{ __typename }}", "{text}": 1}}',
    ):
        answer = post(nobody, body)
        assert (answer.status_code, code(answer)) == (400, "BAD_TEXT")


def test_a_whole_character_beyond_the_first_plane_is_text(nobody: Person) -> None:
    body = '{"query": "query ($id: ID!) { node(id: $id) { id } }", "variables": {"id": "\\ud83c\\udfb2"}}'
    assert post(nobody, body).json() == {"data": {"node": None}}


def test_json_that_nests_too_deeply_is_refused(nobody: Person) -> None:
    deep: Any = "bottom"
    for _ in range(40):
        deep = {"a": [deep]}
    answer = post(nobody, json.dumps({**ME, "variables": deep}))
    assert (answer.status_code, code(answer)) == (400, "TOO_DEEP")


def padded(length: int) -> bytes:
    """A request of so many bytes."""
    return json.dumps(ME).encode().ljust(length)


def test_a_body_may_be_256_kib_long_and_no_longer(nobody: Person) -> None:
    assert post(nobody, padded(BODY_BYTES_MAX)).status_code == 200
    answer = post(nobody, padded(BODY_BYTES_MAX + 1))
    assert (answer.status_code, code(answer)) == (413, "BODY_TOO_LARGE")
    assert answer.json()["errors"][0]["extensions"]["facts"] == {"most": 256 * 1024}


def test_a_body_that_does_not_say_how_long_it_is_may_be_no_longer_either(nobody: Person) -> None:
    chunks = (b" " * 1024 for _ in range(BODY_BYTES_MAX // 1024 + 1))
    answer = nobody.post("/graphql", content=chunks, headers={"Content-Type": JSON})
    assert (answer.status_code, code(answer)) == (413, "BODY_TOO_LARGE")


@pytest.mark.parametrize(
    "authorization", ["Bearer wrong", "Bearer", "Basic YTpi", "", "bearer é", "Bearer " + "x" * 3000]
)
def test_a_token_that_is_not_valid_is_never_taken_for_no_token(nobody: Person, authorization: str) -> None:
    answer = nobody.post("/graphql", json=ME, headers={b"Authorization": authorization.encode()})
    assert (answer.status_code, code(answer)) == (401, "UNAUTHENTICATED")
    assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'


def test_the_scheme_of_a_token_may_be_written_in_any_case(ann: Person, nobody: Person) -> None:
    answer = nobody.post("/graphql", json=ME, headers={"Authorization": f"bearer {ann.token}"})
    assert answer.json()["data"] == {"me": {"handle": ann.handle}}


def test_who_sends_no_token_may_look_around(nobody: Person) -> None:
    assert nobody.ask("{ me { id } myTokens { id } rulesets { name } }")["me"] is None


def test_a_page_of_another_site_learns_nothing(nobody: Person) -> None:
    answer = nobody.post("/graphql", json=ME, headers={"Origin": "https://elsewhere.example"})
    assert not any(name.startswith("access-control") for name in answer.headers)
