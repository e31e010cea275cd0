"""The canary for the entry point the embedded warehouse stands on."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from errata.endings import FINAL_EXIT_CODE
from errata.up.last_words import last_words
from errata.warehouse import listener
from errata.warehouse.client import QueryFailed, WarehouseUnavailable
from errata.warehouse.configuration import ListenerConfiguration
from errata.warehouse.listener import holder
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.processes import free_port, start_warehouse


def refused(folder: Path) -> int | str | None:
    """The exit code of a listener that doesn't start."""
    (folder / "run").mkdir()
    before = os.umask(0o077)
    with pytest.raises(SystemExit) as ended:
        listener.main(["--data", str(folder), "--port", "1"])
    os.umask(before)
    return ended.value.code


def test_without_its_engine_it_ends_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "chdb", None)
    assert refused(tmp_path) == FINAL_EXIT_CODE
    assert "chdb-core, isn't installed. Install Errata again" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_on_a_full_disk_it_says_so_and_may_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(self: ListenerConfiguration) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(ListenerConfiguration, "write", write)
    assert refused(tmp_path) == 1
    assert "No space left on device. Free up disk space" in capsys.readouterr().err


@pytest.mark.slow
def test_rows_acknowledged_before_a_kill_are_there_after_a_restart(tmp_path: Path) -> None:
    running = start_warehouse(tmp_path)
    admin = running.client(Role.ADMIN)
    assert migrate(admin)
    ingest = running.client(Role.INGEST)
    ingest.insert_json_lines(
        "errata_raw.outcomes", b'{"project_id": 7, "item_type": "event", "item_count": 3}\n'
    )
    running.process.send_signal(signal.SIGKILL)
    running.process.wait(10)
    assert not running.client(Role.ADMIN).ping()

    again = start_warehouse(tmp_path)
    admin = again.client(Role.ADMIN)
    assert admin.rows("select project_id, item_count from errata_raw.outcomes") == [
        {"project_id": 7, "item_count": 3}
    ]
    assert migrate(admin) == []
    again.stop()
    assert again.process.returncode == 0


def test_the_process_that_has_the_data_open_is_named(tmp_path: Path) -> None:
    assert holder(tmp_path) == ""
    status = tmp_path / "status"
    status.write_text("PID: 4711\nStarted at: 2026-11-28 12:00:00\n")
    assert holder(tmp_path) == ""
    with status.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert holder(tmp_path).startswith(f"process 4711 has {tmp_path} open; stop it")
    assert holder(tmp_path) == ""


@pytest.mark.slow
def test_a_second_warehouse_on_a_directory_says_which_process_has_it(tmp_path: Path) -> None:
    running = start_warehouse(tmp_path)
    second = subprocess.run(
        [sys.executable, "-m", "errata.warehouse.listener", "--data", tmp_path, "--port", str(free_port())],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert second.returncode == 1
    assert f"process {running.process.pid} has " in last_words(second.stderr.splitlines()), second.stderr
    assert running.client(Role.ADMIN).ping()
    running.stop()


@pytest.mark.slow
def test_the_read_role_reads_rows_of_projects_and_nothing_else(tmp_path: Path) -> None:
    running = start_warehouse(tmp_path)
    migrate(running.client(Role.ADMIN))
    read = running.client(Role.READ)
    for forbidden in (
        "select * from errata_ops.migrations",
        "select * from file('/etc/passwd', LineAsString)",
        "select * from url('http://127.0.0.1:1/', LineAsString)",
        "create table errata_raw.x (a UInt8) engine = Memory",
    ):
        with pytest.raises((QueryFailed, WarehouseUnavailable), match=r"497|privileges|READONLY|readonly"):
            read.rows(forbidden)
    with pytest.raises(OSError):
        urllib.request.urlopen(
            f"http://127.0.0.1:{running.port}/?query=select+1+from+errata_raw.outcomes", timeout=5
        )
    running.stop()
