"""A crowd on WebSockets that only listens, cheaply enough to be thousands, in a process of its own.

python -m tests.bench.crowd '{"port": 8000, "followers": 1000, "rounds": 10}'
"""

import asyncio
import json
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any, Final, cast

import psutil
import uvloop

from tests.bench.ground import Serving, told
from tests.bench.load import Line, Table

AT_ONCE: Final = 50
"""How many connect at the same time."""

PROTOCOL: Final = "graphql-transport-ws"
FOLLOW: Final = (
    "subscription ($id: ID!, $after: Int) { gameUpdates(gameId: $id, after: $after)"
    " { version events { name version data sealed } game { id status awaiting headHash } } }"
)
REST_SECONDS: Final = 3.0
PATIENCE_SECONDS: Final = 20.0
WARM_ROUNDS: Final = 2

TEXT: Final = 1
CLOSE: Final = 8


@dataclass(frozen=True, slots=True)
class Order:
    """What the crowd is to do: follow, and time how long what happens takes to reach all of them.

    `games`: those that stand there to be followed, or none, to open one, follow it and take turns in it.
    `payload`: what a bare server is to send to everybody, instead of all that. `watched`: whose memory is read.
    """

    port: int
    followers: int
    rounds: int
    games: Sequence[str] = ()
    payload: str | None = None
    watched: int | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """How long each round took until all had it; what the last one to be told was told; what the server kept."""

    seconds: list[float]
    payload: str
    memory_mb: float


