"""The limit of space for the intake's own log files, and the deletion of delivered ones."""

import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from errata_shipper.checkpoint import Checkpoint
from errata_shipper.intake.notices import Notices
from errata_shipper.log_file import LogFile, find_files
from errata_shipper.tracker import Tracker, TrackerDamaged

CHECK_SECONDS = 30.0
# A program may write to a file of yesterday for a while after midnight.
LATE_WRITERS_SECONDS = 600.0

log = logging.getLogger("errata_shipper")


@dataclass(frozen=True)
class Limits:
    """`rotate_bytes`: a larger file of today gets another name, so that it can be deleted before the day is
    over; 0 where other programs write to it."""

    keep_delivered_seconds: float
    max_size_bytes: int
    rotate_bytes: int = 0


class Admission:
    """Deletes fully delivered files that are old or in excess; `lack` says why no more may be written."""

    def __init__(
        self, storage_path: Path, limits: Limits, now: Callable[[], datetime], notices: Notices
    ) -> None:
        self._storage_path = storage_path
        self._limits = limits
        self._now = now
        self._notices = notices
        self._check_lock = threading.Lock()
        # The reason to refuse more; empty below the limit.
        self.lack = ""

    def check(self) -> None:
        """One check at a time, so that what an earlier one saw never replaces what a later one saw."""
        with self._check_lock:
            self._check()

    def _check(self) -> None:
        try:
            tracker = Tracker(self._storage_path)
            tracker.read()
            files = find_files(self._storage_path)
        except TrackerDamaged:
            # The agent sets it aside and says so; until then nothing is known to be delivered.
            return
        known = {file: tracker.find(Checkpoint(file.name, *file.key)) for file in files}
        self._tidy(known)
        waiting = sum(_waiting_bytes(file, checkpoint) for file, checkpoint in known.items())
        if waiting <= self._limits.max_size_bytes:
            self.lack = ""
        else:
            self.lack = (
                f"{waiting} bytes are waiting for delivery, over intake.maxSize "
                f"({self._limits.max_size_bytes}); "
                "no more is accepted until some are delivered"
            )
            self._notices.say(logging.ERROR, "no room", f"Intake is full: {self.lack}")

    def _tidy(self, known: Mapping[LogFile, Checkpoint | None]) -> None:
        now = self._now()
        excess = sum(file.size for file in known) - self._limits.max_size_bytes
        for file, checkpoint in known.items():
            if self._is_current(file):
                self._rotate(file)
                continue
            if checkpoint is None or _waiting_bytes(file, checkpoint):
                continue
            idle_seconds = now.timestamp() - file.modified_ns / 1e9
            is_excess = excess > 0 and idle_seconds > LATE_WRITERS_SECONDS
            if is_excess or idle_seconds > self._limits.keep_delivered_seconds:
                self._delete(file, checkpoint)
                excess -= file.size

    def _is_current(self, file: LogFile) -> bool:
        is_of_today = file.date >= f"{self._now():%Y-%m-%d}"
        return is_of_today and (file.is_plain or not self._limits.rotate_bytes)

    def _rotate(self, file: LogFile) -> None:
        if 0 < self._limits.rotate_bytes < file.size:
            name = f"{file.name}.{self._now():%H%M%S%f}"
            file.path.rename(file.folder / name)
            log.info("Renamed %s to %s: it has %d bytes", file.name, name, file.size)

    def _delete(self, file: LogFile, known: Checkpoint) -> None:
        """If it is still the very file, with nothing added, that the tracker knows to be delivered."""
        descriptor = os.open(file.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            state = os.fstat(descriptor)
            is_same = (state.st_dev, state.st_ino, state.st_size) == (file.device, file.inode, known.offset)
            if is_same and known.is_of(descriptor):
                file.path.unlink()
                log.info("Deleted %s: all %d bytes delivered", file.name, file.size)
        finally:
            os.close(descriptor)


def _waiting_bytes(file: LogFile, known: Checkpoint | None) -> int:
    return file.size - (known.offset if known is not None and known.offset <= file.size else 0)
