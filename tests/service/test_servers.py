"""The embedded servers: who starts, joins and stops them, and what is made of what a killed process left."""

import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from time import monotonic, sleep
from urllib.parse import parse_qs, urlsplit

import psutil
import psycopg
import pytest
import redis

from service.servers import Servers, Unfit, joined
from service.servers.account import Account, account_for
from service.servers.place import folder_for, place_in
from service.servers.programs import reachable

HOLD = """
import sys
from pathlib import Path
from service.servers import joined

with joined(Path(sys.argv[1])):
    word = "joined"
    while True:
        try:
            print(word, flush=True)
            sys.stdin.read()
            break
        except KeyboardInterrupt:
            word = "interrupted"
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs servers as another account")


@pytest.fixture(scope="module")
def data(open_folder: Path) -> Path:
    """A folder whose database is made; every test leaves its servers stopped."""
    folder = open_folder / "data"
    with joined(folder):
        pass
    return folder


@contextmanager
def holder(data: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process, with a process group of its own, that has joined the servers of `data` and leaves at the end."""
    process = started_holder(data)
    try:
        assert said(process, "joined")
        yield process
    finally:
        with process:
            assert process.stdin is not None
            process.stdin.close()


def started_holder(data: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLD, str(data)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0)


def said(process: subprocess.Popen[str], word: str) -> bool:
    """Wait for the holder to say `word`, past what it logs; False when it has no more to say."""
    assert process.stdout is not None
    return any(line.strip() == word for line in process.stdout)


