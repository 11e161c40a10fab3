"""GraphQL errors: each with a stable `extensions.code`; a bug is INTERNAL with an id that stands in the log too."""

from collections.abc import Mapping
from secrets import token_hex
from traceback import extract_tb
from typing import Any, Final

import structlog
from graphql import FieldNode, GraphQLError, GraphQLFormattedError, GraphQLSyntaxError
from psycopg import OperationalError

from domain.ruleset import Refused
from service.seen import BadCursor, Refusal
from service.writer import Unavailable

MESSAGES: Final[Mapping[str, str]] = {
    "AT_TWICE": "Ask for a version with `at` or for a time with `atTime`, not for both.",
    "BAD_CURSOR": "`after` and `before` take cursors of the same connection.",
    "BAD_JSON": "This is not JSON in UTF-8.",
    "BAD_PAGE": "A page is asked for with `first` or with `last`, not with both.",
    "BAD_REQUEST": "A request is an object with a `query`, and may have `variables`, `operationName`, `extensions`.",
    "BAD_TEXT": "A string holds NUL or half a character.",
    "BODY_TOO_LARGE": "A request is at most {most} bytes long.",
    "METHOD_NOT_ALLOWED": "Send queries by GET or POST, everything else by POST.",
    "NOT_ACCEPTABLE": "Answers are application/graphql-response+json or application/json.",
    "NOT_FOUND": "There is nothing here, or it is not for you.",
    "NO_SIGNING_KEY": "There is no key in use here to sign a bundle with.",
    "PAGE_OUT_OF_RANGE": "A page has {least} to {most} items, not {given}.",
    "STREAM_ONLY": "A subscription is answered as text/event-stream, or over WebSocket as graphql-transport-ws.",
    "TOO_DEEP": "The request nests too deeply: at most {most}.",
    "TOO_MANY_CONNECTIONS": "You hold {most} connections open; close one first.",
    "TOO_MANY_NAMES": "A filter takes at most {most} names.",
    "TOO_MANY_SUBSCRIPTIONS": "A connection carries at most {most} operations at a time.",
    "TRY_LATER": "This process takes no more connections; try again soon.",
    "UNAUTHENTICATED": "The bearer token is not valid; leave it out to look around without one.",
    "UNAVAILABLE": "The database is away; try again soon. A turn that was answered with a receipt is safe.",
    "UNKNOWN_OPERATION": "Name one operation of the document in `operationName`.",
    "UNSUPPORTED_MEDIA_TYPE": "Send application/json in UTF-8.",
}
"""The codes of requests that are refused as a whole, and of fields that cannot be answered; facts fill the braces."""

OF_A_DOCUMENT: Final[Mapping[str, str]] = {
    "BAD_USER_INPUT": "A value in the document or in its variables is not of the type it has to be.",
    "DOCUMENT_TOO_LONG": "The document has too many tokens.",
    "GRAPHQL_PARSE_FAILED": "The document is not GraphQL.",
    "GRAPHQL_VALIDATION_FAILED": "The document does not fit the schema.",
    "INTERNAL": "A bug of ours; `errorId` stands in our log too.",
    "TOO_MANY_ALIASES": "The document asks for too many fields under names of its own.",
    "TOO_MANY_ITEMS": "The pages that the document asks for could hold too many items.",
}
"""What the codes mean whose message says where in the document, or in our code, it went wrong."""

RETRY_SECONDS: Final = 2

AWAY: Final = (OperationalError, Unavailable)
"""What the service raises where the database is away."""

_log = structlog.get_logger(__name__)


class BadRequest(Exception):
    """A request that gets no execution: its errors, and headers beside them.

    `status` is the HTTP status; None where HTTP was well and the document is at fault.
    """

    def __init__(
        self, status: int | None, errors: list[GraphQLFormattedError], headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status)
        self.status = status
        self.errors = errors
        self.headers = headers or {}


