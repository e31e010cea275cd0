"""A restore that is killed at any step: no program takes what is left for a service, and each says so."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from errata.doctor.data import findings
from errata.endings import FINAL_EXIT_CODE
from errata.up.data_directory import RESTORING, DataDirectory
from errata.warehouse.roles import Role
from tests.processes import start_warehouse
from tests.small_service import Taken, events

ROOT = Path(__file__).resolve().parents[3]
SAID = "A restore into {} is under way, or was interrupted. If none is running, empty this directory"
MOMENTS = 10
NO_SETTINGS: Mapping[str, str] = {}
# Files of the backup and of the target that are opened, made, moved or removed, statements, and programs.
STEPS = """
import os, signal, sys
most, folders, seen = int(sys.argv[1]), tuple(sys.argv[2].split(":")), 0
def step(event, arguments):
    global seen
    if event == "http.client.send":
        counts = bytes(arguments[1][:4]) == b"POST"
    else:
        counts = event in ("open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.chmod")
        counts = counts and str(arguments[0]).startswith(folders) or event == "subprocess.Popen"
    if counts:
        seen += 1
        if seen == most:
            os.kill(os.getpid(), signal.SIGNAL)
sys.addaudithook(step)
from errata.__main__ import main
code = main(sys.argv[3:])
print(seen, file=sys.stderr)
sys.exit(code)
"""


def run(*arguments: str | Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ERRATA_")}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT,
        env={**kept, "PYTHONPATH": str(ROOT), **settings},
        capture_output=True,
        text=True,
        check=False,
    )


def errata(*arguments: str | Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    return run("-m", "errata", *arguments, **settings)


def restored_until(
    step: int,
    backups: Path,
    target: Path,
    number: signal.Signals = signal.SIGKILL,
    settings: Mapping[str, str] = NO_SETTINGS,
) -> "subprocess.CompletedProcess[str]":
    """Ends by a signal to itself before this step; 0: never. `settings` may name a server to restore to."""
    program = STEPS.replace("signal.SIGNAL", f"signal.{number.name}")
    folders = f"{backups}:{target}"
    done = run("-c", program, str(step), folders, "restore", backups, "--data", target, **settings)
    # Its warehouse ends after it.
    deadline = time.monotonic() + 30
    while any(str(target) in " ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"])):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return done


def assert_no_service(target: Path) -> None:
    before = sorted(target.rglob("*"))
    started = errata("up", "--data", target)
    assert started.returncode == FINAL_EXIT_CODE and SAID.format(target) in started.stderr, started
    assert "Traceback" not in started.stderr and sorted(target.rglob("*")) == before


def empty(target: Path) -> None:
    shutil.rmtree(target)
    target.mkdir()


def restored(taken: Taken, target: Path, name: str = "") -> Any:
    done = errata("restore", taken.place, "--data", target, *(["--backup", name] if name else []))
    assert done.returncode == 0, done.stderr
    warehouse = start_warehouse(target)
    found = events(warehouse)
    warehouse.stop()
    return found


@pytest.mark.slow
def test_a_restore_that_was_killed_is_no_service(taken: Taken, tmp_path: Path) -> None:
    done = restored_until(120, taken.place, tmp_path / "new")
    assert done.returncode == -signal.SIGKILL and (tmp_path / "new" / RESTORING).exists(), done
    assert_no_service(tmp_path / "new")


@pytest.mark.slow
def test_every_program_says_that_a_restore_was_killed(taken: Taken, tmp_path: Path) -> None:
    target = tmp_path / "new"
    restored_until(120, taken.place, target)
    said = SAID.format(target)
    again = errata("restore", taken.place, "--data", target)
    assert again.returncode == FINAL_EXIT_CODE and said in again.stderr
    for command in (["build"], ["backup", tmp_path / "b"], ["migrate", "--plan"]):
        refused = errata(*command, "--data", target)
        assert refused.returncode == FINAL_EXIT_CODE and said in refused.stderr, refused
    settings = {
        "ERRATA_STATE_URL": DataDirectory(target).state_url,
        "ERRATA_SECRET": "s" * 40,
        "ERRATA_WAREHOUSE_URL": taken.service.warehouse.url(Role.INGEST),
    }
    web = errata("web", **settings)
    assert web.returncode != 0 and said in web.stderr, web
    (finding, *_) = findings(DataDirectory(target))
    assert f"{finding.said}. {finding.remedy}".startswith(said)


def steps_of(backups: Path, target: Path) -> int:
    whole = restored_until(0, backups, target)
    assert whole.returncode == 0, whole.stderr
    steps = int(whole.stderr.splitlines()[-1])
    assert steps > 200
    return steps


def step_of(moment: int, steps: int) -> int:
    """From the one after the first mark to the one before its removal."""
    return 3 + (steps - 3) * moment // (MOMENTS - 1)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_restore_is_killed_at_ten_moments_and_done_again(taken: Taken, tmp_path: Path) -> None:
    steps = steps_of(taken.place, tmp_path / "whole")
    for moment in range(MOMENTS):
        step = step_of(moment, steps)
        target = tmp_path / f"at{step}"
        done = restored_until(step, taken.place, target)
        assert done.returncode == -signal.SIGKILL, (step, done)
        assert (target / RESTORING).exists()
        assert_no_service(target)
        empty(target)
        # Of the backup from before the erasure, too.
        assert restored(taken, target, "" if moment % 2 else taken.first) == {taken.service.kept}


@pytest.mark.slow
@pytest.mark.parametrize("step", [3, 120, 250])
def test_a_restore_that_is_interrupted_leaves_nothing(taken: Taken, tmp_path: Path, step: int) -> None:
    done = restored_until(step, taken.place, tmp_path / "new", signal.SIGINT)
    assert done.returncode != 0
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "empty").mkdir()
    assert restored_until(step, taken.place, tmp_path / "empty", signal.SIGINT).returncode != 0
    assert list(tmp_path.rglob("*")) == [tmp_path / "empty"]
