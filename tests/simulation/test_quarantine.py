"""A bug of one title's reducer is the affair of one game."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import httpx

from tests.simulation.broken import POISONED_STACK
from tests.simulation.checker import faults_of
from tests.simulation.evidence import gathered
from tests.simulation.ledger import Ledger
from tests.simulation.nursery import RUNNING, SOUND, Nursery
from tests.simulation.plan import Table
from tests.simulation.players import TIMEOUT_SECONDS, Player, Request, come, newcomers, uuid_of
from tests.simulation.processes import Part, Process, processes
from tests.simulation.scenes import Stage
from tests.simulation.servers import Mortal
from tests.simulation.simulation import alarms_of

BROKEN = Part(build="a reducer that raises")
PARTS = {"first": BROKEN, "second": BROKEN, "mended": Part()}
SWEEPS_SECONDS = 3.0


async def test_a_reducer_that_raises_quarantines_its_game_once_loses_nothing_and_release_resumes_it(
    servers_to_kill: Mortal, born: Nursery, tmp_path: Path, open_folder: Path
) -> None:
    database, ledger, folder = servers_to_kill.new_database(), Ledger(), open_folder / "quarantine"
    folder.mkdir()
    async with (
        processes(PARTS, born, database, servers_to_kill, folder) as places,
        httpx.AsyncClient(timeout=TIMEOUT_SECONDS) as http,
    ):
        players = await newcomers(2, database, ledger, http)
        stage = Stage(database, places, ledger, players, is_sound=False)
        await stage.come_up("first")
        await stage.come_up("second")
        stage.go_to("first")
        table = Table((0, 1), 0, None, start=True)
        (poisoned, _), (healthy, _) = await come(players, [table, table])

        stage.game_id = poisoned
        player, _ = await stage.next_turn()
        told = [await player.send(draft(player, poisoned, POISONED_STACK))]
        stage.go_to("second")
        told += [await player.send(draft(player, poisoned, stack)) for stack in (POISONED_STACK, 2)]
        await asyncio.sleep(SWEEPS_SECONDS)
        assert [answer and answer["status"] for answer in told] == ["PENDING"] * 3
        assert database.ask("select game_id from games where quarantined_at is not null") == [(uuid_of(poisoned),)]
        assert [alarm for place in places.values() for alarm in quarantines_in(place)] == [str(uuid_of(poisoned))]

        stage.game_id = healthy
        for name in ("first", "second"):
            stage.go_to(name)
            other, _ = await stage.next_turn()
            answer = await other.send(draft(other, healthy, 2 if name == "first" else 3))
            assert answer is not None
            assert answer["status"] == "APPLIED"

        for name in ("first", "second"):
            places[name].send(signal.SIGTERM)
        await stage.come_up("mended")
        stage.go_to("mended")
        said = await commanded(born, ("release", poisoned), places["mended"], tmp_path / "said")
        assert said.startswith("The game goes on")
        ledger.operated.append((uuid_of(poisoned), "release"))
        await player.settle()
        places["mended"].send(signal.SIGTERM)
        await stage.until(lambda: not any(place.alive for place in places.values()))

        outcomes = "select status from submissions where game_id = %s and content like %s order by received_at"
        assert database.ask(outcomes, uuid_of(poisoned), "%draft_stack%") == [("APPLIED",), ("REFUSED",), ("REFUSED",)]
        assert not faults_of(await gathered(database), ledger)
        assert len([alarm for place in places.values() for alarm in alarms_of(place)]) == 1
        logs = [place.log.read_text() for place in places.values()]
        assert not [log for log in logs if "must stay where it is" in log]


def draft(player: Player, game_id: str, stack: int) -> Request:
    """The request of a draft, and no long wait for what comes of it."""
    request = player.turn(game_id, {"gravwell": {"draftStack": {"stack": stack}}}, None)
    return Request(request.scope, request.document, {**request.variables, "wait": 0.5})


def quarantines_in(place: Process) -> list[Any]:
    """The games that a process has raised the alarm for."""
    said = [line for line in place.said() if isinstance(line, dict)]
    return [line["game"] for line in said if line["event"] == "game_quarantined"]


async def commanded(born: Nursery, arguments: tuple[str, ...], beside: Process, log: Path) -> str:
    """What a command says that is given with the environment of a process, and comes to a good end."""
    pid = born.start(arguments, beside.environment, log, SOUND)
    async with asyncio.timeout(20):
        while (ended := born.look(pid)) == RUNNING:  # noqa: ASYNC110 - it ends elsewhere
            await asyncio.sleep(0.05)
    said = await asyncio.to_thread(log.read_text)
    assert ended == 0, said
    return said
