"""What is published over plain HTTP, as JSON for whoever checks us: keys, checkpoints and their proofs."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from schema import ids
from schema.context import context_of
from schema.errors import AWAY, BadRequest, bad_request, internal, unavailable
from schema.request import JSON
from service.checkpoints import Checkpoint
from service.slowlight import Slowlight

KEYS: Final = "/.well-known/slowlight-keys.json"
NEWEST: Final = "newest"
NUMBER_MAX: Final = 2**31 - 1

OPEN_TO_PAGES: Final = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}
"""Nothing here depends on who asks but an anchor, which is asked for with a token and never with a cookie."""


def published(service: Slowlight) -> list[Route]:
    """The routes, each a GET that answers with JSON."""
    one = "/checkpoints/{number}"
    routes: dict[str, Callable[[Slowlight, Request], Awaitable[Any]]] = {
        KEYS: _keys,
        f"{one}.json": _checkpoint,
        f"{one}/consistency/{{since}}.json": _consistency,
        f"{one}/leaves/{{start}}.json": _leaves,
        f"{one}/games/{{game}}.json": _anchor,
    }
    return [Route(path, _answering(service, answer), methods=["GET"]) for path, answer in routes.items()]


def _answering(
    service: Slowlight, answer: Callable[[Slowlight, Request], Awaitable[Any]]
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            return _response(200, await answer(service, request))
        except BadRequest as bad:
            return _refused(bad)
        except AWAY as away:
            return _refused(unavailable(away))
        except Exception as error:  # noqa: BLE001 - a bug is logged and answered
            return _refused(internal(error))

    return endpoint


async def _keys(service: Slowlight, _request: Request) -> Any:
    return (await service.public.keys()).json()


async def _checkpoint(service: Slowlight, request: Request) -> Any:
    return (await _asked_for(service, request)).json()


async def _consistency(service: Slowlight, request: Request) -> Any:
    newer, since = await _asked_for(service, request), _number(request, "since")
    path = await service.public.consistency(newer, since)
    return {"since": since, "number": newer.number, "path": _found(path)}


async def _leaves(service: Slowlight, request: Request) -> Any:
    made, start = await _asked_for(service, request), _number(request, "start")
    return {"start": start, "size": made.size, "leaves": await service.public.leaves(made, start)}


async def _anchor(service: Slowlight, request: Request) -> Any:
    made, game = await _asked_for(service, request), ids.game_of(request.path_params["game"])
    context = await context_of(service, request.headers.get("authorization"))
    seen = await service.game(context.player, _found(game))
    return _found(await service.public.anchor(_found(seen), made.number)).json()


async def _asked_for(service: Slowlight, request: Request) -> Checkpoint:
    is_newest = request.path_params["number"] == NEWEST
    made: Checkpoint = _found(await service.public.checkpoint(None if is_newest else _number(request, "number")))
    return made


def _number(request: Request, name: str) -> int:
    text = request.path_params[name]
    if not (text.isascii() and text.isdecimal() and len(text) <= 10 and int(text) <= NUMBER_MAX):
        raise bad_request(404, "NOT_FOUND")
    return int(text)


def _found(value: Any) -> Any:
    if value is None:
        raise bad_request(404, "NOT_FOUND")
    return value


def _refused(bad: BadRequest) -> Response:
    return _response(bad.status or 400, {"errors": bad.errors}, bad.headers)


def _response(status: int, content: Any, headers: Any = None) -> Response:
    body = json.dumps(content, ensure_ascii=False, indent=1).encode()
    return Response(body + b"\n", status, {**OPEN_TO_PAGES, **(headers or {})}, JSON)