@dataclass(slots=True)
class Crowd:
    """Who listens, and how many of them have not yet heard of the present round."""

    left: int = 0
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    last: bytes = b""

    def expect(self, followers: int) -> None:
        """Begin a round, in which so many have to hear something."""
        self.left = followers
        self.heard.clear()

    def hear(self, text: bytes) -> None:
        """One of them heard something."""
        self.last = text
        self.left -= 1
        if not self.left:
            self.heard.set()

    async def all_heard(self) -> None:
        """Wait for the end of the round."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.heard.wait()


class Follower(asyncio.Protocol):
    """One WebSocket: it says what it has to say, and tells of each text that comes."""

    def __init__(self, hear: Callable[[bytes], None]) -> None:
        self._hear = hear
        self._buffer = b""
        self._open = False
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._open:
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            if not found:
                return
            assert b" 101 " in head.partition(b"\r\n")[0], head
            self._open, self._buffer = True, rest
            self.opened.set_result(None)
        while (frame := _frame(self._buffer)) is not None:
            opcode, payload, self._buffer = frame
            assert opcode != CLOSE, payload
            if opcode == TEXT:
                self._hear(payload)

    def greet(self, port: int, protocol: str | None) -> None:
        """Ask for the upgrade."""
        asked = f"Sec-WebSocket-Protocol: {protocol}\r\n" if protocol else ""
        self._transport.write(
            f"GET /graphql HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {'A' * 22}==\r\nSec-WebSocket-Version: 13\r\n{asked}\r\n".encode()
        )

    def say(self, text: str) -> None:
        """Send a text, under a mask of zeros."""
        payload = text.encode()
        length = (
            struct.pack("!BH", 0xFE, len(payload)) if len(payload) > 125 else struct.pack("!B", 0x80 | len(payload))
        )
        self._transport.write(b"\x81" + length + bytes(4) + payload)


def _frame(buffer: bytes) -> tuple[int, bytes, bytes] | None:
    """The first frame of a buffer that a server filled: its opcode, its payload, and what comes after it."""
    if len(buffer) < 2:
        return None
    begin, length = 2, buffer[1]
    if length >= 126:
        begin, form = (4, "!H") if length == 126 else (10, "!Q")
        if len(buffer) < begin:
            return None
        (length,) = struct.unpack(form, buffer[2:begin])
    end = begin + length
    return None if len(buffer) < end else (buffer[0] & 0x0F, buffer[begin:end], buffer[end:])


async def gathered(order: Order) -> Reached:
    """Let the crowd gather and hear what happens, a round at a time."""
    if order.payload is not None:
        return await _around_a_bare_server(order, order.payload)
    return await (_around_games(order) if order.games else _around_one_game(order))


async def _around_one_game(order: Order) -> Reached:
    table = await Table.opened(await Line.to(order.port))
    crowd, turns = Crowd(), table.turns()
    await _follow(order, crowd, [(table.game_id, table.version - 1)])

    async def happen() -> None:
        await anext(turns)

    return await _heard(order, crowd, happen)


async def _around_games(order: Order) -> Reached:
    crowd, line = Crowd(), await Line.to(order.port)
    ask = "query ($id: ID!) { game(id: $id) { version } }"
    versions = [(await line.ask(None, ask, id=game))["version"] for game in order.games]
    await _follow(order, crowd, [(game, version - 1) for game, version in zip(order.games, versions, strict=True)])
    await asyncio.sleep(REST_SECONDS)
    return Reached([], crowd.last.decode(), _memory_mb(order.watched))


async def _around_a_bare_server(order: Order, payload: str) -> Reached:
    crowd = Crowd()
    followers = await _connected(order, crowd, None)

    async def happen() -> None:
        followers[0].say(payload)

    return await _heard(order, crowd, happen)


async def _heard(order: Order, crowd: Crowd, happen: Callable[[], Any]) -> Reached:
    seconds = []
    for _ in range(WARM_ROUNDS + order.rounds):
        crowd.expect(order.followers)
        began = perf_counter()
        await happen()
        await crowd.all_heard()
        seconds.append(perf_counter() - began)
    return Reached(seconds[WARM_ROUNDS:], crowd.last.decode(), _memory_mb(order.watched))


async def _follow(order: Order, crowd: Crowd, games: Sequence[tuple[str, int]]) -> None:
    """Let all follow, until each has been told its game's last event: from then on it misses nothing."""
    followers = await _connected(order, crowd, PROTOCOL)
    for first in range(0, order.followers, AT_ONCE):
        some = followers[first : first + AT_ONCE]
        crowd.expect(len(some))
        for nth, follower in enumerate(some, first):
            game, after = games[nth % len(games)]
            payload = {"query": FOLLOW, "variables": {"id": game, "after": after}}
            follower.say(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        await crowd.all_heard()


async def _connected(order: Order, crowd: Crowd, protocol: str | None) -> list[Follower]:
    """Let all connect and, where a protocol asks for it, introduce themselves."""
    loop, followers = asyncio.get_running_loop(), list[Follower]()
    while len(followers) < order.followers:
        some = [
            loop.create_connection(lambda: Follower(crowd.hear), "127.0.0.1", order.port)
            for _ in range(min(AT_ONCE, order.followers - len(followers)))
        ]
        new = [follower for _, follower in await asyncio.gather(*some)]
        for follower in new:
            follower.greet(order.port, protocol)
        await asyncio.gather(*(follower.opened for follower in new))
        if protocol is not None:
            crowd.expect(len(new))
            for follower in new:
                follower.say('{"type":"connection_init"}')
            await crowd.all_heard()
        followers += new
    return followers


def _memory_mb(pid: int | None) -> float:
    return 0.0 if pid is None else float(psutil.Process(pid).memory_info().rss) / 1e6


def reached(serving: Serving, followers: int, rounds: int = 0, **beside: Any) -> Reached:
    """What a crowd in a process of its own comes to; `beside`: what else stands in its order."""
    order = Order(serving.port, followers, rounds, watched=serving.process.pid, **beside)
    return Reached(**told([sys.executable, "-m", "tests.bench.crowd"], asdict(order)))


def main(arguments: Sequence[str]) -> None:
    """Do what the order says, and print what came of it as JSON."""
    (given,) = arguments
    found = uvloop.run(gathered(Order(**json.loads(given))))
    sys.stdout.write(json.dumps(asdict(found)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
