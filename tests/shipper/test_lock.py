"""One shipper a folder, however it is reached and however the last one ended."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from errata_shipper.errors import DirectoryHeld
from errata_shipper.lock import DirectoryLock

HOLD = """
import sys, time
from pathlib import Path
from errata_shipper.lock import DirectoryLock
with DirectoryLock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_folder_is_held_by_whatever_path_it_is_reached(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    with DirectoryLock(folder), pytest.raises(DirectoryHeld, match=f"process {os.getpid()}"):
        DirectoryLock(tmp_path / "link").acquire()
    DirectoryLock(tmp_path / "link").acquire()


def test_a_killed_shipper_holds_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"held\n"
        with pytest.raises(DirectoryHeld, match=f"process {first.pid}"):
            DirectoryLock(tmp_path).acquire()
        first.kill()
        first.wait()
    lock = DirectoryLock(tmp_path)
    lock.acquire()
    lock.release()


def test_a_lock_is_renewed_only_where_the_folder_is_another_one(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    with DirectoryLock(folder) as lock:
        lock.renew()
        folder.rename(tmp_path / "gone")
        folder.mkdir()
        with DirectoryLock(folder), pytest.raises(DirectoryHeld):
            lock.renew()
        lock.renew()
        with pytest.raises(DirectoryHeld):
            DirectoryLock(folder).acquire()
