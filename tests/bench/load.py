"""Clients that take turns as fast as they are answered: Gravwell over bare HTTP/1.1, in a process of their own.

python -m tests.bench.load '{"port": 8000, "clients": 32, "seconds": 5}'
"""

import asyncio
import json
import secrets
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import count
from time import perf_counter, process_time
from typing import Any, Final, Self

import psutil
import uvloop

from tests.bench.ground import Serving, told

REGISTER: Final = (
    "mutation ($handle: String!) { register(input: {handle: $handle})"
    " { ... on Registered { token } ... on Refusal { code } } }"
)
OPEN: Final = (
    "mutation ($key: ID!, $seats: Int!, $hours: Float) {"
    " openGame(input: {key: $key, ruleset: GRAVWELL, seats: $seats, turnHours: $hours})"
    " { ... on Receipt { gameId } ... on Refusal { code } } }"
)
SIT: Final = (
    "mutation ($key: ID!, $id: ID!) { takeSeat(input: {key: $key, gameId: $id})"
    " { ... on Receipt { status } ... on Refusal { code } } }"
)
LOOK: Final = (
    "query ($id: ID!) { game(id: $id) { status version mySeat"
    " view { ... on GravwellView { stage hand draft { order } } } } }"
)
TURN: Final = (
    "mutation ($key: ID!, $id: ID!, $turn: TurnInput!) { submitTurn(input: {key: $key, gameId: $id, turn: $turn})"
    " { ... on Receipt { status version } ... on Refusal { code } } }"
)

CHOICES: Final = 17
"""How often a card may be chosen in one phase: once, and changed 16 times (RULES 3.2)."""


class GameOver(Exception):
    """The turn came after the end of the game."""


@dataclass(slots=True)
class Line:
    """One connection, kept alive for as long as the service keeps it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    port: int

    @classmethod
    async def to(cls, port: int) -> Self:
        """A line to a service on this machine."""
        return cls(*await asyncio.open_connection("127.0.0.1", port), port)

    async def ask(self, token: str | None, document: str, **variables: Any) -> Any:
        """What stands in the one root field of a document."""
        if self.reader.at_eof():  # it was silent for too long
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        body = json.dumps({"query": document, "variables": variables})
        authorization = f"Authorization: Bearer {token}\r\n" if token else ""
        self.writer.write(
            f"POST /graphql HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
            f"{authorization}Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        headers = await self.reader.readuntil(b"\r\n\r\n")
        length = int(headers.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        answer = json.loads(await self.reader.readexactly(length))
        assert "errors" not in answer, answer
        (value,) = answer["data"].values()
        return value


@dataclass(slots=True)
class Table:
    """One running game, and the tokens of its seats in their order; `version` is of the last turn's last event."""

    line: Line
    game_id: str
    tokens: list[str]
    version: int = 0
    keys: Iterator[str] = field(default_factory=lambda: map(f"{secrets.token_hex(4)}-{{}}".format, count()))

    @classmethod
    async def opened(cls, line: Line, seats: int = 2, turn_hours: float | None = None) -> Self:
        """A game that has just started, all of whose seats are ours."""
        tag = secrets.token_hex(6)
        tokens = [(await line.ask(None, REGISTER, handle=f"b-{tag}-{seat}"))["token"] for seat in range(seats)]
        game_id = (await line.ask(tokens[0], OPEN, key="bench", seats=seats, hours=turn_hours))["gameId"]
        for token in tokens[1:]:
            await line.ask(token, SIT, key="sit", id=game_id)
        seen = [(await line.ask(token, LOOK, id=game_id), token) for token in tokens]
        in_order = sorted(seen, key=lambda one: int(one[0]["mySeat"]))
        return cls(line, game_id, [token for _, token in in_order], seen[-1][0]["version"])

    async def turns(self, changing: int = 1) -> AsyncIterator[float]:
        """Play on, a turn a step; gives the seconds that each took, and ends with the game.

        In each phase the first `changing` seats change their minds as often as they may, so that turns are many and
        questions few: only as a round begins is there anything to ask.
        """
        with suppress(GameOver):
            while True:
                looked = await self._look(0)
                if looked["view"]["stage"] == "DRAFT":
                    async for seconds in self._draft(looked["view"]["draft"]["order"]):
                        yield seconds
                hands = [list((await self._look(seat))["view"]["hand"]) for seat in range(len(self.tokens))]
                while hands[0]:
                    for seat, hand in enumerate(hands):
                        for nth in range(CHOICES if seat < changing else 1):
                            card = hand[nth % len(hand)]
                            yield await self.turn(seat, {"gravwell": {"playFuel": {"card": card, "stop": "NEVER"}}})
                        hand.remove(card)

    async def turn(self, seat: int, turn: Any) -> float:
        """Hand in a turn, and give the seconds it took until it was answered. Raises GameOver."""
        began = perf_counter()
        receipt = await self.line.ask(self.tokens[seat], TURN, key=next(self.keys), id=self.game_id, turn=turn)
        seconds = perf_counter() - began
        if receipt.get("status") != "APPLIED":
            raise GameOver(receipt)
        self.version = receipt["version"]
        return seconds

    async def _draft(self, order: list[int]) -> AsyncIterator[float]:
        """Take all stacks but the last, which is taken by itself."""
        for stack in range(3 * len(order) - 1):
            yield await self.turn(order[stack % len(order)], {"gravwell": {"draftStack": {"stack": stack}}})

    async def _look(self, seat: int) -> Any:
        looked = await self.line.ask(self.tokens[seat], LOOK, id=self.game_id)
        if looked["status"] == "ENDED":
            raise GameOver
        return looked


