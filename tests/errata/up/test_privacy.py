"""What is in the data directory is read by its owner alone, whatever the umask of whoever starts it."""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from errata.up.data_directory import DataDirectory, DataDirectoryUnusable
from tests import stored_files
from tests.errata.up.test_up import ROOT, running

NOBODY = 65534


@pytest.fixture
def everybodys() -> Iterator[Path]:
    """A directory every user may go through: pytest's own is closed to others as it is."""
    before = os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="errata-privacy-") as directory:
        Path(directory).chmod(0o755)
        yield Path(directory)
    os.umask(before)


def open_to_others(data: Path) -> list[Path]:
    return [
        path
        for path, status in stored_files.statuses(data)
        if not stat.S_ISLNK(status.st_mode) and status.st_mode & 0o077
    ]


def seen_by_nobody(command: str, *paths: Path) -> "subprocess.CompletedProcess[str]":
    """What another user of this host gets."""
    return subprocess.run(
        [command, *map(str, paths)],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=30,
    )


@pytest.mark.slow
def test_no_other_user_of_the_host_reads_a_file_of_the_service(everybodys: Path) -> None:
    data = everybodys / "data"
    with running(data):
        assert any((data / "warehouse").rglob("*.bin"))
        assert open_to_others(data) == []
        if os.geteuid() != 0:
            pytest.skip("only root can look with another user's eyes")
        assert seen_by_nobody("ls", data).returncode != 0
        for path in (data / "state.db", data / "credentials.json", data / "run" / "web.log"):
            assert path.exists() and seen_by_nobody("cat", path).returncode != 0
    assert open_to_others(data) == []


def test_an_installation_that_was_open_is_closed_at_its_next_start(everybodys: Path) -> None:
    data = everybodys / "data"
    parts = data / "warehouse" / "store"
    parts.mkdir(parents=True)
    (parts / "payload.bin").write_text("what a customer typed")
    outside = everybodys / "outside"
    outside.write_text("not ours")
    (parts / "link").symlink_to(outside)
    assert data in open_to_others(data)
    DataDirectory(data).close_to_others()
    assert open_to_others(data) == []
    assert outside.stat().st_mode & 0o777 == 0o644


def test_a_directory_that_all_users_share_is_none_for_data(everybodys: Path) -> None:
    everybodys.chmod(0o1777)
    with pytest.raises(DataDirectoryUnusable, match="share"):
        DataDirectory(everybodys).close_to_others()
    assert everybodys.stat().st_mode & 0o777 == 0o777


def test_the_doctor_says_that_others_can_look_in(everybodys: Path) -> None:
    asked = subprocess.run(
        [sys.executable, "-m", "errata", "doctor", "--data", str(everybodys)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert asked.returncode == 1
    assert f"chmod 700 {everybodys}" in asked.stdout
