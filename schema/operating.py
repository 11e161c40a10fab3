"""What those who run the service ask of a process, beside GraphQL: is it alive, is it ready, and how does it do."""

from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from schema.connections import Connections
from service.metrics import exposition
from service.slowlight import Slowlight

FRESH: Final = {"Cache-Control": "no-store"}


def operating_routes(service: Slowlight, connections: Connections) -> list[Route]:
    """`/healthz`, `/readyz` and `/metrics`."""

    async def healthz(_request: Request) -> Response:
        return PlainTextResponse("alive\n", headers=FRESH)

    async def readyz(_request: Request) -> Response:
        if connections.is_draining:
            return PlainTextResponse("draining\n", 503, FRESH)
        standing = await service.standing()
        is_ready = bool(standing["database_up"])
        return PlainTextResponse("ready\n" if is_ready else "the database is away\n", 200 if is_ready else 503, FRESH)

    async def metrics(_request: Request) -> Response:
        return Response(exposition(await service.standing()), headers=FRESH, media_type=CONTENT_TYPE_LATEST)

    return [Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", metrics)]
