"""GraphQL over HTTP: a thin view."""

import json
from collections.abc import Mapping
from typing import Any, Final

from graphql import ExecutionResult, OperationType
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from schema.context import context_of
from schema.documents import document
from schema.errors import (
    AWAY,
    RETRY_SECONDS,
    BadRequest,
    bad_request,
    execution_error,
    internal,
    is_unavailable,
    unavailable,
)
from schema.executing import executed
from schema.request import GRAPHQL_RESPONSE, JSON, accepted, asked
from service.slowlight import Slowlight

DOCUMENT_STATUS: Final = {JSON: 200, GRAPHQL_RESPONSE: 400}
"""The HTTP status of a document that is refused: old clients look for GraphQL errors only where it is 200."""


class GraphQLView:
    """The endpoint, as an ASGI application.

    It needs no guard against forged requests but this: who asks stands in the Authorization header, which a foreign
    page cannot set; there are no cookies; and what changes something comes as application/json, which no form can send.
    """

    def __init__(self, service: Slowlight) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, unless its sender has gone."""
        try:
            response = await self._response(Request(scope, receive))
        except ClientDisconnect:
            return
        await response(scope, receive, send)

    async def _response(self, request: Request) -> Response:
        media_type = JSON
        try:
            media_type = accepted(request.headers.get("accept"))
            return _answer(await self._result(request), media_type)
        except BadRequest as bad:
            return failure(bad, media_type)
        except AWAY as away:
            return failure(unavailable(away), media_type)
        except ClientDisconnect:
            raise
        except Exception as error:  # noqa: BLE001  (a bug is logged and answered)
            return failure(internal(error), media_type)

    async def _result(self, request: Request) -> ExecutionResult:
        question = await asked(request)
        valid = document(question.query)
        operation = valid.operation(question.operation_name)
        if operation is OperationType.SUBSCRIPTION:
            raise bad_request(406, "STREAM_ONLY")
        if request.method == "GET" and operation is not OperationType.QUERY:
            raise bad_request(405, "METHOD_NOT_ALLOWED", {"Allow": "POST"})
        context = await context_of(self._service, request.headers.get("authorization"))
        result = executed(valid, question.operation_name, question.variables, context)
        return result if isinstance(result, ExecutionResult) else await result


def _answer(result: ExecutionResult, media_type: str) -> Response:
    if not result.errors:
        return _json_response(200, {"data": result.data}, media_type)
    errors = [execution_error(error) for error in result.errors]
    if all(error.path is None for error in result.errors):
        return failure(BadRequest(None, errors), media_type)
    headers = {"Retry-After": str(RETRY_SECONDS)} if any(map(is_unavailable, errors)) else {}
    return _json_response(503 if headers else 200, {"errors": errors, "data": result.data}, media_type, headers)


def failure(bad: BadRequest, media_type: str) -> Response:
    """The response to a request that gets no execution."""
    status = DOCUMENT_STATUS[media_type] if bad.status is None else bad.status
    return _json_response(status, {"errors": bad.errors}, media_type, bad.headers)


def _json_response(
    status: int, content: Mapping[str, Any], media_type: str, headers: Mapping[str, str] | None = None
) -> Response:
    body = _encode(content).encode()
    return Response(body, status, {"Cache-Control": "no-store", **(headers or {})}, media_type)


_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
