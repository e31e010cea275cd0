"""The canary for the entry point the embedded warehouse stands on."""

import os
import signal
import sys
import urllib.request
from pathlib import Path

import pytest

from errata.endings import FINAL_EXIT_CODE
from errata.warehouse import listener
from errata.warehouse.client import QueryFailed, WarehouseUnavailable
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.processes import start_warehouse


def test_without_its_engine_it_ends_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "chdb", None)
    (tmp_path / "run").mkdir()
    before = os.umask(0o077)
    with pytest.raises(SystemExit) as ended:
        listener.main(["--data", str(tmp_path), "--port", "1"])
    os.umask(before)
    assert ended.value.code == FINAL_EXIT_CODE
    assert "chdb-core, isn't installed. Install Errata again" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


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
