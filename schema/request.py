"""What an HTTP request asks for: its media types, its body within limits, and the JSON in it."""

import json
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any, Final

from starlette.requests import Request

from domain.ruleset import Refused
from schema.errors import BadRequest, bad_request, refused_request
from schema.limits import BODY_BYTES_MAX, check_json, is_plain

JSON: Final = "application/json"
GRAPHQL_RESPONSE: Final = "application/graphql-response+json"
EVENT_STREAM: Final = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asks for."""

    query: str
    variables: dict[str, Any] | None
    operation_name: str | None


@lru_cache(64)
def accepted(accept: str | None) -> str:
    """The media type of the answer: the newer one for those who name it, else application/json. Raises BadRequest."""
    if accept is None:
        return JSON
    weights = dict(_weighted(accept))
    older = next((weights[name] for name in (JSON, "application/*", "*/*") if name in weights), 0.0)
    newer = weights.get(GRAPHQL_RESPONSE, 0.0)
    if not newer and not older:
        raise bad_request(406, "NOT_ACCEPTABLE")
    return GRAPHQL_RESPONSE if newer and newer >= older else JSON


@lru_cache(64)
def wants_events(accept: str | None) -> bool:
    """Whether the answer is wanted as a stream of events: it is if that is named among what is accepted."""
    return accept is not None and any(name == EVENT_STREAM and weight for name, weight in _weighted(accept))


async def asked(request: Request) -> Asked:
    """The operation that a GET or POST carries. Raises BadRequest."""
    match request.method:
        case "POST":
            _check_content_type(request.headers.get("content-type", ""))
            body = await _body(request)
            given = _json(body)
            if not is_plain(body):
                _check(given)
        case "GET":
            given = {
                name: _json(value.encode(errors="replace")) if name in ("variables", "extensions") else value
                for name, value in request.query_params.items()
            }
            _check(given)
        case _:
            raise bad_request(405, "METHOD_NOT_ALLOWED", {"Allow": "GET, POST"})
    match given:
        case {"query": str(query)} if (
            isinstance(variables := given.get("variables"), dict | None)
            and isinstance(name := given.get("operationName"), str | None)
            and isinstance(given.get("extensions"), dict | None)
        ):
            return Asked(query, variables, name or None)
    raise bad_request(400, "BAD_REQUEST")


def _weighted(accept: str) -> list[tuple[str, float]]:
    return [_weighed(entry) for entry in accept.split(",")]


def _weighed(entry: str) -> tuple[str, float]:
    media_type, *parameters = (part.strip().lower() for part in entry.split(";"))
    weights = [parameter.removeprefix("q=") for parameter in parameters if parameter.startswith("q=")]
    try:
        return media_type, float(weights[0]) if weights else 1.0
    except ValueError:
        return media_type, 0.0


@lru_cache(64)
def _check_content_type(content_type: str) -> None:
    media_type, *parameters = (part.strip().lower() for part in content_type.split(";"))
    charsets = {parameter.removeprefix("charset=").strip('"') for parameter in parameters if parameter}
    if media_type != JSON or not charsets <= {"utf-8", "utf8"}:
        raise bad_request(415, "UNSUPPORTED_MEDIA_TYPE")


async def _body(request: Request) -> bytes:
    """The body, unless it is too large: by what it says of itself, or by what comes."""
    said = request.headers.get("content-length", "0")
    if not said.isdecimal() or len(said) > 9 or int(said) > BODY_BYTES_MAX:
        raise _too_large()
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_BYTES_MAX:
            raise _too_large()
    return bytes(body)


def _too_large() -> BadRequest:
    return bad_request(413, "BODY_TOO_LARGE", {"Connection": "close"}, most=BODY_BYTES_MAX)


def _json(text: bytes) -> Any:
    try:
        return parsed(text.decode())
    except (ValueError, RecursionError):
        raise bad_request(400, "BAD_JSON") from None


def _check(given: object) -> None:
    try:
        check_json(given)
    except Refused as refused:
        raise refused_request(400, refused) from None


def _no_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are not JSON


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError(digits)
    return number


parsed: Final = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite).decode
"""The value of a JSON text from outside. Raises ValueError and RecursionError."""