def bad_request(status: int | None, code: str, headers: Mapping[str, str] | None = None, **facts: Any) -> BadRequest:
    """A request refused for one reason."""
    return BadRequest(status, [_refused(code, facts)], headers)


def refused_request(status: int, refused: Refused) -> BadRequest:
    """A request refused for what the domain calls a refusal."""
    return BadRequest(status, [_refused(refused.code, refused.facts)])


def refused_stream(refusal: Refusal) -> BadRequest:
    """A stream that the service refuses, from the start or any longer."""
    extensions = {"code": refusal.code, "facts": dict(refusal.facts)}
    return BadRequest(None, [{"message": refusal.message, "extensions": extensions}])


def unavailable(error: Exception) -> BadRequest:
    """A request that the database was not there for."""
    _log.warning("unavailable", error=type(error).__name__)
    return BadRequest(503, [_refused("UNAVAILABLE", {})], {"Retry-After": str(RETRY_SECONDS)})


def internal(error: BaseException) -> BadRequest:
    """A request that met a bug of ours."""
    return BadRequest(500, [_internal(error)])


def failed(error: Exception) -> BadRequest:
    """What ended a request or a stream, as it is told to whoever asked."""
    if isinstance(error, BadRequest):
        return error
    return unavailable(error) if isinstance(error, AWAY) else internal(error)


def document_errors(errors: list[GraphQLError]) -> list[GraphQLFormattedError]:
    """Errors of a document that does not parse or is not valid."""
    return [_coded(error, _document_code(error)) for error in errors]


def execution_error(error: GraphQLError) -> GraphQLFormattedError:
    """An error of an execution. What is not known to be the sender's doing is ours."""
    match error.original_error:
        case Refused() as refused:
            return {**error.formatted, **_refused(refused.code, refused.facts)}
        case BadCursor():
            return {**error.formatted, **_refused("BAD_CURSOR", {})}
        case OperationalError() | Unavailable() as away:
            return {**error.formatted, **unavailable(away).errors[0]}
    if error.path is None or _is_about_an_argument(error):
        return _coded(error, "BAD_USER_INPUT")
    return {**error.formatted, **_internal(error.original_error or error)}


def is_unavailable(error: GraphQLFormattedError) -> bool:
    """Whether the answer is to come back later."""
    return error.get("extensions", {}).get("code") == "UNAVAILABLE"


def _refused(code: str, facts: Mapping[str, Any]) -> GraphQLFormattedError:
    return {"message": MESSAGES[code].format_map(facts), "extensions": {"code": code, "facts": dict(facts)}}


def _coded(error: GraphQLError, code: str) -> GraphQLFormattedError:
    return {**error.formatted, "extensions": {"code": code, **(error.extensions or {})}}


def _document_code(error: GraphQLError) -> str:
    if not isinstance(error, GraphQLSyntaxError):
        return "GRAPHQL_VALIDATION_FAILED"
    return "DOCUMENT_TOO_LONG" if "more than" in error.message and "tokens" in error.message else "GRAPHQL_PARSE_FAILED"


def _is_about_an_argument(error: GraphQLError) -> bool:
    """Whether the error points into the document at a value that was given, not at a field that could not be served."""
    is_of_graphql = isinstance(error.original_error, GraphQLError | None)
    return is_of_graphql and any(not isinstance(node, FieldNode) for node in error.nodes or ())


def _internal(error: BaseException) -> GraphQLFormattedError:
    """Logged by type and place, for what an exception says may hold what a log must not; and once, whoever met it."""
    error_id = vars(error).get("error_id")
    if error_id is None:
        error_id = vars(error)["error_id"] = token_hex(8)
        places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in extract_tb(error.__traceback__)]
        _log.error("internal_error", error_id=error_id, error=type(error).__name__, places=places)
    message = f"Something broke on our side. Whoever mends it will want to know this id: {error_id}."
    return {"message": message, "extensions": {"code": "INTERNAL", "errorId": error_id}}
