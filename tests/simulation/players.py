"""Random players who take seats and turns over HTTP, at any process, and write down all they send and are told."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final
from uuid import UUID

import httpx

from domain.ruleset import snake
from schema.ids import game_of, receipt_of
from service import store
from service.accounts import Accounts
from service.seen import Registered
from tests.simulation.database import Database
from tests.simulation.ledger import Ledger, Scope, Told
from tests.simulation.plan import Table

TIMEOUT_SECONDS: Final = 4.0
AGAIN_SECONDS: Final = 0.1
NEW_GAME: Final = UUID(int=0)
"""Stands for the game in the scope of a key that opens one."""

RECEIPT: Final = """
... on Receipt { id key gameId status receivedAt version hash refusal { code } } ... on Refusal { code message }
"""
OPEN_GAME: Final = "mutation ($input: OpenGameInput!) { answer: openGame(input: $input) {" + RECEIPT + "} }"
TAKE_SEAT: Final = "mutation ($input: SeatInput!) { answer: takeSeat(input: $input) {" + RECEIPT + "} }"
START_GAME: Final = "mutation ($input: GameInput!) { answer: startGame(input: $input) {" + RECEIPT + "} }"
RESIGN: Final = "mutation ($input: GameInput!) { answer: resign(input: $input) {" + RECEIPT + "} }"
SUBMIT_TURN: Final = (
    "mutation ($input: SubmitTurnInput!, $wait: Float!) { answer: submitTurn(input: $input, wait: $wait) {"
    + RECEIPT
    + "} }"
)
LOOK: Final = "query ($id: ID!) { answer: game(id: $id) { status version myTurnSince legalTurns } }"
ASK_AGAIN: Final = "query ($id: ID!) { answer: receipt(id: $id) {" + RECEIPT.partition("... on Refusal")[0] + "} }"

Doors = Mapping[str, int]
"""The ports at which processes take requests."""


@dataclass(frozen=True, slots=True)
class Request:
    """Something sent under a key, to be sent again word by word until it is answered."""

    scope: Scope
    document: str
    variables: dict[str, Any]


@dataclass(slots=True)
class Player:
    """One account and the chance by which it acts. A door that does not answer is left for another."""

    number: int
    id: UUID
    token: str
    chance: Random
    ledger: Ledger
    http: httpx.AsyncClient
    doors: Doors = field(default_factory=dict)
    unanswered: dict[Scope, Request] = field(default_factory=dict)
    answered: list[Request] = field(default_factory=list)
    pending: dict[Scope, str] = field(default_factory=dict)
    applied: dict[UUID, int] = field(default_factory=dict)
    sent: int = 0

    async def open(self, table: Table) -> str:
        """Open a game for a table; gives its id."""
        plain = {"ruleset": "gravwell", "seats": table.seats}
        stored = plain | ({"bots": table.bots} if table.bots else {}) | ({} if table.start else {"start": False})
        stored |= {} if table.turn_seconds is None else {"turn_seconds": table.turn_seconds}
        hours = table.turn_seconds and table.turn_seconds / 3600
        wanted = {**plain, "ruleset": "GRAVWELL", "bots": table.bots, "start": table.start, "turnHours": hours}
        key = self._key("open")
        scope = (NEW_GAME, self.id, key)
        self.ledger.send(scope, {"command": {"open_game": stored}, "visibility": "PUBLIC"})
        answer = await self._until_answered(Request(scope, OPEN_GAME, {"input": {"key": key, **wanted}}))
        return str(answer["gameId"])

    async def sit(self, game_id: str) -> None:
        """Take a seat, whatever it takes."""
        entropy = self.chance.randbytes(16).hex()
        command = {"take_seat": {"entropy": entropy}}
        await self._until_answered(self._request(game_id, "sit", command, TAKE_SEAT, {"entropy": entropy}))

    async def start(self, game_id: str) -> None:
        """Start a game that waits for its host, once it is full."""
        while True:
            request = self._request(game_id, "start", {"start_game": {}}, START_GAME, {})
            answer = await self._until_answered(request)
            if answer.get("refusal") is None or answer["refusal"]["code"] != "NOT_FULL":
                return
            await asyncio.sleep(AGAIN_SECONDS)

    async def act(self, game_id: str) -> None:
        """Do something that players do: mostly a turn; sometimes what is refused, or what was done before."""
        dice = self.chance.random()
        if dice < 0.06 and self.answered:
            await self.send(self.chance.choice(self.answered))
        elif dice < 0.1 and self.answered:
            await self._reuse(self.chance.choice(self.answered))
        elif dice < 0.14 and self.unanswered:
            await self.send(self.chance.choice([*self.unanswered.values()]))
        elif dice < 0.18 and self.pending:
            await self._ask_again(self.chance.choice([*self.pending.values()]))
        elif dice < 0.22:
            await self.send(self.turn(game_id, {"gravwell": {"draftStack": {"stack": 0}}}, None))
        elif dice < 0.223:
            await self.send(self._request(game_id, "resign", {"resign": {}}, RESIGN, {}))
        elif (turn := await self.next_turn(game_id)) is not None:
            await self.send(turn)

    async def send(self, request: Request) -> dict[str, Any] | None:
        """What is answered; None, and the request is kept to be sent again, if nothing is."""
        self.unanswered[request.scope] = request
        answer, process = await self._ask(request.document, request.variables)
        if answer is None:
            return None
        self.unanswered.pop(request.scope, None)
        if "code" in answer:
            if answer["code"] != "TOO_MANY_PENDING":
                self.ledger.wrong.append(f"{process} refused {request.variables} with {answer['code']}")
            return answer
        self.answered.append(request)
        self._told(answer, process)
        return answer

    async def settle(self) -> None:
        """Ask for what was never answered and what is still pending, until all of it is told."""
        while self.unanswered:
            for request in [*self.unanswered.values()]:
                await self.send(request)
        while self.pending:
            for receipt in [*self.pending.values()]:
                await self._ask_again(receipt)
            await asyncio.sleep(AGAIN_SECONDS)

    async def next_turn(self, game_id: str) -> Request | None:
        """A turn that is this player's to take now, if there is one and somebody says so."""
        looked, _ = await self._ask(LOOK, {"id": game_id})
        if looked is None:
            return None
        known = self.applied.get(uuid_of(game_id), 0)
        if looked["version"] < known:
            self.ledger.wrong.append(f"{game_id} is shown at {looked['version']} after {known} was applied")
        if not looked["legalTurns"]:
            return None
        turn = self.chance.choice(looked["legalTurns"])
        return self.turn(game_id, turn, looked["myTurnSince"] if self.chance.random() < 0.8 else None)

    def turn(self, game_id: str, turn: dict[str, Any], expected: int | None) -> Request:
        """The request that hands in a turn, a value of `legalTurns`."""
        ((name, given),) = turn["gravwell"].items()
        command = {snake(name): {snake(field): value for field, value in given.items()}}
        beside = {"turn": turn} | ({} if expected is None else {"expectedVersion": expected})
        request = self._request(game_id, "turn", command, SUBMIT_TURN, beside, expected)
        return Request(
            request.scope, request.document, {**request.variables, "wait": self.chance.choice((0.0, 0.2, 2.0))}
        )

    def _request(
        self,
        game_id: str,
        key: str,
        command: dict[str, Any],
        document: str,
        given: dict[str, Any],
        expected: int | None = None,
    ) -> Request:
        key = self._key(key)
        scope = (uuid_of(game_id), self.id, key)
        said = {"command": command} | ({} if expected is None else {"expected_version": expected})
        self.ledger.send(scope, said)
        return Request(scope, document, {"input": {"key": key, "gameId": game_id, **given}})

    def _key(self, word: str) -> str:
        self.sent += 1
        return f"{word}-{self.number}-{self.sent}"

    async def _reuse(self, request: Request) -> None:
        """Send something else under a key that stands for a turn already: it must not be received."""
        if request.document is not SUBMIT_TURN:
            return
        given = request.variables["input"]
        other = {**given, "expectedVersion": given.get("expectedVersion", 0) + 1}
        answer, process = await self._ask(SUBMIT_TURN, {**request.variables, "input": other})
        if answer is not None and answer.get("code") != "KEY_REUSED":
            self.ledger.wrong.append(f"{process} answered a reused key with {answer}")

    async def _ask_again(self, receipt_id: str) -> None:
        answer, process = await self._ask(ASK_AGAIN, {"id": receipt_id})
        if answer is not None:
            self._told(answer, process)

    async def _until_answered(self, request: Request) -> dict[str, Any]:
        while (answer := await self.send(request)) is None:  # noqa: ASYNC110 - nothing tells us when
            await asyncio.sleep(AGAIN_SECONDS)
        return answer

    def _told(self, answer: dict[str, Any], process: str) -> None:
        ids = receipt_of(answer["id"])
        assert ids is not None
        scope = (ids[0], self.id, answer["key"])
        refusal = answer["refusal"] and answer["refusal"]["code"]
        told = (answer["status"], answer["receivedAt"], answer["version"], answer["hash"], refusal)
        self.ledger.told.append(Told(process, scope, ids[1], *told))
        if answer["status"] == "PENDING":
            self.pending[scope] = answer["id"]
        else:
            self.pending.pop(scope, None)
        if answer["status"] == "APPLIED":
            self.applied[ids[0]] = max(answer["version"], self.applied.get(ids[0], 0))

    async def _ask(self, document: str, variables: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
        """What some process answers, and which; None if it was away or said that the database is."""
        process = self.chance.choice(sorted(self.doors))
        headers = {"Authorization": f"Bearer {self.token}"}
        url = f"http://127.0.0.1:{self.doors[process]}/graphql"
        body = {"query": document, "variables": variables}
        try:
            response = await self.http.post(url, json=body, headers=headers)
        except httpx.TransportError:
            await asyncio.sleep(AGAIN_SECONDS)
            return None, process
        if response.status_code == 503:
            await asyncio.sleep(AGAIN_SECONDS)
            return None, process
        content = response.json()
        if response.status_code != 200 or "errors" in content or content["data"]["answer"] is None:
            self.ledger.wrong.append(f"{process} answered {response.status_code} {response.text[:300]}")
            return None, process
        return content["data"]["answer"], process


async def newcomers(number: int, database: Database, ledger: Ledger, http: httpx.AsyncClient) -> list[Player]:
    """So many players, whose chance is only that of their numbers. Their accounts are made before anything happens."""
    players = []
    async with store.pool(database.url, 1) as pool:
        for each in range(number):
            made = await Accounts(pool).register(f"player-{each}", None)
            assert isinstance(made, Registered)
            players.append(Player(each, made.player.id, made.token, Random(each), ledger, http))
    return players


async def come(players: Sequence[Player], tables: Sequence[Table]) -> list[tuple[str, Table]]:
    """Open all tables and let everyone take their seats; gives the games. Each player does one thing at a time."""
    games = [asyncio.get_running_loop().create_future() for _ in tables]

    async def arrive(player: Player) -> None:
        for table, game in zip(tables, games, strict=True):
            if table.sitters[0] == player.number:
                game.set_result(await player.open(table))
        for table, game in zip(tables, games, strict=True):
            if player.number in table.sitters[1:]:
                await player.sit(await game)
        for table, game in zip(tables, games, strict=True):
            if table.sitters[0] == player.number and not table.start:
                await player.start(await game)

    async with asyncio.TaskGroup() as group:
        for player in players:
            group.create_task(arrive(player))
    return [(game.result(), table) for game, table in zip(games, tables, strict=True)]


def uuid_of(game_id: str) -> UUID:
    """The game that the API names so."""
    found = game_of(game_id)
    assert found is not None
    return found
