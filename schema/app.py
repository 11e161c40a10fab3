"""The HTTP application."""

from itertools import count
from secrets import token_hex
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from structlog.contextvars import bind_contextvars

from schema.bundles import Bundles
from schema.connections import Connections, Terms
from schema.event_streams import EventStreams
from schema.operating import operating_routes
from schema.operations import Operations
from schema.published import published
from schema.request import wants_events
from schema.sockets import Sockets
from schema.types import BUNDLES
from schema.view import GraphQLView
from service.slowlight import Slowlight


def make_app(service: Slowlight, connections: Connections | None = None) -> Starlette:
    """The application over a running service, whose life is the caller's; so is the end of `connections`."""
    connections, operations = connections or Connections(Terms()), Operations(service)
    endpoint = _Endpoint(GraphQLView(service), EventStreams(operations, connections))
    sockets = Sockets(operations, connections)
    routes = [
        Route("/graphql", endpoint),
        WebSocketRoute("/graphql", sockets),
        Route(f"{BUNDLES}/{{name}}", Bundles(service), methods=["GET"]),
        *published(service),
        *operating_routes(service, connections),
    ]
    return Starlette(routes=routes, middleware=_for_pages_of(connections.terms.origins))


def _for_pages_of(origins: tuple[str, ...]) -> list[Middleware]:
    """What lets web pages of other origins ask; a page needs no cookies here, but sends its token itself."""
    if not origins:
        return []
    told = ("Retry-After", "WWW-Authenticate")
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_headers=("*",),
            allow_methods=("GET", "POST"),
            expose_headers=told,
        )
    ]


class _Endpoint:
    """One address for all: who accepts a stream of events gets one."""

    def __init__(self, view: GraphQLView, streams: EventStreams) -> None:
        self._view = view
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        bind_contextvars(request=next(_names))  # what is logged meanwhile can be told apart
        accept = Headers(scope=scope).get("accept")
        await (self._streams if wants_events(accept) else self._view)(scope, receive, send)


_names: Final = map(f"{token_hex(4)}-{{}}".format, count(1))
"""Names for the requests to this process, each of which is a task with a context of its own."""
