"""Bundles over HTTP: one game in one file, to whoever may see the game."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from schema.context import context_of
from schema.errors import AWAY, BadRequest, bad_request, internal, refused_stream, unavailable
from schema.ids import game_of
from schema.request import JSON
from schema.view import failure
from service.exporting import NoKey
from service.slowlight import Slowlight
from service.texts import refusal_of

JSON_LINES: Final = "application/jsonl"


class Bundles:
    """The endpoint `/bundles/<id of a game>.jsonl`, as an ASGI application."""

    def __init__(self, service: Slowlight) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        response = await self._response(Request(scope, receive))
        await response(scope, receive, send)

    async def _response(self, request: Request) -> Response:
        try:
            return await self._bundle(request)
        except BadRequest as bad:
            return failure(bad, JSON)
        except NoKey:
            return failure(bad_request(503, "NO_SIGNING_KEY"), JSON)
        except AWAY as away:
            return failure(unavailable(away), JSON)
        except Exception as error:  # noqa: BLE001  (a bug is logged and answered)
            return failure(internal(error), JSON)

    async def _bundle(self, request: Request) -> Response:
        """The bundle; a game that is unknown, misspelt or not for this viewer is not found, all three alike."""
        context = await context_of(self._service, request.headers.get("authorization"))
        name = request.path_params["name"]
        game_id = game_of(name.removesuffix(".jsonl")) if name.endswith(".jsonl") else None
        lines = None if game_id is None else await self._service.bundle(context.player, game_id)
        if lines is None:
            raise BadRequest(404, refused_stream(refusal_of("UNKNOWN_GAME")).errors)
        headers = {"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(lines, 200, headers, JSON_LINES)
