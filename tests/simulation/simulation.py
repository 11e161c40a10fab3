"""One simulation: real processes, random players and a plan of faults, all from a seed, and what the checker says."""

import asyncio
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any, Final
from uuid import UUID

import httpx
import psycopg

from tests.simulation.checker import faults_of
from tests.simulation.database import Database
from tests.simulation.echo import echo_forever
from tests.simulation.evidence import gathered
from tests.simulation.followers import Follower
from tests.simulation.ledger import Followed, Ledger
from tests.simulation.nursery import Nursery
from tests.simulation.plan import ANSWERS, PARTS, PLAYERS, Deed, Fault, Plan, Table, plan_of
from tests.simulation.players import TIMEOUT_SECONDS, Player, come, newcomers, uuid_of
from tests.simulation.processes import Process, processes
from tests.simulation.servers import Mortal

PLAY_SECONDS_MAX: Final = 25.0
PATIENCE_SECONDS: Final = 40.0
"""How long a service may take to be ready, to settle what is pending, to come to rest, and to end."""

SIMULATION_SECONDS_MAX: Final = 180.0
THINK_SECONDS_MAX: Final = 0.06
LOOK_SECONDS: Final = 0.02
RESTART_SECONDS: Final = 0.3
"""How long a place stands empty, as under a supervisor that does not start in a tight loop."""

TURNED_BACK: Final = "The database does not answer"
LEASES_END: Final = timedelta(seconds=25)
OVERDUE: Final = timedelta(seconds=4)


@dataclass(slots=True)
class Simulation:
    """A simulation under way: what is there, what has happened, and whether faults are healed and all is over."""

    plan: Plan
    servers: Mortal
    database: Database
    places: dict[str, Process]
    ledger: Ledger = field(default_factory=Ledger)
    happened: list[str] = field(default_factory=list)
    healing: bool = False
    over: bool = False
    rested_at: datetime | None = None
    held: set[str] = field(default_factory=set)
    began: float = field(default_factory=monotonic)

    @property
    def playing(self) -> bool:
        return len(self.ledger.told) < ANSWERS and monotonic() - self.began < PLAY_SECONDS_MAX

    def note(self, what: object) -> None:
        self.happened.append(f"{monotonic() - self.began:6.2f} s, {len(self.ledger.told):4} receipts: {what}")


async def simulate(seed: int, servers: Mortal, nursery: Nursery) -> list[str]:
    """Run the simulation of a seed; gives what the checker found and, if that is anything, all that led to it."""
    folder = Path(tempfile.mkdtemp(prefix="lines-", dir=servers.data))
    try:
        database = servers.new_database()
        async with processes(PARTS, nursery, database, servers, folder) as places:
            simulation = Simulation(plan_of(seed), servers, database, places)
            faults = await _faults(simulation)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if not faults:
        return []
    replay = f"replay: .venv/bin/python -m tests.simulation {seed}"
    return [*faults, str(simulation.plan), *simulation.happened, replay]


def alarms_of(place: Process) -> list[str]:
    """What a process should not have said, and how its lives should not have ended."""
    lines = place.said()
    alarms = [f"{place.name} said {line}" for line in lines if _is_alarm(line)]
    alarms += [f"{place.name} ended with {code}" for code in place.exits if code not in (0, 1, -signal.SIGKILL)]
    # Who finds no database at its start says so and leaves it to a supervisor to try again.
    turned_back = sum(isinstance(line, str) and line.startswith(TURNED_BACK) for line in lines)
    if place.exits.count(1) > turned_back:
        alarms.append(f"{place.name} ended with 1, {place.exits.count(1)} times, and said why {turned_back} times")
    return alarms


def last_words(places: Mapping[str, Process]) -> list[str]:
    """What each process said last."""
    return [f"{name}: {line}" for name, place in places.items() for line in place.said()[-8:]]


async def _faults(simulation: Simulation) -> list[str]:
    faults: list[str] = []
    try:
        async with asyncio.timeout(SIMULATION_SECONDS_MAX):
            await _play_and_heal(simulation)
    except* TimeoutError as late:
        faults += ["it did not come to its end", *traceback.format_exception(late), *last_words(simulation.places)]
    for place in simulation.places.values():
        faults += alarms_of(place)
    return faults + faults_of(await gathered(simulation.database, simulation.rested_at), simulation.ledger)


