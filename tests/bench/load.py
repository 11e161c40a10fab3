"""Clients that take turns as fast as they are answered: many games of Gravwell over bare HTTP/1.1 connections."""

import asyncio
import json
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

TURN = (
    "mutation ($key: ID!, $id: ID!, $turn: TurnInput!) {"
    " submitTurn(input: {key: $key, gameId: $id, turn: $turn}) {"
    " ... on Receipt { status version } ... on Refusal { code } } }"
)
REGISTER = (
    "mutation ($handle: String!) { register(input: {handle: $handle})"
    " { ... on Registered { token } ... on Refusal { code } } }"
)
OPEN = (
    "mutation ($key: ID!, $seats: Int!) { openGame(input: {key: $key, ruleset: GRAVWELL, seats: $seats})"
    " { ... on Receipt { gameId } ... on Refusal { code } } }"
)
SIT = (
    "mutation ($key: ID!, $id: ID!) { takeSeat(input: {key: $key, gameId: $id})"
    " { ... on Receipt { status } ... on Refusal { code } } }"
)
GAME = "query ($id: ID!) { game(id: $id) { status version mySeat awaiting legalTurns } }"


@dataclass(slots=True)
class Line:
    """One kept-alive connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    host: str

    @classmethod
    async def to(cls, host: str, port: int) -> "Line":
        reader, writer = await asyncio.open_connection(host, port)
        return cls(reader, writer, f"{host}:{port}")

    async def ask(self, token: str | None, document: str, **variables: Any) -> Any:
        body = json.dumps({"query": document, "variables": variables}).encode()
        head = (
            f"POST /graphql HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n" + (f"Authorization: Bearer {token}\r\n" if token else "") + "\r\n"
        )
        self.writer.write(head.encode() + body)
        headers = await self.reader.readuntil(b"\r\n\r\n")
        length = int(headers.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        answer = json.loads(await self.reader.readexactly(length))
        assert not answer.get("errors"), answer
        (value,) = answer["data"].values()
        return value


@dataclass(slots=True)
class Table:
    """One game, the tokens of its seats, and how long each of its turns took, in seconds."""

    line: Line
    game_id: str
    tokens: list[str]
    turns: int = 0
    seconds: list[float] = field(default_factory=list)

    @classmethod
    async def opened(cls, line: Line, seats: int = 2) -> "Table":
        tag = secrets.token_hex(6)
        tokens = [(await line.ask(None, REGISTER, handle=f"b-{tag}-{seat}"))["token"] for seat in range(seats)]
        game_id = (await line.ask(tokens[0], OPEN, key="bench", seats=seats))["gameId"]
        for token in tokens[1:]:
            await line.ask(token, SIT, key="sit", id=game_id)
        table = cls(line, game_id, tokens)
        await table._in_order_of_seats()
        return table

    async def _in_order_of_seats(self) -> None:
        games = [(await self._game(token), token) for token in self.tokens]
        self.tokens = [token for _, token in sorted(games, key=lambda one: one[0]["mySeat"])]

    async def _game(self, token: str) -> Any:
        return await self.line.ask(token, GAME, id=self.game_id)

    async def turn(self, seat: int, turn: Any) -> Any:
        self.turns += 1
        began = time.perf_counter()
        receipt = await self.line.ask(
            self.tokens[seat], TURN, key=f"t{self.turns}", id=self.game_id, turn=turn
        )
        self.seconds.append(time.perf_counter() - began)
        assert receipt.get("status") == "APPLIED", receipt
        return receipt

    async def play(self, until: float, changes: int = 16) -> bool:
        """Take turns until the clock says so; False if the game ended before."""
        while time.perf_counter() < until:
            game = await self._game(self.tokens[0])
            if game["status"] == "ENDED":
                return False
            first, *others = game["awaiting"]
            for seat in (first, *others):
                legal = (await self._game(self.tokens[seat]))["legalTurns"]
                if not legal:
                    continue
                revisable = "playFuel" in legal[0]["gravwell"] and seat == first and others
                for nth in range(1 + (changes if revisable else 0)):
                    await self.turn(seat, legal[nth % len(legal)])
                    if time.perf_counter() > until:
                        return True
        return True


async def turns_a_second(host: str, port: int, clients: int, seconds: float) -> tuple[float, list[float]]:
    """Durable turns a second with so many clients, each in a game of its own, and the seconds each turn took."""
    tables = [await Table.opened(await Line.to(host, port)) for _ in range(clients)]
    began = time.perf_counter()

    async def busy(table: Table) -> list[Table]:
        done = [table]
        while not await done[-1].play(began + seconds):
            done.append(await Table.opened(table.line))
        return done

    played = [table for some in await asyncio.gather(*(busy(table) for table in tables)) for table in some]
    elapsed = time.perf_counter() - began
    taken = [one for table in played for one in table.seconds]
    return len(taken) / elapsed, sorted(taken)


if __name__ == "__main__":
    import sys

    import uvloop

    rate, taken = uvloop.run(turns_a_second("127.0.0.1", int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
    print(f"{rate:.0f} turns/s, p50 {taken[len(taken) // 2] * 1000:.2f} ms, p99 {taken[len(taken) * 99 // 100] * 1000:.2f} ms")
