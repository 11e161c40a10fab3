"""The command `slowlight` as people run it: real processes on a data folder of their own."""

import json
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from domain.catalogue import NEWEST
from service.anchors import checkpoint_in
from service.servers import joined
from service.signing import keys_in

SLOWLIGHT = Path(sys.executable).with_name("slowlight")
README = Path(__file__).parents[2] / "README.md"
SEATED = ("Your other choices", "It is not your turn")
READY = re.compile(r"ready at (http://\S+)")
PATIENCE_SECONDS = 60


@pytest.fixture(scope="module")
def data(open_folder: Path) -> Iterator[Path]:
    """A data folder with a finished game of the demo in it."""
    folder = open_folder / "commands"
    told = slowlight("demo", "--data", folder)
    assert told.returncode == 0, told.stderr
    assert "Result: " in told.stdout
    assert re.search(r"^\d+ events\.$", told.stdout, re.MULTILINE)
    assert "folded again from the database, gives the same state" in told.stdout
    with joined(folder):  # kept running, so that each command joins
        yield folder


def slowlight(*words: Any) -> subprocess.CompletedProcess[str]:
    command = [str(SLOWLIGHT), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)


@contextmanager
def serving(data: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
    """A served folder: the process, its address, and the lines it has printed by the time it is ready to be used."""
    command = [str(SLOWLIGHT), "serve", "--data", str(data), "--port", "0", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        lines: list[str] = []
        address = ""
        try:
            for line in process.stdout:
                lines.append(line)
                if match := READY.search(line):
                    address = match[1]
                if address and ("--demo" not in words or line.startswith(SEATED)):
                    break
            yield process, address, lines
        finally:
            if process.poll() is None:
                process.kill()


def ask(address: str, document: str, token: str | None = None, **variables: Any) -> Any:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = httpx.post(address, json={"query": document, "variables": variables}, headers=headers).json()
    assert "errors" not in answer, answer
    return answer["data"]


def database(data: Path) -> psycopg.Connection[Any]:
    """A connection as the owner of the tables."""
    with joined(data) as servers:
        return psycopg.connect(servers.database_url, autocommit=True)


def test_a_whole_demo_game_replays(data: Path) -> None:
    told = slowlight("replay", "--all", "--data", data)
    assert told.returncode == 0, told.stderr
    assert re.search(r"1 game, \d+ events, 0 faults, [\d,]+ events/s", told.stdout)


def test_a_read_model_that_differs_from_the_fold_fails_the_replay(data: Path) -> None:
    with database(data) as connection:
        connection.execute("update games set awaiting = '{1}'")
    try:
        told = slowlight("replay", "--all", "--data", data)
    finally:
        with database(data) as connection:
            connection.execute("update games set awaiting = '{}'")
    assert told.returncode == 1
    assert "awaiting: the read model differs from the fold" in told.stderr


def test_a_stream_that_does_not_fold_fails_the_replay(data: Path) -> None:
    unwritten = "alter table events disable trigger user", "alter table events enable trigger user"
    with database(data) as connection:
        connection.execute(unwritten[0])
        connection.execute("update events set public = replace(public, 'gravwell.race_begun', 'gravwell.race_bogus')")
    try:
        told = slowlight("replay", "--all", "--data", data)
    finally:
        with database(data) as connection:
            connection.execute(
                "update events set public = replace(public, 'gravwell.race_bogus', 'gravwell.race_begun')"
            )
            connection.execute(unwritten[1])
    assert told.returncode == 1
    assert "does not fold: KeyError" in told.stderr


def test_two_versions_of_the_rules_are_compared_on_all_games_of_a_title(data: Path) -> None:
    told = slowlight("impact", "gravwell", "--from", "1", "--to", "2", "--data", data)
    assert told.returncode == 0, told.stderr
    *parted, summary = told.stdout.splitlines()
    assert re.fullmatch(r"1 game, [01] part, 0 faults", summary)
    assert len(parted) == 3 * summary.count(" 1 part")
    none = slowlight("impact", "exoplanets", "--from", "1", "--to", "1", "--data", data)
    assert none.stdout == "0 games, 0 part, 0 faults\n"


def test_an_altered_row_is_found_by_a_verifying_replay(data: Path) -> None:
    assert slowlight("replay", "--all", "--verify", "--data", data).returncode == 0
    with database(data) as connection:
        connection.execute("alter table events disable trigger user")
        ((secret,),) = connection.execute("select secret from events where version = 1").fetchall()
        connection.execute("update events set secret = replace(secret, '{', '{ ') where version = 1")
    try:
        told = slowlight("replay", "--all", "--verify", "--data", data)
    finally:
        with database(data) as connection:
            connection.execute("update events set secret = %s where version = 1", [secret])
            connection.execute("alter table events enable trigger user")
    assert told.returncode == 1
    assert "event 1: this line is not canonical text" in told.stderr


def test_a_game_is_exported_verified_and_imported_elsewhere(data: Path, open_folder: Path, tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "bundles", open_folder / "elsewhere"
    told = slowlight("export", "--all", "--since", "2020-01-01", "--output", folder, "--data", data)
    assert (told.returncode, told.stdout.split(",")[0]) == (0, f"1 game in {folder}"), told.stderr
    (bundle,) = folder.rglob("*.jsonl")
    assert slowlight("verify", bundle).returncode == 0
    again = tmp_path / "again.jsonl"
    with joined(elsewhere):
        for word in ("is here now", "was here already"):
            told = slowlight("import", bundle, "--data", elsewhere)
            assert word in told.stdout, told.stderr
        assert slowlight("export", bundle.stem, "--output", again, "--data", elsewhere).returncode == 0
        assert again.read_bytes() == bundle.read_bytes()
        assert slowlight("replay", "--all", "--verify", "--data", elsewhere).returncode == 0
        damaged = tmp_path / "damaged.jsonl"
        damaged.write_bytes(bundle.read_bytes().replace(b'"schema":1', b'"schema":2', 1))
        told = slowlight("import", damaged, "--data", elsewhere)
        assert (told.returncode, "line 2, event 1 game.opened: its text was changed" in told.stderr) == (1, True)
    key = data / "signing-key"
    assert key.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "words",
    [
        ("replay",),
        ("replay", "not-a-game"),
        ("replay", "--all", "x"),
        ("end", "x"),
        ("impact", "gravwell", "--from", "1", "--to", "9"),
        ("export",),
        ("export", "--all", "--since", "yesterday"),
        ("export", "x", "--since", "2020-01-01"),
    ],
)
def test_words_that_make_no_sense_are_refused_with_a_hint(data: Path, words: tuple[str, ...]) -> None:
    told = slowlight(*words, "--data", data)
    assert told.returncode == 2
    assert "Usage" in told.stderr


@pytest.mark.parametrize(
    ("command", "defaults"),
    [("serve", ["127.0.0.1", "8000", ".slowlight"]), ("export", ["the game's UUID, or `bundles`", ".slowlight"])],
)
def test_the_help_tells_every_default(monkeypatch: pytest.MonkeyPatch, command: str, defaults: list[str]) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    told = slowlight(command, "--help").stdout
    assert re.findall(r"\[default: \((.+?)\)\]", told) == defaults


@pytest.mark.parametrize(
    "words",
    [
        ("replay", "nonsense"),
        ("export", "nonsense"),
        ("release", "nonsense"),
        ("end", "nonsense"),
        ("serve", "--demo", "--only", "worker"),
        ("serve", "--port", "99999"),
    ],
)
def test_nothing_is_made_on_disk_before_the_words_make_sense(open_folder: Path, words: tuple[str, ...]) -> None:
    folder = open_folder / "unmade"
    assert slowlight(*words, "--data", folder).returncode in {1, 2}
    assert not folder.exists()


def test_a_port_that_is_taken_is_named_before_anything_starts(open_folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        told = slowlight("serve", "--data", open_folder / "unmade", "--port", taken.getsockname()[1])
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr == f"{place} is in use; name another with --port.\n"
    assert not (open_folder / "unmade").exists()


@pytest.mark.parametrize(
    ("name", "value"), [("SLOWLIGHT_PORT", "99999"), ("SLOWLIGHT_PORT", "http"), ("SLOWLIGHT_LOG_LEVEL", "loud")]
)
def test_a_setting_that_makes_no_sense_is_named_on_one_line(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    told = slowlight("serve")
    assert told.returncode == 1
    assert re.fullmatch(rf"{name}: Input should be .+\n", told.stderr)


def test_a_database_that_is_away_is_one_line_to_the_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWLIGHT_DATABASE_URL", "postgresql://127.0.0.1:1/nowhere")
    monkeypatch.setenv("SLOWLIGHT_REDIS_URL", "redis://127.0.0.1:1")
    for words in (("token", "ada"), ("replay", "--all"), ("checkpoint",), ("migrate",)):
        told = slowlight(*words)
        assert (told.returncode, told.stderr) == (1, "The database does not answer.\n"), words


def test_the_first_command_on_a_new_folder_finds_nothing_there_yet(open_folder: Path) -> None:
    folder = open_folder / "new"
    with joined(folder):
        told = slowlight("token", "ada", "--data", folder)
    assert (told.returncode, told.stderr.splitlines()[-1]) == (1, "There is no account ada.")
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize("command", ["release", "end"])
def test_only_a_quarantined_game_is_operated_on(data: Path, command: str) -> None:
    told = slowlight(command, "00000000-0000-8000-8000-000000000000", "--data", data)
    assert told.returncode == 1
    assert "not quarantined" in told.stderr


def test_a_newcomer_pastes_the_printed_command_and_has_taken_a_turn(data: Path) -> None:
    with serving(data, "--demo") as (process, address, lines):
        text = "".join(lines)
        pasted = text[text.index("curl") : text.index("Your other choices")]
        told = subprocess.run(shlex.split(pasted.replace("\\\n", " ")), capture_output=True, text=True, check=True)
        assert '"status":"APPLIED"' in told.stdout.replace(" ", "")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 0
    token = text.split("Your token:")[1].split()[0]
    assert (data / "newcomer.json").stat().st_mode & 0o777 == 0o600
    with serving(data, "--demo") as (process, address, lines):
        assert token in "".join(lines), "a later start goes on with the same account"
        assert ask(address, "{ me { handle } }", token)["me"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_stranger_pastes_the_lines_of_the_readme_and_has_taken_a_turn(
    open_folder: Path, shell: str, tmp_path: Path
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    typed: list[str] = []
    given = {"token": "", "game": ""}
    answer: dict[str, Any] = {}
    with serving(open_folder / f"readme-{shell}") as (process, address, _):
        for line in lines_of_readme("A first turn with curl"):
            own = line.replace("http://127.0.0.1:8000/graphql", address)
            name, gap, _ = own.partition("=...")
            if gap:
                (given[name],) = (value for deed in answer["data"].values() for value in deed.values())
                typed.append(f"{name}={given[name]}")
            elif own.startswith("ask '"):
                script = "\n".join([*typed, own])
                told = subprocess.run(
                    [shell, "-fc" if shell == "zsh" else "-c", script], capture_output=True, check=True
                )
                answer = json.loads(told.stdout)
            else:
                typed.append(own)
        assert answer["data"]["submitTurn"]["status"] == "APPLIED", answer
        bot = "\n".join(lines_of_readme("A bot in fifteen lines")).replace("http://127.0.0.1:8000/graphql", address)
        file = tmp_path / "bot.py"
        file.write_text(bot.replace('"..."', repr(given["token"])).replace('"game_..."', repr(given["game"])))
        with subprocess.Popen([sys.executable, "-u", file], stdout=subprocess.PIPE, text=True) as playing:
            assert playing.stdout is not None
            assert playing.stdout.readline() == "{'submitTurn': {'status': 'APPLIED'}}\n"
            playing.kill()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 0


def lines_of_readme(heading: str) -> list[str]:
    """The indented lines below a heading, as they would be pasted."""
    text = README.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    return [line.removeprefix("    ") for line in text.splitlines() if line.startswith("    ")]


def test_a_lost_token_is_replaced_by_the_operator(data: Path) -> None:
    with serving(data) as (process, address, _):
        register = 'mutation { register(input: {handle: "Forgetful"}) { ... on Registered { token } } }'
        ask(address, register)
        told = slowlight("token", "forgetful", "--data", data, "--name", "lost and found")
        assert told.returncode == 0, told.stderr
        seen = ask(address, "{ me { handle } myTokens { name } }", told.stdout.strip())
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 0
    assert seen == {"me": {"handle": "Forgetful"}, "myTokens": [{"name": "first"}, {"name": "lost and found"}]}
    assert slowlight("token", "nobody-here", "--data", data).returncode == 1


def test_an_operator_forgets_a_player(data: Path) -> None:
    register = 'mutation { register(input: {handle: "Ephemeral"}) { ... on Registered { token } } }'
    with serving(data) as (process, address, _):
        token = ask(address, register)["register"]["token"]
        open_game = (
            'mutation { openGame(input: {key: "k", ruleset: GRAVWELL, seats: 2}) { ... on Receipt { gameId } } }'
        )
        game = ask(address, open_game, token)["openGame"]["gameId"]
        told = slowlight("forget", "ephemeral", "--data", data)
        assert told.returncode == 0, told.stderr
        assert told.stdout == "Forgotten: 0 running games retire the seat, 1 open ones are left.\n"
        assert ended(address, game)["outcome"] == {"reason": "cancelled"}
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 0
    with database(data) as connection:
        assert connection.execute("select from players where handle = 'Ephemeral'").fetchall() == []
    assert slowlight("forget", "ephemeral", "--data", data).returncode == 1


def test_keys_are_rotated_and_checkpoints_made_by_the_operator(data: Path) -> None:
    private = data / "signing-key"
    assert private.stat().st_mode & 0o777 == 0o600
    first = json.loads(slowlight("checkpoint", "--data", data).stdout)
    told = slowlight("keys", "rotate", "--data", data)
    assert (told.returncode, told.stdout) == (0, ""), "the private key is in the file and nowhere else"
    second = json.loads(slowlight("checkpoint", "--data", data).stdout)
    document = json.loads(slowlight("keys", "list", "--data", data).stdout)
    keys = keys_in(document, pinned=first["key"])
    assert [one["key"] for one in document["keys"]] == [second["key"], first["key"]]
    for said in (first, second):
        assert checkpoint_in(said, keys).number == said["number"]
    assert second["number"] == first["number"] + 1
    assert slowlight("keys", "retire", first["key"], "--data", data).returncode == 0
    assert slowlight("keys", "retire", "nonsense", "--data", data).returncode == 1
    assert private.read_text().strip() not in told.stderr + json.dumps(document)


def test_a_private_key_that_others_may_read_is_not_used(data: Path) -> None:
    private = data / "signing-key"
    private.chmod(0o644)
    try:
        for words in (("checkpoint",), ("keys", "list"), ("serve", "--port", "0")):
            told = slowlight(*words, "--data", data)
            assert (told.returncode, "chmod 600" in told.stderr) == (1, True), words
    finally:
        private.chmod(0o600)


def test_a_new_private_key_is_printed_for_the_environment() -> None:
    drawn = {slowlight("keys", "new").stdout for _ in range(2)}
    assert len(drawn) == 2
    assert all(re.fullmatch(r"[0-9a-f]{64}\n", text) for text in drawn)


def test_a_process_killed_in_its_tracks_is_followed_by_one_that_works(open_folder: Path) -> None:
    folder = open_folder / "killed"
    with serving(folder) as (process, address, _):
        register = 'mutation { register(input: {handle: "early"}) { ... on Registered { token } } }'
        token = ask(address, register)["register"]["token"]
        process.kill()
        process.wait(PATIENCE_SECONDS)
    with serving(folder) as (process, address, _):
        assert ask(address, "{ me { handle } }", token)["me"] == {"handle": "early"}
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 0
    time.sleep(0.1)
    assert not (folder / "postgres" / "postmaster.pid").exists()


@pytest.mark.parametrize(("ruleset", "seats"), [("GRAVWELL", 2), ("EXOPLANETS", 4)])
def test_an_api_and_a_worker_on_one_folder_play_a_game_of_house_bots(data: Path, ruleset: str, seats: int) -> None:
    with serving(data, "--only", "api") as (api, address, _), worker_of(data) as worker:
        register = "mutation ($handle: String!) { register(input: {handle: $handle}) { ... on Registered { token } } }"
        token = ask(address, register, handle=f"host-of-{ruleset.lower()}")["register"]["token"]
        opened = ask(
            address,
            "mutation ($ruleset: RulesetName!, $seats: Int!) {"
            ' openGame(input: {key: "k", ruleset: $ruleset, seats: $seats, bots: $seats, sit: false})'
            " { ... on Receipt { gameId } } }",
            token,
            ruleset=ruleset,
            seats=seats,
        )
        game = ended(address, opened["openGame"]["gameId"])
        for process in (api, worker):
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_SECONDS) == 0
    assert game["outcome"]["reason"] in NEWEST[ruleset.lower()].reasons


@contextmanager
def worker_of(data: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [str(SLOWLIGHT), "serve", "--data", str(data), "--only", "worker"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def ended(address: str, game_id: str) -> Any:
    """The game once it is over."""
    document = "query ($id: ID!) { game(id: $id) { status outcome { reason } } }"
    until = time.monotonic() + 3 * PATIENCE_SECONDS
    while (game := ask(address, document, id=game_id)["game"])["status"] != "ENDED":
        assert time.monotonic() < until, "the bots do not come to an end"
        time.sleep(0.2)
    return game