async def _play_and_heal(simulation: Simulation) -> None:
    """Play under faults until enough receipts are given; then heal everything, and let it come to rest and end."""
    plan, places = simulation.plan, simulation.places
    doors = {name: place.http for name, place in places.items() if place.http is not None}
    async with httpx.AsyncClient(timeout=TIMEOUT_SECONDS) as http, asyncio.TaskGroup() as group:
        players = await newcomers(PLAYERS, simulation.database, simulation.ledger, http)
        keeping = [group.create_task(_keep(simulation, place)) for place in places.values()]
        for player in players:
            player.doors, player.chance = doors, Random(f"player {player.number} {plan.seed}")
        harming = [group.create_task(_harm(simulation, fault)) for fault in plan.faults]
        echoing = [group.create_task(_echo(simulation))] if plan.echoing else []
        async with asyncio.timeout(PATIENCE_SECONDS):
            games = await come(players, plan.tables)
        simulation.note("everybody sits")
        followers = [*_followers(simulation, players, games, http)]
        following = [group.create_task(follower.follow()) for follower in followers]
        await _play(simulation, players, games)

        simulation.note("healing")
        simulation.healing = True
        await asyncio.gather(*harming)
        await _until(lambda: all(place.ready for place in places.values()))
        simulation.note("settling")
        async with asyncio.timeout(PATIENCE_SECONDS):
            await asyncio.gather(*(player.settle() for player in players))
        simulation.database.put_ahead(LEASES_END)
        await _until(lambda: at_rest(simulation.database))
        heads: dict[UUID, int] = dict(simulation.database.ask("select game_id, version from games"))
        simulation.note("at rest")
        await _until(lambda: all(len(one.hashes) >= heads[one.game_id] for one in simulation.ledger.followed))
        await _until(lambda: at_rest(simulation.database))
        for task in [*following, *echoing]:
            task.cancel()
        simulation.note("over")
        simulation.rested_at = simulation.database.now()
        simulation.over = True
        await asyncio.gather(*keeping)
        simulation.note("ended")


def _followers(
    simulation: Simulation, players: list[Player], games: list[tuple[str, Table]], http: httpx.AsyncClient
) -> Iterator[Follower]:
    """Everybody follows the games they sit in, and a stranger follows each."""
    for game_id, table in games:
        for number in (*table.sitters, None):
            followed = Followed(uuid_of(game_id))
            simulation.ledger.followed.append(followed)
            token = None if number is None else players[number].token
            chance = Random(f"follower {number} {simulation.plan.seed}")
            yield Follower(game_id, token, followed, chance, players[0].doors, simulation.ledger, http)


async def _play(simulation: Simulation, players: list[Player], games: list[tuple[str, Table]]) -> None:
    async def play(player: Player) -> None:
        own = [game_id for game_id, table in games if player.number in table.sitters]
        while own and simulation.playing:
            await player.act(player.chance.choice(own))
            await asyncio.sleep(player.chance.uniform(0, THINK_SECONDS_MAX))

    await asyncio.gather(*map(play, players))


async def _keep(simulation: Simulation, place: Process) -> None:
    """Keep a place lived in: each life with the stop that is planned for it, and a new one when it has ended."""
    stops = iter(simulation.plan.stops[place.name])
    while not simulation.over:
        stop = None if simulation.healing else next(stops, None)
        place.start(None if stop is None else f"{stop.point}:{stop.nth}")
        while place.alive and not simulation.over:
            if place.stopped and place.name not in simulation.held:
                if stop is not None and not simulation.healing:
                    simulation.note(stop)
                    await _do(simulation, stop)
                place.send(signal.SIGCONT)
                await _until(lambda: not place.stopped)
            await asyncio.sleep(LOOK_SECONDS)
        if not place.alive:
            await asyncio.sleep(RESTART_SECONDS)
    place.send(signal.SIGTERM)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while place.alive:
            place.send(signal.SIGCONT)
            await asyncio.sleep(LOOK_SECONDS)


async def _harm(simulation: Simulation, fault: Fault) -> None:
    """Do what is planned from outside once it is time, unless it is too late."""
    while len(simulation.ledger.told) < fault.nth:
        if simulation.healing:
            return
        await asyncio.sleep(LOOK_SECONDS)
    simulation.note(fault)
    await _do(simulation, fault)


async def _echo(simulation: Simulation) -> None:
    await echo_forever(simulation.servers.servers.redis_url, Random(f"echo {simulation.plan.seed}"))


async def _do(simulation: Simulation, fault: Fault) -> None:
    place = simulation.places[fault.process]
    match fault.deed:
        case Deed.KILL:
            place.send(signal.SIGKILL)
        case Deed.TERMINATE:
            place.send(signal.SIGTERM)
        case Deed.CRASH_POSTGRES:
            await simulation.servers.crash_postgres()
        case Deed.CRASH_VALKEY:
            await simulation.servers.crash_valkey()
        case Deed.CUT:
            place.lines[fault.line].cut()
        case Deed.STALL:
            await place.lines[fault.line].stall(fault.seconds)
        case Deed.REFUSE:
            await place.lines[fault.line].refuse(fault.seconds)
        case Deed.HOLD:
            simulation.held.add(place.name)
            place.send(signal.SIGSTOP)
            with suppress(psycopg.OperationalError):  # the database may be down just now
                await asyncio.to_thread(simulation.database.put_ahead, timedelta(seconds=fault.step))
            await asyncio.sleep(fault.seconds)
            place.send(signal.SIGCONT)
            simulation.held.discard(place.name)


def at_rest(database: Database) -> bool:
    """Whether nothing is pending and no timer is left behind; games with short turns lapse on and on."""
    ((pending, overdue),) = database.ask(
        "select (select count(*) from submissions where status = 'PENDING'),"
        " (select count(*) from timers where due < slowlight_now() - %s)",
        OVERDUE,
    )
    return not pending and not overdue


async def _until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not true():  # noqa: ASYNC110 - what is waited for happens elsewhere
            await asyncio.sleep(0.1)


def _is_alarm(line: dict[str, Any] | str) -> bool:
    if isinstance(line, str):
        return not line.startswith(("Slowlight is ready", TURNED_BACK))
    return line["level"] in ("error", "critical") and line["event"] != "database_away"
