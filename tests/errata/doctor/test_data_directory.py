"""The doctor looks at a data directory and leaves it as it is."""

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errata.doctor import service
from errata.doctor.examination import findings
from errata.doctor.finding import Finding
from errata.state import Store
from errata.state.backup_runs import Kind, record_backup_run
from errata.state.database import Database
from errata.state.heartbeats import Heartbeats, note_heartbeat
from errata.up.data_directory import DataDirectory, DataIncomplete, require_log
from tests.backup_run import a_backup_run

HERE = socket.gethostname()
WRITES_AND_STAYS = """
import sys, time
from errata.state import Store
from errata.state.heartbeats import note_heartbeat
store = Store.open(sys.argv[1], b"s" * 32)
store.migrate()
note_heartbeat(store.database, "worker-2", has_built=True)
print("written", flush=True)
time.sleep(600)
"""


@pytest.fixture
def directory(tmp_path: Path) -> DataDirectory:
    """As a service leaves it that was stopped."""
    found = DataDirectory(tmp_path / "data")
    found.create()
    found.begin()
    found.hold().close()
    return found


def seen(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Of everything in a folder and of itself: its mode, its size and when it changed."""
    paths = (folder, *folder.rglob("*")) if folder.exists() else ()
    return {
        str(path): (found.st_mode, found.st_size, found.st_mtime_ns)
        for path in paths
        for found in [path.stat()]
    }


def examined(directory: DataDirectory) -> list[Finding]:
    return list(findings(directory, {}))


def about(subject: str, found: list[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.subject == subject]


def written_before(store: Store, age: timedelta, *hosts: str) -> None:
    then = datetime.now(UTC) - age
    database = Database(f"sqlite:///{store.database.file}", lambda: then)
    for host in hosts:
        note_heartbeat(database, host, has_built=True)
    database.close()


def test_pipelines_of_a_service_that_has_just_started_are_given_time(directory: DataDirectory) -> None:
    store = Store.open(directory.state_url, b"s" * 32)
    store.migrate()
    written_before(store, timedelta(hours=3), HERE)
    store.close()
    with directory.hold():
        assert [finding.remedy for finding in about("pipelines", examined(directory))] == [""]
        long_ago = time.time() - 3600
        os.utime(directory.run / "up.lock", (long_ago, long_ago))
        (finding,) = about("pipelines", examined(directory))
        assert finding.remedy.startswith(f"Start the pipelines on {HERE} again")


@pytest.mark.slow
def test_a_directory_that_is_not_there_is_wrong_and_not_made(tmp_path: Path) -> None:
    asked = subprocess.run(
        [sys.executable, "-m", "errata", "doctor", "--data", str(tmp_path / "none")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 1
    assert f"WRONG data: {tmp_path / 'none'} does not exist" in asked.stdout
    assert "engine: responded after" in asked.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_directory_that_no_service_used_stays_empty(tmp_path: Path) -> None:
    examined(DataDirectory(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_running_service_is_told_by_its_checks_and_reasons(directory: DataDirectory) -> None:
    holder = "errata up (process 7) at http://127.0.0.1:1"
    checks = {"warehouse": "ok", "state": "failing"}
    health = {"status": "failing", "checks": checks, "reasons": {"state": "It is locked."}, "duties": []}
    found = next(service.findings(directory, holder, health))
    assert found == Finding("service", f"{holder}: warehouse ok, state failing", "It is locked.")


@pytest.mark.slow
def test_a_stopped_service_stays_as_it_is(directory: DataDirectory) -> None:
    store = Store.open(directory.state_url, b"s" * 32)
    store.migrate()
    written_before(store, timedelta(hours=3), HERE, "worker-2")
    store.close()
    before = seen(directory.path)
    found = examined(directory)
    assert seen(directory.path) == before
    assert about("service", found) == [Finding("service", "not running")]
    told = {finding.said.partition(":")[0]: finding for finding in about("pipelines", found)}
    # The pipelines of this host ended with the service.
    assert told[HERE] == Finding("pipelines", f"{HERE}: last alive 3 h ago, last build 3 h ago")
    assert told["worker-2"].said == "worker-2: last alive 3 h ago, last build 3 h ago"
    assert told["worker-2"].remedy.startswith("Start the pipelines on worker-2 again")


@pytest.fixture
def writer(directory: DataDirectory) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that has the state store open, and has written to it."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITES_AND_STAYS, directory.state_url],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    assert process.stdout is not None and process.stdout.readline() == b"written\n"
    yield process
    process.kill()
    process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("is_killed", [True, False], ids=["killed", "running"])
def test_what_a_program_has_just_written_is_seen_and_its_files_stay(
    directory: DataDirectory, writer: "subprocess.Popen[bytes]", is_killed: bool
) -> None:
    if is_killed:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    assert (directory.path / "state.db-wal").stat().st_size > 0
    before = seen(directory.path)
    found = examined(directory)
    assert seen(directory.path) == before
    (finding,) = about("pipelines", found)
    assert finding.said.startswith("worker-2: last alive ") and not finding.remedy


@pytest.mark.slow
def test_a_store_of_an_older_version_is_not_migrated(directory: DataDirectory) -> None:
    store = Store.open(directory.state_url, b"s" * 32)
    store.database.migrate("0012")
    store.close()
    before = seen(directory.path)
    (finding,) = about("state store", examined(directory))
    assert seen(directory.path) == before
    assert finding.said.startswith("lacks ") and finding.said.endswith("; they are applied at the next start")
    assert not finding.remedy


@pytest.mark.slow
def test_a_store_of_a_newer_version_is_wrong(directory: DataDirectory) -> None:
    store = Store.open(directory.state_url, b"s" * 32)
    store.migrate()
    store.close()
    with sqlite3.connect(directory.state_path) as connection:
        connection.execute("update alembic_version set version_num = '9000'")
    connection.close()
    (finding,) = about("state store", examined(directory))
    assert "newer than this version" in finding.said and finding.remedy


def test_a_directory_that_is_held_is_told_by_who_holds_it(directory: DataDirectory) -> None:
    assert directory.holder() == ""
    with directory.hold():
        assert directory.holder().startswith(f"errata up (process {os.getpid()})")
    assert directory.holder() == ""


def test_a_store_that_is_only_read_takes_no_writes(directory: DataDirectory) -> None:
    store = Store.open(directory.state_url, b"s" * 32)
    store.migrate()
    read_only = Database(directory.state_url, is_read_only=True)
    note_heartbeat(read_only, "worker-2", has_built=True)
    assert Heartbeats(read_only, b"").all() == store.heartbeats.all() == []
    read_only.close()
    store.close()


@pytest.mark.slow
def test_backups_are_watched_where_they_are_expected(directory: DataDirectory, tmp_path: Path) -> None:
    store = Store.open(directory.state_url, b"s" * 32)
    store.migrate()
    (finding,) = about("backups", examined(directory))
    assert "not monitored" in finding.said and not finding.remedy
    backups = tmp_path / "backups"
    (backups / "a").mkdir(parents=True)
    environ = {"ERRATA_BACKUP_DIR": str(backups), "ERRATA_BACKUP_HOURS": "3"}
    (finding,) = about("backups", list(findings(directory, environ)))
    assert "no complete backup" in finding.said and finding.remedy
    now = datetime.now(UTC)
    fresh = a_backup_run(str(backups), now - timedelta(hours=2), now, bytes=5)
    record_backup_run(store.database, fresh)
    (finding,) = about("backups", list(findings(directory, environ)))
    assert "ever been verified" in finding.said and finding.remedy
    record_backup_run(store.database, replace(fresh, kind=Kind.VERIFICATION))
    (finding,) = about("backups", list(findings(directory, environ)))
    assert f"a in {backups}, started 2 h ago" in finding.said and not finding.remedy
    (finding,) = about("backups", list(findings(directory, environ | {"ERRATA_BACKUP_HOURS": "1"})))
    assert "over 1 hour ago" in finding.said and finding.remedy
    (backups / "a").rmdir()
    gone, _ = about("backups", list(findings(directory, environ)))
    assert "is gone from" in gone.said and gone.remedy
    store.close()


@pytest.mark.slow
def test_a_damaged_store_is_named_with_the_way_on(directory: DataDirectory) -> None:
    store = Store.open(directory.state_url, b"s" * 32)
    store.migrate()
    store.close()
    sound = directory.state_path.read_bytes()
    for damaged in (
        b"garbage" * 5000,
        sound[: len(sound) // 2],
        sound[:40_960] + b"\xff" * 8192 + sound[49_152:],
    ):
        directory.state_path.write_bytes(damaged)
        (finding,) = about("state store", examined(directory))
        assert finding.said.startswith("The account store is damaged: "), finding
        assert "restore a backup" in finding.remedy


def test_a_store_that_a_running_service_lost_is_named(directory: DataDirectory) -> None:
    with directory.hold():
        directory.state_path.unlink()
        (finding,) = about("state store", examined(directory))
    assert finding.said == f"{directory.state_path} does not exist"
    assert "put the file back or restore a backup" in finding.remedy


@pytest.mark.slow
@pytest.mark.parametrize("is_running", [True, False])
def test_a_deleted_log_of_the_store_stops_whoever_opens_it(
    directory: DataDirectory, writer: "subprocess.Popen[bytes]", is_running: bool
) -> None:
    if not is_running:
        writer.kill()
        writer.wait()
    shutil.copytree(directory.path, whole := directory.path.with_name("whole"))
    directory.path.joinpath("state.db-wal").unlink()
    (finding,) = about("state store", examined(directory))
    assert (
        finding.said
        == f"{directory.path}/state.db-wal is missing, which contains the latest changes of state.db"
    )
    assert finding.remedy.startswith("Restore it, or restore a backup")
    for opens in (directory.require_whole, lambda: Store.open(directory.state_url, b"s" * 32)):
        with pytest.raises(DataIncomplete, match="Restore it"):
            opens()
    if not is_running:
        # Both ways on: with the log, and without what it held.
        shutil.copy(whole / "state.db-wal", directory.path)
        with closing(Store.open(directory.state_url, b"s" * 32)) as store:
            assert store.heartbeats.all() != []


def test_a_log_that_others_make_and_remove_is_no_deleted_one(directory: DataDirectory) -> None:
    program = (
        "import sqlite3, sys\n"
        "for _ in range(300):\n"
        "    with sqlite3.connect(sys.argv[1]) as opened:\n"
        "        opened.execute('pragma journal_mode = wal')\n"
        "        opened.execute('create table if not exists t (a)')\n"
        "    opened.close()\n"
    )
    other = subprocess.Popen([sys.executable, "-c", program, str(directory.state_path)])
    while other.poll() is None:
        require_log(directory.state_path)
    assert other.returncode == 0
