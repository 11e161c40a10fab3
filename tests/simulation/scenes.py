"""Scenes: what happens to a few processes step by step, each made to hurt one way in which a build may be broken."""

import asyncio
import shutil
import signal
import tempfile
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import httpx

from tests.simulation.broken import LATCH
from tests.simulation.checker import faults_of
from tests.simulation.database import HOLD_GAME, Database
from tests.simulation.evidence import gathered
from tests.simulation.ledger import Ledger
from tests.simulation.nursery import SOUND, Nursery
from tests.simulation.plan import Table
from tests.simulation.players import TIMEOUT_SECONDS, Player, Request, come, newcomers, uuid_of
from tests.simulation.processes import API, WORKER, Part, Process, processes
from tests.simulation.servers import Mortal
from tests.simulation.simulation import alarms_of, at_rest, last_words

PATIENCE_SECONDS: Final = 40.0
SCENE_SECONDS_MAX: Final = 120.0
TURN_SECONDS: Final = 300
SWEEPS_SECONDS: Final = 2.5
"""How long it takes a worker to look at least twice."""


@dataclass(slots=True)
class Stage:
    """Processes on one database, a sound `desk` among them, and two players in a game that has just begun there."""

    database: Database
    places: Mapping[str, Process]
    ledger: Ledger
    players: list[Player]
    is_sound: bool
    game_id: str = ""
    rested_at: datetime | None = None

    def go_to(self, name: str) -> None:
        """From now on everybody asks this process."""
        port = self.places[name].http
        assert port is not None
        for player in self.players:
            player.doors = {name: port}

    async def next_turn(self, wait: float = 2.0) -> tuple[Player, Request]:
        """Whose turn it is, and what they will do."""
        while True:
            for player in self.players:
                request = await player.next_turn(self.game_id)
                if request is not None:
                    return player, Request(request.scope, request.document, {**request.variables, "wait": wait})

    async def come_up(self, name: str, fault: str | None = None) -> None:
        """Begin a life, and wait until it is ready."""
        self.places[name].start(fault)
        await self.until(lambda: self.places[name].ready)

    async def until(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not true():  # noqa: ASYNC110 - what is waited for happens elsewhere
                await asyncio.sleep(0.02)

    async def until_broken(self, true: Callable[[], object]) -> None:
        """Wait for what only a broken build lets happen; give a sound one the time in which it would."""
        if self.is_sound:
            await asyncio.sleep(SWEEPS_SECONDS)
        else:
            await self.until(true)


SWEPT: Final = "select from timers where fence is not null"
LAPSED: Final = "select from events where position('game.lapsed' in public) > 0"
WAITING_AT_LATCH: Final = "select from pg_locks where locktype = 'advisory' and not granted"

Scene = Callable[[Stage], Awaitable[None]]


async def killed_as_it_answers(stage: Stage) -> None:
    """A process is killed the moment somebody has its receipt in hand."""
    await stage.come_up("suspect")
    stage.go_to("suspect")
    for _ in range(4):  # the first turn goes the long way, later ones the quick one
        player, request = await stage.next_turn()
        await asyncio.sleep(0.5)
        await player.send(request)
    stage.places["suspect"].send(signal.SIGKILL)


async def asked_twice(stage: Stage) -> None:
    """A turn is sent again, since its sender did not hear the answer."""
    await stage.database.alter("alter table submissions drop constraint submissions_pkey")
    await stage.come_up("suspect")
    stage.go_to("suspect")
    for _ in range(3):
        player, request = await stage.next_turn()
        await player.send(request)
        await player.send(request)


async def overtaken(stage: Stage) -> None:
    """While one process is deciding, another process of the same build is given another turn of the same game."""
    await stage.come_up("suspect", "decided:1")
    await stage.come_up("accomplice")
    stage.go_to("suspect")
    player, request = await stage.next_turn()
    sending = asyncio.create_task(player.send(request))
    await stage.until(lambda: stage.places["suspect"].stopped)
    stage.go_to("accomplice")
    other, request = await stage.next_turn(wait=0.5)
    await other.send(request)
    stage.places["suspect"].send(signal.SIGCONT)
    await sending


async def claimed_late(stage: Stage) -> None:
    """A claim begins while a turn is pending, and gets its lock when another process has settled that turn."""
    async with stage.database.holding("select pg_advisory_xact_lock(%s)", LATCH):
        async with stage.database.holding(HOLD_GAME, uuid_of(stage.game_id)):
            player, request = await stage.next_turn(wait=0)
            await player.send(request)
            await stage.come_up("suspect")
            await stage.until_broken(lambda: stage.database.ask(WAITING_AT_LATCH))
        await player.settle()
        await asyncio.sleep(0.5)  # whoever settled it may look once more, and must not hold the game just then


async def late_commit(stage: Stage) -> None:
    """A turn is received in time, and its transaction ends after the deadline has been swept."""
    await stage.come_up("suspect")
    await stage.come_up("slow", "received:1")
    stage.go_to("slow")
    player, request = await stage.next_turn(wait=0)
    async with stage.database.holding(HOLD_GAME, uuid_of(stage.game_id)):
        sending = asyncio.create_task(player.send(request))
        await stage.until(lambda: stage.places["slow"].stopped)
    stage.database.put_ahead(timedelta(seconds=TURN_SECONDS + 2))
    await stage.until(lambda: stage.database.ask("select from timers where fence is not null"))
    await stage.until_broken(
        lambda: stage.database.ask("select from events where position('game.lapsed' in public) > 0")
    )
    stage.places["slow"].send(signal.SIGCONT)
    await sending


@dataclass(frozen=True, slots=True)
class Production:
    """A scene, the build that it shows up, and the processes that play in it beside the desk."""

    scene: Scene
    build: str
    only: Mapping[str, tuple[str, ...]]
    turn_seconds: int | None = None


PRODUCTIONS: Final = (
    Production(killed_as_it_answers, "publish before commit", {"suspect": API}),
    Production(asked_twice, "no key check", {"suspect": API}),
    Production(overtaken, "claim without lock", {"suspect": API, "accomplice": API}),
    Production(claimed_late, "claim and read in one statement", {"suspect": WORKER}),
    Production(late_commit, "lapse without the fence", {"suspect": WORKER, "slow": API}, TURN_SECONDS),
)


async def performed(production: Production, build: str, servers: Mortal, nursery: Nursery) -> list[str]:
    """Play a scene with processes of a build, let a sound one put things in order, and give what the checker found."""
    folder = Path(tempfile.mkdtemp(prefix="lines-", dir=servers.data))
    database, ledger = servers.new_database(), Ledger()
    parts = {"desk": Part()} | {name: Part(only, build) for name, only in production.only.items()}
    try:
        async with (
            processes(parts, nursery, database, servers, folder) as places,
            httpx.AsyncClient(timeout=TIMEOUT_SECONDS) as http,
        ):
            players = await newcomers(2, database, ledger, http)
            stage = Stage(database, places, ledger, players, build == SOUND)
            try:
                async with asyncio.timeout(SCENE_SECONDS_MAX):
                    await _set(stage, production.turn_seconds)
                    await production.scene(stage)
                    await _struck(stage)
            except TimeoutError as late:
                return ["the scene did not come to its end", *traceback.format_exception(late), *last_words(places)]
            faults = [fault for place in places.values() for fault in alarms_of(place)]
            return faults + faults_of(await gathered(database, stage.rested_at), ledger)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _set(stage: Stage, turn_seconds: int | None) -> None:
    await stage.come_up("desk")
    stage.go_to("desk")
    ((stage.game_id, _),) = await come(stage.players, [Table((0, 1), 0, turn_seconds, start=True)])


async def _struck(stage: Stage) -> None:
    """Everything pending is settled and due is done; then all go home."""
    stage.go_to("desk")
    async with asyncio.timeout(PATIENCE_SECONDS):
        for player in stage.players:
            await player.settle()
    await stage.until(lambda: at_rest(stage.database))
    stage.rested_at = stage.database.now()
    for place in stage.places.values():
        place.send(signal.SIGTERM)
    await stage.until(lambda: not any(place.alive for place in stage.places.values()))
