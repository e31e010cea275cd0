"""A first start is one on a directory with nothing of ours; a part that is missing stops the start."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from itertools import combinations
from pathlib import Path

import httpx2
import pytest

from errata.__main__ import main
from errata.doctor.data import findings
from errata.endings import FINAL_EXIT_CODE
from errata.up.data_directory import DataDirectory, DataIncomplete
from tests.errata.up.test_up import ROOT, Running, running

PARTS = ("secret", "state.db", "warehouse", "credentials.json")
# What each part of a start leaves if it is cut off, and what people may delete.
WHOLE = [{"secret", "state.db", "warehouse"}, set(PARTS)]
NOTHING = [set[str](), {"secret"}]
SUBSETS = [set(some) for count in range(len(PARTS) + 1) for some in combinations(PARTS, count)]


def made(folder: Path, parts: set[str]) -> DataDirectory:
    directory = DataDirectory(folder / "data")
    directory.create()
    for part in parts - {"warehouse"}:
        (directory.path / part).write_text("{}")
    if "warehouse" in parts:
        directory.warehouse_path.mkdir()
        (directory.warehouse_path / "store").mkdir()
    return directory


@pytest.mark.parametrize("parts", SUBSETS, ids=lambda parts: "+".join(sorted(parts)))
def test_a_start_needs_everything_of_a_service_or_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], parts: set[str]
) -> None:
    directory = made(tmp_path, parts)
    if parts in WHOLE or parts in NOTHING:
        directory.require_whole()
        return
    before = {path: path.stat().st_mtime_ns for path in directory.path.rglob("*")}
    assert main(["up", "--data", str(directory.path)]) == FINAL_EXIT_CODE
    said = capsys.readouterr().err
    missing = {part for part in PARTS[:3] if part not in parts}
    lacks, has = said.partition(", but has ")[::2]
    assert all(part in lacks for part in missing) and all(part in has for part in parts), said
    assert "back" in has and said.count("\n") == 1
    assert {path: path.stat().st_mtime_ns for path in directory.path.rglob("*")} == before
    assert any(finding.remedy and finding.said in said for finding in findings(directory))


@pytest.mark.parametrize("part", ["secret", "warehouse"])
def test_an_empty_part_is_missing(tmp_path: Path, part: str) -> None:
    directory = made(tmp_path, set(PARTS))
    if part == "secret":
        directory.secret_path.write_text("")
    else:
        (directory.warehouse_path / "store").rmdir()
    with pytest.raises(DataIncomplete, match=f"lacks {part}"):
        directory.require_whole()


def test_no_command_makes_a_secret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = made(tmp_path, {"state.db", "warehouse"})
    directory.warehouse_address_path.write_text("127.0.0.1:1")
    for command in (["analyst"], ["admin", "users"]):
        assert main([*command, "--data", str(directory.path)]) == FINAL_EXIT_CODE
        assert "lacks secret" in capsys.readouterr().err
    assert not directory.secret_path.exists()


def test_variables_of_a_server_of_ones_own_are_said_to_be_ignored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["up", "--data", str(made(tmp_path, {"state.db"}).path)]
    main(arguments)
    assert "Ignored" not in capsys.readouterr().out
    monkeypatch.setenv("ERRATA_WAREHOUSE_READ_URL", "http://reader:secret@clickhouse:8123")
    main(arguments)
    said = capsys.readouterr().out
    assert "Ignored: ERRATA_WAREHOUSE_READ_URL. " in said
    assert "reader:secret" not in said


def test_a_secret_that_is_not_the_one_of_the_directory_starts_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = made(tmp_path, set(PARTS))
    directory.secret_path.write_text("s" * 40)
    for new, previous, said in (
        ("n" * 40, "", "ERRATA_SECRET differs"),
        ("n" * 40, "p" * 40, "ERRATA_SECRET differs"),
        ("n" * 31, "s" * 40, "ERRATA_SECRET: at least 32 characters"),
    ):
        monkeypatch.setenv("ERRATA_SECRET", new)
        monkeypatch.setenv("ERRATA_PREVIOUS_SECRET", previous)
        assert main(["up", "--data", str(directory.path)]) == FINAL_EXIT_CODE
        told = capsys.readouterr().err
        assert said in told and "nnn" not in told and "sss" not in told
        assert directory.secret() == "s" * 40


def test_a_secret_follows_the_previous_one_and_a_first_start_takes_it(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path)
    directory.begin("s" * 40)
    assert directory.secret() == "s" * 40
    assert not directory.change_secret("", "")
    assert directory.change_secret("n" * 40, "s" * 40)
    assert directory.secret() == "n" * 40 and directory.secret_path.stat().st_mode & 0o777 == 0o600
    # A start that was killed afterwards has nothing left to change.
    assert not directory.change_secret("n" * 40, "s" * 40)


def started(data: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "errata", "up", "--data", str(data), "--no-pipelines"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def deliver(service: Running) -> None:
    known = service.credentials
    line = {"type": "event", "payload": {"event_id": "a" * 32, "message": "broken"}}
    answer = httpx2.post(
        f"{known['base_url']}/api/ingest",
        content=json.dumps(line).encode(),
        headers={"Authorization": f"Bearer {known['api_key']}", "X-Errata-App-Key": known["app_key"]},
        timeout=60,
    )
    assert answer.status_code == 200, answer.text


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_no_new_service_is_started_over_old_data(tmp_path: Path) -> None:
    data, aside = tmp_path / "data", tmp_path / "aside"
    with running(data) as service:
        deliver(service)
        first = service.credentials
    for part in PARTS[:3]:
        (data / part).rename(aside)
        done = started(data)
        assert done.returncode == FINAL_EXIT_CODE and f"lacks {part}" in done.stderr, done
        assert not (data / part).exists()
        aside.rename(data / part)
    # An empty account store is a first start's, but not beside rows.
    (data / "state.db").rename(aside)
    (data / "state.db").write_bytes(b"")
    done = started(data)
    assert done.returncode == FINAL_EXIT_CODE and "the account store is empty" in done.stderr, done
    with closing(sqlite3.connect(data / "state.db")) as connection:
        assert connection.execute("select count(*) from sqlite_master").fetchone() == (0,)
    for path in data.glob("state.db*"):
        path.unlink()
    aside.rename(data / "state.db")
    with running(data) as service:
        assert service.credentials == first
        assert service.regenerate_api_key() != first["api_key"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_first_start_that_is_killed_goes_on(tmp_path: Path) -> None:
    """Killed as soon as each of these is there, in the order in which a start makes them."""
    for number, part in enumerate((*PARTS[:3], "warehouse/store", "run/migration.log", PARTS[3])):
        data = tmp_path / str(number)
        service = Running(data)
        deadline = time.monotonic() + 60
        while not (data / part).exists():
            assert time.monotonic() < deadline, part
            time.sleep(0.005)
        service.stop(signal.SIGKILL)
        with running(data) as again:
            assert again.health()["checks"]["state"] == "ok"
