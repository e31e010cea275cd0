"""Tidying up: what is delivered goes, what is not stays, and what does not fit is not taken."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from errata_shipper.checkpoint import Checkpoint
from errata_shipper.intake.admission import Admission, Limits
from errata_shipper.intake.notices import Notices
from errata_shipper.tracker import Tracker

from tests.shipper.intake.listening import Listening, envelope

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)
LINE = b'{"type":"event"}\n'


class Folder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._tracker = Tracker(path)

    def write(self, date: str, size: int, delivered: int, hours_ago: float, suffix: str = "") -> None:
        path = self.path / f"errata-{date}.log{suffix}"
        content = (LINE * size)[: size - 1] + b"\n"
        path.write_bytes(content)
        written_at = (NOW - timedelta(hours=hours_ago)).timestamp()
        os.utime(path, (written_at, written_at))
        state = path.stat()
        checkpoint = Checkpoint(path.name, state.st_dev, state.st_ino)
        with path.open("rb") as file:
            self._tracker.checkpoints[checkpoint.key] = checkpoint.advanced(
                delivered, content[:delivered], file.fileno()
            )
        self._tracker.save(NOW)

    def admission(self, max_size_bytes: int = 1 << 30, rotate_bytes: int = 0) -> Admission:
        limits = Limits(72 * 3600.0, max_size_bytes, rotate_bytes)
        made = Admission(self.path, limits, lambda: NOW, Notices(lambda: 0.0))
        made.check()
        return made

    def names(self) -> list[str]:
        return sorted(file.name.removeprefix("errata-2026-11-") for file in self.path.glob("errata-*"))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_delivered_files_are_deleted_once_they_are_old(folder: Folder) -> None:
    folder.write("2026-11-17", 1000, 1000, hours_ago=80)
    folder.write("2026-11-18", 1000, 999, hours_ago=79)
    folder.write("2026-11-19", 1000, 1000, hours_ago=40)
    assert folder.admission().lack == ""
    assert folder.names() == ["18.log", "19.log"]


def test_when_there_is_too_much_the_oldest_delivered_files_go_first(folder: Folder) -> None:
    folder.write("2026-11-18", 1000, 1000, hours_ago=60)
    folder.write("2026-11-19", 1000, 500, hours_ago=40)
    folder.write("2026-11-20", 1000, 1000, hours_ago=10)
    assert folder.admission(max_size_bytes=2000).lack == ""
    assert folder.names() == ["19.log", "20.log"]


def test_files_of_today_and_those_just_written_stay(folder: Folder) -> None:
    folder.write("2026-11-20", 1000, 1000, hours_ago=0.1)
    folder.write("2026-11-21", 1000, 1000, hours_ago=90)
    folder.write("2026-11-21", 1000, 1000, hours_ago=90, suffix=".1")
    assert folder.admission(max_size_bytes=1).lack == ""
    assert folder.names() == ["20.log", "21.log", "21.log.1"]


def test_a_large_file_of_today_is_renamed_and_deleted_once_it_is_delivered(folder: Folder) -> None:
    folder.write("2026-11-21", 1000, 1000, hours_ago=90)
    folder.admission(rotate_bytes=1000)
    assert folder.names() == ["21.log"]
    folder.admission(rotate_bytes=999)
    assert folder.names() == ["21.log.100000000000"]
    folder.write("2026-11-21", 2000, 1999, hours_ago=90, suffix=".090000000000")
    folder.admission(rotate_bytes=999)
    assert folder.names() == ["21.log.090000000000"]


def test_undelivered_lines_are_never_deleted_but_nothing_more_is_taken(folder: Folder) -> None:
    folder.write("2026-11-18", 2000, 500, hours_ago=80)
    folder.write("2026-11-21", 2000, 2000, hours_ago=0)
    assert folder.admission(max_size_bytes=1500).lack == ""
    assert folder.admission(max_size_bytes=1499).lack.startswith(
        "1500 bytes are waiting for delivery, over intake.maxSize"
    )
    assert folder.names() == ["18.log", "21.log"]


@pytest.mark.parametrize("change", [lambda content: content[::-1], lambda content: content + LINE])
def test_a_file_that_is_not_the_one_that_was_delivered_stays(
    change: Callable[[bytes], bytes], folder: Folder
) -> None:
    folder.write("2026-11-17", 1000, 1000, hours_ago=80)
    path = folder.path / "errata-2026-11-17.log"
    path.write_bytes(change(path.read_bytes()))
    os.utime(path, (0, 0))
    folder.admission()
    assert folder.names() == ["17.log"]


def test_a_damaged_tracker_deletes_nothing(folder: Folder) -> None:
    folder.write("2026-11-17", 1000, 1000, hours_ago=80)
    (folder.path / "tracker.json").write_text("{")
    folder.admission()
    assert folder.names() == ["17.log"]


def test_a_full_intake_answers_503_until_there_is_room(intake: Listening) -> None:
    body = envelope(("event", b'{"message":"' + b"x" * 3000 + b'"}'))
    intake.start(max_size_bytes=2000)
    assert intake.send_envelope(body).status == 200
    intake.intake.check_space()
    answer = intake.send_envelope(body)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "60")
    assert "waiting for delivery" in answer.json()["detail"]
    assert intake.send("/health", b"", method="GET").status == 503
    for file in intake.storage_path.glob("errata-*.log"):
        file.unlink()
    intake.intake.check_space()
    assert intake.send_envelope(body).status == 200
