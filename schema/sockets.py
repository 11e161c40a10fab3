"""GraphQL over WebSocket: the protocol graphql-transport-ws, one connection with many operations."""

import asyncio
import json
from collections.abc import Awaitable, Generator, Mapping
from contextlib import aclosing, suppress
from types import coroutine
from typing import Any, Final

from graphql import GraphQLFormattedError, OperationType
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from domain.ruleset import Refused
from schema.connections import FINISH_SECONDS_MAX, Connections
from schema.context import context_of
from schema.errors import AWAY, BadRequest, bad_request, failed, internal, refused_request
from schema.limits import BODY_BYTES_MAX, check_json, is_text
from schema.operations import Operation, Operations
from schema.request import Asked, parsed
from service.ending import end, ended
from service.seen import Player

PROTOCOL: Final = "graphql-transport-ws"

ID_LENGTH_MAX: Final = 256
REASON_BYTES_MAX: Final = 123
"""The longest reason that a closing frame carries."""

GOING_AWAY: Final = 1001, "Going away"
TOO_LARGE: Final = 1009, "Message too large"
TRY_LATER: Final = 1013, "Try again later"
BAD_MESSAGE: Final = 4400
UNAUTHORIZED: Final = 4401, "Unauthorized"
FORBIDDEN: Final = 4403, "Forbidden"
NO_SUCH_PROTOCOL: Final = 4406, "Subprotocol not acceptable"
INIT_TIMEOUT: Final = 4408, "Connection initialisation timeout"
TAKEN: Final = 4409
TOO_MANY_INITS: Final = 4429, "Too many initialisation requests"
TOO_MANY_CONNECTIONS: Final = 4429, "Too many connections"
BROKEN: Final = 4500, "Internal server error"

GONE: Final = (OSError, RuntimeError)
"""What is raised on sending to somebody who is gone, or whom we have sent away."""


class Sockets:
    """The endpoint, as an ASGI application."""

    def __init__(self, operations: Operations, connections: Connections) -> None:
        self._operations = operations
        self._connections = connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection to its end."""
        websocket = WebSocket(scope, receive, send)
        with suppress(WebSocketDisconnect):
            if not self._connections.is_welcome(websocket.headers):
                await websocket.close()  # before it is accepted, so that the answer is 403
            elif PROTOCOL not in scope["subprotocols"]:
                await _turned_away(websocket, *NO_SUCH_PROTOCOL)
            elif self._connections.is_full:
                await _turned_away(websocket, *(GOING_AWAY if self._connections.is_draining else TRY_LATER))
            else:
                socket = _Socket(websocket, send, self._operations, self._connections)
                with self._connections.holding(socket):
                    await socket.run()


class _Closed(Exception):
    """The connection must end, with this code and for this reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(code)
        self.code = code
        self.reason = reason if len(reason.encode()) <= REASON_BYTES_MAX else reason[:20]


