"""GraphQL over server-sent events: graphql-sse in its mode of distinct connections, one operation a request."""

import asyncio
import json
from contextlib import aclosing
from typing import Final

from graphql import OperationType
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from schema.connections import FINISH_SECONDS_MAX, Connections
from schema.errors import BadRequest, bad_request, failed
from schema.operations import Operation, Operations
from schema.request import EVENT_STREAM, JSON, asked
from schema.view import failure
from service.ending import ended

ALIVE_SECONDS: Final = 12.0
"""How often a comment tells all between here and the client that the stream is alive."""

HEADERS: Final = [
    (b"content-type", f"{EVENT_STREAM}; charset=utf-8".encode()),
    (b"cache-control", b"no-store, no-transform"),
    (b"x-accel-buffering", b"no"),
]
COMPLETE: Final = b"event: complete\ndata:\n\n"
"""The end of an operation. A stream that ends without it was cut, and is to be asked for again."""


class EventStreams:
    """The endpoint for those who accept text/event-stream, as an ASGI application."""

    def __init__(self, operations: Operations, connections: Connections) -> None:
        self._operations = operations
        self._connections = connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one operation to its end, unless its sender has gone."""
        if self._connections.is_full:
            await failure(_try_later(), JSON)(scope, receive, send)
            return
        stream = _Stream(receive, send)
        with self._connections.holding(stream):
            try:
                await self._serve(stream, scope, receive, send)
            finally:
                stream.over.set()

    async def _serve(self, stream: "_Stream", scope: Scope, receive: Receive, send: Send) -> None:
        try:
            operation = await self._begun(Request(scope, receive))
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - a bug is logged and answered
            bad = failed(error)
            await (stream.refuse(bad) if bad.status is None else failure(bad, JSON)(scope, receive, send))
            return
        try:
            await stream.run(operation)
        finally:
            self._connections.dismiss(operation.context.player)

    async def _begun(self, request: Request) -> Operation:
        operation = await self._operations.begun(await asked(request), request.headers.get("authorization"))
        if request.method == "GET" and operation.kind is OperationType.MUTATION:
            raise bad_request(405, "METHOD_NOT_ALLOWED", {"Allow": "POST"})
        if self._connections.is_draining:
            raise _try_later()
        self._connections.admit(operation.context.player)
        return operation


def _try_later() -> BadRequest:
    return bad_request(503, "TRY_LATER", {"Retry-After": "1"})


class _Stream:
    """One response that goes on."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._leaving = asyncio.Event()
        self.over = asyncio.Event()

    async def run(self, operation: Operation) -> None:
        """Send answers until there are no more, nobody listens, or it is sent away and what is finite has ended."""
        await self._start()
        answering, gone, leaving, alive = (
            asyncio.create_task(one)
            for one in (self._answer(operation), self._gone(), self._leaving.wait(), self._tell_alive())
        )
        try:
            await asyncio.wait([answering, gone, leaving], return_when=asyncio.FIRST_COMPLETED)
            if operation.kind is not OperationType.SUBSCRIPTION:
                ends = [answering, gone]
                await asyncio.wait(ends, timeout=FINISH_SECONDS_MAX, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await ended(answering, gone, leaving, alive)
            await self._end()

    async def refuse(self, bad: BadRequest) -> None:
        """Answer with errors alone."""
        await self._start()
        await self._write(_failed(bad) + COMPLETE)
        await self._end()

    async def send_away(self) -> None:
        """End it without a word: the client comes back, to another process, with its last version."""
        self._leaving.set()
        await self.over.wait()

    async def _answer(self, operation: Operation) -> None:
        try:
            async with aclosing(operation.answers()) as answers:
                async for text in answers:
                    await self._write(f"event: next\ndata: {text}\n\n".encode())
        except Exception as error:  # noqa: BLE001 - a bug is logged and answered
            await self._write(_failed(failed(error)))
        await self._write(COMPLETE)

    async def _tell_alive(self) -> None:
        while True:
            await asyncio.sleep(ALIVE_SECONDS)
            await self._write(b":\n\n")

    async def _gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _start(self) -> None:
        await self._send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await self._write(b":\n\n")  # headers go out with the first bytes

    async def _write(self, chunk: bytes) -> None:
        await self._send({"type": "http.response.body", "body": chunk, "more_body": True})

    async def _end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _failed(bad: BadRequest) -> bytes:
    content = json.dumps({"errors": bad.errors}, ensure_ascii=False, separators=(",", ":"))
    return f"event: next\ndata: {content}\n\n".encode()