@dataclass(frozen=True, slots=True)
class Order:
    """What a process of clients is to do. `again`: one turn, sent again and again to a service that does nothing.

    `watched`: the process whose CPU time is read as the clients begin and as they end.
    """

    port: int
    clients: int
    seconds: float
    watched: int | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of it: how many turns in how many seconds, how long one took, and the CPU seconds of both sides."""

    turns: int
    seconds: float
    p50: float
    p99: float
    client_cpu: float
    server_cpu: float

    @property
    def rate(self) -> float:
        """Turns a second."""
        return self.turns / self.seconds


async def load(order: Order) -> Taken:
    """Take turns with so many clients, each at a table of its own; who ends a game opens the next."""
    lines = [await Line.to(order.port) for _ in range(order.clients)]
    tables = await asyncio.gather(*map(Table.opened, lines))
    took: list[float] = []
    began, cpu, watched = perf_counter(), process_time(), _cpu_of(order.watched)
    until = began + order.seconds
    await asyncio.gather(*(_busy(table, until, took, again=order.again) for table in tables))
    elapsed = perf_counter() - began
    cpu, watched = process_time() - cpu, _cpu_of(order.watched) - watched
    took.sort()
    return Taken(len(took), elapsed, took[len(took) // 2], took[len(took) * 99 // 100], cpu, watched)


async def _busy(table: Table, until: float, took: list[float], *, again: bool) -> None:
    while True:
        async for seconds in _again(table) if again else table.turns():
            took.append(seconds)
            if perf_counter() > until:
                return
        table = await Table.opened(table.line)


async def _again(table: Table) -> AsyncIterator[float]:
    while True:
        yield await table.turn(0, {"gravwell": {"playFuel": {"card": "A", "stop": "NEVER"}}})


def _cpu_of(pid: int | None) -> float:
    if pid is None:
        return 0.0
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def taken(serving: Serving, clients: int, seconds: float, *, again: bool = False) -> Taken:
    """What so many clients in a process of their own take of a service."""
    order = Order(serving.port, clients, seconds, serving.process.pid, again)
    return Taken(**told([sys.executable, "-m", "tests.bench.load"], asdict(order)))


def main(arguments: Sequence[str]) -> None:
    """Do what the order says, and print what came of it as JSON."""
    (given,) = arguments
    taken = uvloop.run(load(Order(**json.loads(given))))
    sys.stdout.write(json.dumps(asdict(taken)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