class _Socket:
    """One connection."""

    def __init__(self, websocket: WebSocket, send: Send, operations: Operations, connections: Connections) -> None:
        self._websocket = websocket
        self._quick_send = send
        self._operations = operations
        self._connections = connections
        self._authorization: str | None = websocket.headers.get("authorization")
        self._is_known = False
        self._has_begun = False
        self._player: Player | None = None
        self._is_accepted = asyncio.Event()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._finite: set[asyncio.Task[None]] = set()
        self._unended: set[asyncio.Task[None]] = set()  # also those whose last word is not out yet

    async def run(self) -> None:
        """Accept it, and serve until either side ends it."""
        try:
            await self._websocket.accept(PROTOCOL)
            self._is_accepted.set()
            await self._serve()
        except _Closed as closed:
            await self._websocket.close(closed.code, closed.reason)
        except WebSocketDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - a bug is logged, and ends this connection alone
            internal(error)
            await self._websocket.close(*BROKEN)
        finally:
            self._is_accepted.set()
            await ended(*self._unended)
            if self._is_known:
                self._connections.dismiss(self._player)

    async def send_away(self) -> None:
        """Let what is finite come to its end, and close."""
        await self._is_accepted.wait()
        if self._finite:
            await asyncio.wait(self._finite, timeout=FINISH_SECONDS_MAX)
        with suppress(RuntimeError, WebSocketDisconnect):  # it is closed already
            await self._websocket.close(*GOING_AWAY)

    async def _serve(self) -> None:
        try:
            async with asyncio.timeout(self._connections.terms.init_seconds) as patience:
                while True:
                    await self._take(await self._message())
                    if self._is_known:
                        patience.reschedule(None)
        except TimeoutError:
            if not patience.expired():
                raise
            raise _Closed(*INIT_TIMEOUT) from None

    async def _message(self) -> dict[str, Any]:
        received = await self._websocket.receive()
        if received["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(received.get("code") or 1005)
        if len(received.get("text") or "") > BODY_BYTES_MAX:
            raise _Closed(*TOO_LARGE)
        try:
            message = parsed(received["text"])
        except (KeyError, TypeError, ValueError, RecursionError):
            raise _Closed(BAD_MESSAGE, "A message is a JSON object, sent as text") from None
        if not isinstance(message, dict):
            raise _Closed(BAD_MESSAGE, "A message is a JSON object, sent as text")
        return message

    async def _take(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"type": "connection_init"}:
                await self._introduced(message.get("payload"))
            case {"type": "ping"}:
                await self._send(_pong(message))
            case {"type": "pong"}:
                pass
            case {"type": "subscribe", "id": str(operation_id), "payload": {"query": str(query)} as payload}:
                await self._begin(operation_id, _asked(query, payload))
            case {"type": "complete", "id": str(operation_id)}:
                if (task := self._tasks.pop(operation_id, None)) is not None:
                    end(task)
            case _:
                raise _Closed(BAD_MESSAGE, "Invalid message")

    async def _introduced(self, payload: Any) -> None:
        """Learn who it is: from the payload or, if that says nothing of it, from the header of the handshake."""
        if not isinstance(payload, dict | None):
            raise _Closed(BAD_MESSAGE, "The payload of connection_init is an object")
        if self._has_begun:
            raise _Closed(*TOO_MANY_INITS)
        self._has_begun = True
        given = {name.lower(): value for name, value in (payload or {}).items()}.get("authorization")
        if not isinstance(given, str | None):
            raise _Closed(BAD_MESSAGE, "Authorization is text: Bearer <token>")
        self._authorization = self._authorization if given is None else given
        try:
            player = (await context_of(self._operations.service, self._authorization)).player
        except BadRequest:
            raise _Closed(*FORBIDDEN) from None
        except AWAY:
            raise _Closed(*TRY_LATER) from None
        try:
            self._connections.admit(player)
        except BadRequest:
            raise _Closed(*TOO_MANY_CONNECTIONS) from None
        self._is_known, self._player = True, player
        await self._send({"type": "connection_ack"})

    async def _begin(self, operation_id: str, asked: Asked) -> None:
        if not self._is_known:
            raise _Closed(*UNAUTHORIZED)
        if not (0 < len(operation_id) <= ID_LENGTH_MAX and is_text(operation_id)):
            raise _Closed(BAD_MESSAGE, "An id is 1 to 256 characters of text")
        if operation_id in self._tasks:
            raise _Closed(TAKEN, f"Subscriber for {operation_id} already exists")
        most = self._connections.terms.operations_max
        while len(self._unended) >= 2 * most:  # it asks on, and does not read what it is told: nor do we, then
            await asyncio.wait(self._unended, return_when=asyncio.FIRST_COMPLETED)
        is_room = len(self._tasks) < most
        task = self._tasks[operation_id] = asyncio.create_task(self._answer(operation_id, asked, is_room=is_room))
        self._unended.add(task)
        task.add_done_callback(self._unended.discard)

    async def _answer(self, operation_id: str, asked: Asked, *, is_room: bool) -> None:
        """Send the answers to one operation, and how it ended."""
        own_id = json.dumps(operation_id)
        errors: list[GraphQLFormattedError] | None = None
        try:
            self._check(asked, is_room=is_room)
            operation = await self._operations.begun(asked, self._authorization)
            if operation.kind is not OperationType.SUBSCRIPTION:
                self._finite.add(task := _current_task())
                task.add_done_callback(self._finite.discard)
            await self._send_all(own_id, operation)
        except WebSocketDisconnect:  # nobody is there any more: the connection's own end follows
            return
        except Exception as error:  # noqa: BLE001 - a bug is logged and answered
            errors = failed(error).errors
        if self._tasks.get(operation_id) is _current_task():
            del self._tasks[operation_id]  # before the word goes out, so that the id can be used again at once
            ending = {"type": "complete"} if errors is None else {"type": "error", "payload": errors}
            with suppress(WebSocketDisconnect):
                await self._send({"id": operation_id, **ending})

    def _check(self, asked: Asked, *, is_room: bool) -> None:
        """Refuse what need not be begun. Raises BadRequest."""
        if not is_room:
            raise bad_request(None, "TOO_MANY_SUBSCRIPTIONS", most=self._connections.terms.operations_max)
        try:
            check_json([asked.query, asked.variables, asked.operation_name])
        except Refused as refused:
            raise refused_request(400, refused) from None

    async def _send_all(self, own_id: str, operation: Operation) -> None:
        sender = _Sender(self._quick_send, own_id)
        try:
            async with aclosing(operation.answers(sender.take)) as answers:
                async for text in answers:
                    await sender.send(text)
            await sender.rest()
        finally:
            sender.stop()

    async def _send(self, message: Mapping[str, Any]) -> None:
        await self._send_text(json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    async def _send_text(self, text: str) -> None:
        await _sent(self._quick_send, text)


class _Sender:
    """Sends the answers to one operation in their order, at once where the connection takes them at once.

    A thousand followers of a game are told of an event in one go, instead of a thousand tasks being woken for it.
    """

    def __init__(self, send: Send, own_id: str) -> None:
        self._quick_send = send
        self._before = f'{{"id":{own_id},"type":"next","payload":'
        self._unsent: asyncio.Task[None] | None = None

    def take(self, text: str) -> bool:
        """Begin to send, unless something before it is not yet sent."""
        if self._unsent is not None and not self._unsent.done():
            return False
        self._unsent = _begun(self._quick_send({"type": "websocket.send", "text": f"{self._before}{text}}}"}))
        return True

    async def send(self, text: str) -> None:
        """Send after what is before it."""
        await self.rest()
        await _sent(self._quick_send, f"{self._before}{text}}}")

    async def rest(self) -> None:
        """Wait until all that was begun is sent."""
        if self._unsent is not None:
            await self._unsent
            self._unsent = None

    def stop(self) -> None:
        """Let go of what is not yet sent."""
        if self._unsent is not None:
            end(self._unsent)


async def _sent(send: Send, text: str) -> None:
    try:
        await send({"type": "websocket.send", "text": text})
    except GONE:
        raise WebSocketDisconnect(1006) from None


def _begun(sending: Awaitable[None]) -> asyncio.Task[None] | None:
    """Run a coroutine now, as far as it comes by itself; a task does the rest, if there is any (as eager tasks do)."""
    steps = sending.__await__()
    try:
        waited = steps.send(None)
    except (StopIteration, *GONE):  # where nobody is there any more, the connection's own end follows
        return None
    return asyncio.create_task(_finished(steps, waited))


async def _finished(begun: Generator[Any, Any, None], waited: Any) -> None:
    with suppress(*GONE):
        await _resumed(begun, waited)


@coroutine
def _resumed(begun: Generator[Any, Any, None], waited: Any) -> Generator[Any, Any, None]:
    """Go on with a coroutine that waits for something."""
    with suppress(StopIteration):
        while True:
            try:
                answer = yield waited
            except BaseException as error:  # noqa: BLE001 - it is handed on
                waited = begun.throw(error)
            else:
                waited = begun.send(answer)


def _asked(query: str, payload: Mapping[str, Any]) -> Asked:
    variables, name = payload.get("variables"), payload.get("operationName")
    if not (
        isinstance(variables, dict | None)
        and isinstance(name, str | None)
        and isinstance(payload.get("extensions"), dict | None)
    ):
        raise _Closed(BAD_MESSAGE, "Invalid payload of subscribe")
    return Asked(query, variables, name or None)


def _pong(ping: Mapping[str, Any]) -> Mapping[str, Any]:
    if "payload" not in ping:
        return {"type": "pong"}
    try:
        check_json(ping["payload"])
    except Refused:
        raise _Closed(BAD_MESSAGE, "Invalid payload of ping") from None
    return {"type": "pong", "payload": ping["payload"]}


def _current_task() -> asyncio.Task[None]:
    task: Any = asyncio.current_task()
    return task  # type: ignore[no-any-return]


async def _turned_away(websocket: WebSocket, code: int, reason: str) -> None:
    await websocket.accept()
    await websocket.close(code, reason)
