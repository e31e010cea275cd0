"""A log directory that cannot be written to, for a while or for ever."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Lines = Callable[[], list[dict[str, Any]]]
Run = Callable[..., subprocess.CompletedProcess[str]]

MAY_MOUNT = (
    sys.platform == "linux"
    and shutil.which("unshare") is not None
    and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0
)

# In a mount namespace of its own: a disk of 256 KiB that is filled, emptied, filled again, then read-only.
SMALL_DISK = """
import os, shutil, subprocess
folder = sys.argv[1]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", folder], check=True)
filler = os.path.join(folder, "filler")

def fill():
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass

def capture(*names):
    for name in names:
        sentry_sdk.capture_message(f"{name} " + "x" * 10_000)

capture("before")
fill()
capture("lost 1", "lost 2")
os.unlink(filler)
capture("between")
fill()
capture("lost 3")
os.unlink(filler)
capture("after")
transport.log_file.close()
subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
capture("lost 4", "lost 5")
subprocess.run(["mount", "-o", "remount,rw", folder], check=True)
capture("at last")
shutil.copytree(folder, sys.argv[2])
"""


@pytest.mark.slow
@pytest.mark.skipif(not MAY_MOUNT, reason="may not mount a file system here")
def test_a_full_and_a_read_only_disk_cost_only_what_they_refuse_and_the_service_is_told(
    run_script: Run, tmp_path: Path
) -> None:
    finished = run_script(SMALL_DISK, str(tmp_path / "kept"), command=("unshare", "-m"))
    whole, torn = parsed(next((tmp_path / "kept").glob("*.log")))
    assert [told(line) for line in whole] == [
        "before",
        *("between", ("log_write_error", "error", 2)),
        *("after", ("log_write_error", "error", 1)),
        *("at last", ("log_write_error", "error", 2)),
    ]
    assert [line.count(b'"type":') for line in torn] == [1, 1]
    kinds = ("partially written", "No space left", "Read-only", "works again; events lost: ")
    said = [line for line in finished.stderr.splitlines() if line.startswith("errata: ")]
    assert [next(kind for kind in kinds if kind in line) for line in said] == [
        *(kinds[0], kinds[1], kinds[3]),
        *(kinds[0], kinds[3]),
        *(kinds[2], kinds[3]),
    ]
    assert finished.stdout.split() == ["7", "5"]


def told(line: dict[str, Any]) -> object:
    if line["type"] == "client_report":
        (event,) = line["payload"]["discarded_events"]
        return event["reason"], event["category"], event["quantity"]
    return line["payload"]["message"].partition(" x")[0]


def parsed(file: Path) -> tuple[list[dict[str, Any]], list[bytes]]:
    whole, torn = [], []
    for line in file.read_bytes().splitlines():
        try:
            whole.append(json.loads(line))
        except ValueError:
            torn.append(line)
    return whole, torn


ANOTHER_USER = """
import os
from pathlib import Path
folder = Path(sys.argv[1])
os.chmod(folder.parent, 0o755)
os.chown(folder, 65534, 65534)
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
"""

CLOSED_FOLDER = (
    ANOTHER_USER
    + """
sentry_sdk.capture_message("open")
folder.chmod(0o000)
sentry_sdk.capture_message("closed, but the file is still open")
transport.log_file.close()
sentry_sdk.capture_message("lost")
sentry_sdk.capture_message("lost too")
folder.chmod(0o700)
sentry_sdk.capture_message("open again " + "x" * 1000)
"""
)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can become somebody else")
def test_permissions_lost_while_running_cost_nothing_until_the_file_has_to_be_opened_again(
    tmp_path: Path, run_script: Run, lines: Lines
) -> None:
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(0o755)
    finished = run_script(CLOSED_FOLDER)
    assert [told(line) for line in lines()] == [
        *("open", "closed, but the file is still open", "open again"),
        ("log_write_error", "error", 2),
    ]
    assert finished.stderr.count("Permission denied") == 1


SHARED_FOLDER = (
    """
sentry_sdk.capture_message("by root")
transport.log_file.close()
"""
    + ANOTHER_USER
    + """
sentry_sdk.capture_message("by another user")
sentry_sdk.capture_message("by another user again")
"""
)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can become somebody else")
def test_a_user_who_may_not_write_to_the_days_file_of_another_has_a_file_of_their_own(
    tmp_path: Path, run_script: Run, lines: Lines, logs: Path
) -> None:
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(0o755)
    finished = run_script(SHARED_FOLDER)
    assert [told(line) for line in lines()] == ["by root", "by another user", "by another user again"]
    assert [path.name.partition(".log")[2] for path in sorted(logs.iterdir())] == ["", ".u65534"]
    assert finished.stderr == ""
