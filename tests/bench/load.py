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


CHANGES = 16
"""How often a chosen card may be changed before the reveal (RULES of Gravwell)."""


class GameOver(Exception):
    """A turn came after the end."""


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
        if receipt.get("status") != "APPLIED":
            raise GameOver
        return receipt

    async def play(self, until: float) -> bool:
        """Take turns until the clock says so; False if the game ended before.

        The table is asked only as each round begins: of turns, as few as can be are questions.
        """
        try:
            while (game := await self._game(self.tokens[0]))["status"] != "ENDED":
                await self._draft(game["awaiting"][0])
                hands = [await self._hand(token) for token in self.tokens]
                while hands[0]:
                    if time.perf_counter() > until:
                        return True
                    await self._phase(hands)
        except GameOver:
            pass
        return False

    async def _draft(self, first: int) -> None:
        """Take all stacks but the last, which is taken by itself."""
        stacks = 3 * len(self.tokens)
        for nth in range(stacks - 1):
            seat = (first + nth) % len(self.tokens)
            await self.turn(seat, {"gravwell": {"draftStack": {"stack": nth + 1}}})

    async def _hand(self, token: str) -> list[str]:
        turns = (await self._game(token))["legalTurns"]
        return sorted({turn["gravwell"]["playFuel"]["card"] for turn in turns})

    async def _phase(self, hands: list[list[str]]) -> None:
        """One movement phase, in which the first seat changes its mind as often as it may."""
        last = len(hands[0]) == 1
        for nth in range(CHANGES + 1):
            await self._choose(0, hands[0][nth % len(hands[0])], "ALWAYS" if last and nth % 2 else "NEVER")
        hands[0].remove(hands[0][CHANGES % len(hands[0])])
        for seat in range(1, len(hands)):
            await self._choose(seat, hands[seat].pop(0), "NEVER")

    async def _choose(self, seat: int, card: str, stop: str) -> None:
        await self.turn(seat, {"gravwell": {"playFuel": {"card": card, "stop": stop}}})


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
