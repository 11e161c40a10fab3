"""What those who run the service ask of a process, and what it says of itself."""

import asyncio
from pathlib import Path

import httpx
import psycopg

from tests.simulation.ledger import Ledger
from tests.simulation.nursery import Nursery
from tests.simulation.plan import Table
from tests.simulation.players import TIMEOUT_SECONDS, come, newcomers, uuid_of
from tests.simulation.processes import Part, processes
from tests.simulation.scenes import Stage
from tests.simulation.servers import Mortal

GAUGES = (
    "database_up",
    "inbox_age_seconds",
    "timer_overdue_seconds",
    "quarantined_games",
    "followers",
    "follower_lag_versions",
    "pool_connections",
    "pool_connections_idle",
    "pool_requests_waiting",
)


AWAY_SECONDS = 8.0

OPEN_PRIVATE = """
mutation {
  openGame(input: {key: "private", ruleset: GRAVWELL, seats: 2, visibility: PRIVATE}) { ... on Receipt { status } }
}"""


async def test_a_process_says_that_it_is_ready_how_it_does_and_never_a_secret(
    servers_to_kill: Mortal, born: Nursery, open_folder: Path
) -> None:
    database, ledger, folder = servers_to_kill.new_database(), Ledger(), open_folder / "operated"
    folder.mkdir()
    async with (
        processes({"desk": Part()}, born, database, servers_to_kill, folder) as places,
        httpx.AsyncClient(timeout=TIMEOUT_SECONDS) as http,
    ):
        desk = places["desk"]
        desk.environment["SLOWLIGHT_LOG_LEVEL"] = "debug"
        stage = Stage(database, places, ledger, await newcomers(2, database, ledger, http), is_sound=True)
        await stage.come_up("desk")
        stage.go_to("desk")
        ((stage.game_id, _),) = await come(stage.players, [Table((0, 1), 0, 300, start=True)])
        for _ in range(4):
            player, request = await stage.next_turn()
            await player.send(request)

        async def asked(path: str) -> httpx.Response:
            return await http.get(f"http://127.0.0.1:{desk.http}{path}")

        assert (await asked("/healthz")).status_code == 200
        assert (await asked("/readyz")).status_code == 200
        measured = values_in((await asked("/metrics")).text)
        assert {f"slowlight_{gauge}" for gauge in GAUGES} <= measured.keys()
        assert (measured["slowlight_database_up"], measured["slowlight_quarantined_games"]) == (1, 0)
        assert measured['slowlight_turn_stage_seconds_count{stage="turn"}'] == 5  # one seat taken, four turns

        with psycopg.connect(database.url) as owner:
            owner.execute("update games set quarantined_at = slowlight_now(), quarantine_cause = 'a test'")
        assert values_in((await asked("/metrics")).text)["slowlight_quarantined_games"] == 1

        receipts = [line for line in desk.said() if isinstance(line, dict) and line["event"] == "received"]
        told = {str(one.submission_id) for one in ledger.told if one.scope[2].startswith(("turn", "sit"))}
        assert {line["submission"] for line in receipts} == told
        assert {line["game"] for line in receipts} == {str(uuid_of(stage.game_id))}
        assert len({line["request"] for line in receipts}) == len(receipts)
        opened = await http.post(
            f"http://127.0.0.1:{desk.http}/graphql",
            json={"query": OPEN_PRIVATE},
            headers={"Authorization": f"Bearer {stage.players[0].token}"},
        )
        assert opened.json()["data"]["openGame"]["status"] == "APPLIED"
        logged = "\n".join(map(str, desk.said()))
        assert not [secret for secret in secrets_of(stage) if secret in logged]

        away = asyncio.create_task(desk.lines["postgres"].refuse(AWAY_SECONDS))
        await asyncio.sleep(0.1)
        assert (await asked("/healthz")).status_code == 200
        assert (await asked("/readyz")).status_code == 503
        assert values_in((await asked("/metrics")).text)["slowlight_database_up"] == 0
        await away


def values_in(exposition: str) -> dict[str, float]:
    """The measurements of an exposition by their names, labels and all."""
    lines = (line.rpartition(" ") for line in exposition.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


def secrets_of(stage: Stage) -> list[str]:
    """All that no log may hold: tokens, secrets of games, join secrets, and what is sealed in events."""
    sealed = [text for (text,) in stage.database.ask("select secret from events where secret is not null")]
    games = stage.database.ask("select encode(secret, 'hex') from games")
    joins = stage.database.ask("select join_secret from games where join_secret is not null")
    assert len(games) == 2
    assert len(joins) == 1
    assert sealed
    return [*(player.token for player in stage.players), *(text for (text,) in (*games, *joins)), *sealed]