def killed(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


def asked(servers: Servers, query: str) -> object:
    with psycopg.connect(servers.database_url) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def pinged(servers: Servers) -> bool:
    with redis.Redis.from_url(servers.redis_url) as client:
        return bool(client.ping())


def server_pids(data: Path) -> dict[int, int]:
    """The processes that work in the folders of the servers, each with its parent."""
    homes = {str(data / "postgres"), str(data / "valkey")}
    found = psutil.process_iter(["cwd", "ppid"])
    return {process.pid: process.info["ppid"] for process in found if process.info["cwd"] in homes}


def masters(data: Path) -> set[int]:
    """Of these processes, those that no other of them started: one a server."""
    pids = server_pids(data)
    return {pid for pid, parent in pids.items() if parent not in pids}


def killed_all(pids: Iterable[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def postmaster_pid(data: Path) -> int:
    return int((data / "postgres" / "postmaster.pid").read_text().split("\n")[0])


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def wait_until_gone(pids: Iterable[int]) -> None:
    patience = monotonic() + 10
    while any(psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in pids):
        assert monotonic() < patience
        sleep(0.02)


def test_the_first_to_join_finds_a_durable_postgresql_18_and_a_valkey_without_tcp(data: Path) -> None:
    with joined(data) as servers:
        assert str(asked(servers, "SHOW server_version")).startswith("18.")
        assert asked(servers, "SELECT current_database()") == "slowlight"
        assert asked(servers, "SHOW server_encoding") == "UTF8"
        assert asked(servers, "SELECT upper('é')") == "É"
        assert [asked(servers, f"SHOW {name}") for name in ("fsync", "full_page_writes", "synchronous_commit")] == [
            "on"
        ] * 3
        assert asked(servers, "SHOW listen_addresses") == ""
        assert not [at for pid in masters(data) for at in psutil.Process(pid).net_connections("inet")]
        assert pinged(servers)
    assert not server_pids(data)


def test_a_later_start_is_ready_within_five_seconds(data: Path) -> None:
    before = monotonic()
    with joined(data) as servers:
        assert pinged(servers)
        assert monotonic() - before < 5


def test_a_second_process_joins_and_the_last_to_leave_stops_both_servers(data: Path) -> None:
    with holder(data):
        began = masters(data)
        assert len(began) == 2
        with joined(data) as servers:
            assert asked(servers, "SELECT 1") == 1
            assert masters(data) == began
        assert masters(data) == began
    assert not server_pids(data)


def test_the_servers_outlive_the_process_that_started_them_while_another_has_joined(data: Path) -> None:
    with holder(data) as starter:
        with joined(data) as servers:
            assert starter.stdin is not None
            starter.stdin.close()
            assert starter.wait(10) == 0
            assert asked(servers, "SELECT 1") == 1
            assert pinged(servers)
        assert not server_pids(data)


def test_a_server_whose_address_is_given_is_not_embedded(data: Path, tmp_path: Path) -> None:
    with joined(data, database_url="postgresql://elsewhere/slowlight") as servers:
        assert servers.database_url == "postgresql://elsewhere/slowlight"
        assert pinged(servers)
        assert len(masters(data)) == 1
    with joined(tmp_path / "unused", "postgresql://elsewhere/slowlight", "redis://elsewhere") as servers:
        assert servers == Servers("postgresql://elsewhere/slowlight", "redis://elsewhere")
    assert not (tmp_path / "unused").exists()


def test_one_process_may_join_twice(data: Path) -> None:
    with joined(data) as first:
        with joined(data) as second:
            assert first == second
        assert pinged(first)
    assert not server_pids(data)


def test_six_processes_that_start_at_once_share_one_pair(data: Path) -> None:
    holders = [started_holder(data) for _ in range(6)]
    assert all(said(process, "joined") for process in holders)
    assert len(masters(data)) == 2
    for process in holders:
        process.communicate()
    assert not server_pids(data)


def test_servers_left_by_a_killed_process_are_adopted(data: Path) -> None:
    with holder(data) as process:
        killed(process)
        left = masters(data)
        assert len(left) == 2
        with joined(data) as servers:
            assert masters(data) == left
            assert asked(servers, "SELECT 1") == 1
        assert not server_pids(data)


def test_after_everything_was_killed_what_was_committed_is_there(data: Path) -> None:
    with holder(data) as process, joined(data) as servers:
        with psycopg.connect(servers.database_url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        pids = server_pids(data)
        killed_all([process.pid, *masters(data), *pids])
        wait_until_gone(pids)
        assert (data / "postgres" / "postmaster.pid").exists()
        assert (data / "sockets" / "valkey.sock").exists()
        with joined(data) as again:
            assert asked(again, "SELECT answer FROM kept") == 42
            assert pinged(again)


def test_backends_that_outlive_a_killed_postmaster_are_waited_for(data: Path) -> None:
    with holder(data), joined(data) as servers, psycopg.connect(servers.database_url) as connection:
        os.kill(postmaster_pid(data), signal.SIGKILL)
        with joined(data) as again:
            assert asked(again, "SELECT 1") == 1
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")


def test_a_server_amid_recovery_is_stopped_all_the_same(data: Path) -> None:
    with joined(data):
        killed_all([min(server_pids(data).keys() - masters(data))])
        before = monotonic()
    assert monotonic() - before < 10
    assert not server_pids(data)


@pytest.mark.parametrize("content", ["", "2147483647\n", "not a number\n", "-1\n"])
def test_a_stale_postmaster_pid_does_not_keep_the_server_from_starting(data: Path, content: str) -> None:
    (data / "postgres" / "postmaster.pid").write_text(content)
    with joined(data) as servers:
        assert asked(servers, "SELECT 1") == 1


def test_a_stale_postmaster_pid_that_now_names_a_stranger_leaves_the_stranger_alone(data: Path) -> None:
    owner = (data / "postgres").stat().st_uid
    with subprocess.Popen(["sleep", "60"], user=owner) as stranger:
        stale = f"{stranger.pid}\n{data / 'postgres'}\n1700000000\n5432\n{data / 'sockets'}\n\n  0  0\nready\n"
        (data / "postgres" / "postmaster.pid").write_text(stale)
        (data / "sockets" / ".s.PGSQL.5432.lock").write_text(stale)
        with joined(data) as servers:
            assert asked(servers, "SELECT 1") == 1
        assert stranger.poll() is None
        stranger.kill()


def test_a_process_killed_while_it_makes_the_database_leaves_nothing_in_the_way(open_folder: Path) -> None:
    data = open_folder / "half-made"
    process = started_holder(data)
    while not list(data.glob("postgres.partial-*/base")):
        assert process.poll() is None
        sleep(0.005)
    [partial] = data.glob("postgres.partial-*")
    [initdb] = [found for found in psutil.process_iter(["cmdline"]) if str(partial) in (found.info["cmdline"] or ())]
    initdb.suspend()  # so that it outlives us, and would go on writing
    killed(process)
    assert not (data / "postgres").exists()
    with joined(data) as servers:
        assert asked(servers, "SELECT 1") == 1
    assert not list(data.glob("postgres.partial-*"))
    assert not initdb.is_running() or initdb.status() == psutil.STATUS_ZOMBIE
    process.communicate()


def test_an_empty_data_directory_is_filled(open_folder: Path) -> None:
    (open_folder / "empty" / "postgres").mkdir(parents=True)
    (open_folder / "empty").chmod(0o711)
    with joined(open_folder / "empty") as servers:
        assert asked(servers, "SELECT 1") == 1


def test_a_folder_that_is_no_data_directory_is_refused_and_left_as_it_is(open_folder: Path) -> None:
    letter = open_folder / "strange" / "postgres" / "letter.txt"
    letter.parent.mkdir(parents=True)
    letter.write_text("Dear Ada")
    (open_folder / "strange").chmod(0o711)
    with pytest.raises(Unfit, match="is not a data directory of PostgreSQL"), joined(open_folder / "strange"):
        pass
    assert letter.read_text() == "Dear Ada"


def test_a_database_of_another_major_version_is_refused(data: Path) -> None:
    written_by = data / "postgres" / "PG_VERSION"
    written_by.write_text("17\n")
    try:
        with (
            pytest.raises(Unfit, match=r"was written by PostgreSQL 17, and this is PostgreSQL 18\..*Upgrade"),
            joined(data),
        ):
            pass
    finally:
        written_by.write_text("18\n")


def test_a_ctrl_c_at_the_terminal_reaches_us_and_not_the_servers(data: Path) -> None:
    with holder(data) as process:
        os.killpg(process.pid, signal.SIGINT)
        assert said(process, "interrupted")
        began = masters(data)
        assert not {os.getpgid(pid) for pid in began} & {process.pid, os.getpgrp()}
        assert not {os.getsid(pid) for pid in began} & {os.getsid(0)}
        with joined(data) as servers:
            assert asked(servers, "SELECT 1") == 1
            assert pinged(servers)
        assert masters(data) == began


def test_a_ctrl_c_while_the_servers_start_leaves_none_running(open_folder: Path) -> None:
    data = open_folder / "interrupted"
    process = started_holder(data)
    while not list(data.glob("postgres.partial-*/base")):
        assert process.poll() is None
        sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)
    assert not said(process, "joined")
    process.communicate()
    commands = [" ".join(found.info["cmdline"] or ()) for found in psutil.process_iter(["cmdline"])]
    assert not [command for command in commands if str(data) in command]


def test_only_the_servers_account_may_enter_and_no_folder_above_is_changed(open_folder: Path) -> None:
    above = [open_folder / "a", open_folder / "a" / "b"]
    for folder, bits in zip(above, (0o751, 0o711), strict=True):
        folder.mkdir()
        folder.chmod(bits)
    before = [(path, mode(path), path.stat().st_uid) for path in (*above, *open_folder.parents, open_folder)]
    data = above[-1] / "data"
    with joined(data):
        private = [data / "sockets", data / "postgres", data / "valkey", *(data / "sockets").glob("*.sock")]
        assert {mode(path) for path in private} == {0o700}
        assert mode(data / "sockets" / ".s.PGSQL.5432") == 0o700
        assert mode(data) & 0o066 == 0
    assert before == [(path, mode(path), path.stat().st_uid) for path, _, _ in before]


def test_a_path_too_long_for_a_socket_gets_a_short_private_folder_for_it(open_folder: Path) -> None:
    data = open_folder / ("long-" * 20)
    with joined(data) as servers:
        sockets = Path(parse_qs(urlsplit(servers.database_url).query)["host"][0])
        assert len(os.fsencode(sockets)) < 40
        assert mode(sockets) == 0o700
        assert asked(servers, "SELECT 1") == 1
        assert pinged(servers)
        with holder(data):
            assert len(list(sockets.iterdir())) == 3
    assert not sockets.exists()


def test_a_strangers_link_where_the_sockets_belong_is_refused(data: Path, tmp_path: Path) -> None:
    shutil.rmtree(data / "sockets")
    (data / "sockets").symlink_to(tmp_path)
    try:
        with pytest.raises(Unfit, match="sockets is not a folder of the account"), joined(data):
            pass
    finally:
        (data / "sockets").unlink()
    assert not list(tmp_path.iterdir())


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(Unfit, match="is not a folder this user may write to"), joined(tmp_path / "data"):
        pass


@as_root
def test_under_root_a_closed_folder_above_is_named_and_stays_closed(open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    (closed / "data").mkdir()
    said = f"^{closed} may not be entered by .* Start Slowlight as an ordinary user"
    with pytest.raises(Unfit, match=said), joined(closed / "data"):
        pass
    assert mode(closed) == 0o700


@as_root
def test_under_root_new_data_below_a_closed_folder_is_a_link_to_where_the_servers_can_work(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.servers.place.OPEN_PLACE", open_folder / "open-place")
    closed = open_folder / "shut"
    closed.mkdir(mode=0o700)
    with joined(closed / "data") as servers, psycopg.connect(servers.database_url) as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    assert (closed / "data").readlink().parent == open_folder / "open-place"
    assert mode(closed) == 0o700
    with joined(closed / "data"):
        assert len(list((open_folder / "open-place").iterdir())) == 1, "a later start finds the same data"


@as_root
def test_under_root_the_servers_run_as_an_account_that_is_not_root(data: Path) -> None:
    account = account_for(data / "postgres")
    assert account is not None
    with joined(data):
        assert {psutil.Process(pid).uids().effective for pid in masters(data)} == {account.uid}
    assert account.uid != 0
    assert account_for(data / "not there") == account


@as_root
def test_under_root_programs_out_of_the_accounts_reach_are_copied_and_stay_out_of_reach(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = open_folder / "site"
    files = {
        "server/bin/serve": '#!/bin/sh\ncat "$(dirname "$0")/../../server.libs/word"\n',
        "server.libs/word": "served",
        "server-1.2.dist-info/METADATA": "Metadata-Version: 2.1\nName: server\nVersion: 1.2\n",
        "server-1.2.dist-info/RECORD": "server/bin/serve,,\nserver.libs/word,,\n",
    }
    for name, text in files.items():
        (site / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        (site / name).write_text(text)
        (site / name).chmod(0o700)
    site.chmod(0o700)
    monkeypatch.syspath_prepend(site)
    place = place_in(folder_for(open_folder / "reach"))
    program = reachable("server", PurePath("server/bin/serve"), place)
    assert program == open_folder / "reach/programs/server-1.2/server/bin/serve"
    assert isinstance(place.account, Account)
    ran = subprocess.run([program], user=place.account.uid, cwd="/", capture_output=True, check=True)
    assert ran.stdout == b"served"
    assert {mode(site), mode(site / "server/bin/serve"), mode(site / "server.libs")} == {0o700}
    assert reachable("server", PurePath("server/bin/serve"), place) == program
