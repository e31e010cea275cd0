"""`--status`: how far each file is delivered, from tracker.json and the files as they stand."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from errata_shipper.checkpoint import Checkpoint
from errata_shipper.lag import Budget, Lag, lag_of
from errata_shipper.lock import holder_of
from errata_shipper.log_file import find_files
from errata_shipper.rejected import FOLDER_NAME, RECORDS_SUFFIX
from errata_shipper.settings import Settings
from errata_shipper.tracker import Tracker, TrackerDamaged

# Counted in well under a second.
COUNTED_BYTES = 256 << 20
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class Status:
    storage_path: Path
    server: str
    # The process that records, None if there is none, UNKNOWN if this user may not know.
    shipper: int | str | None
    # What is wrong with tracker.json; empty if nothing is.
    tracker_problem: str
    last_delivery: dict[str, Any] | None
    last_error: dict[str, Any] | None
    # Lines in rejected/; None if this user may not look.
    rejected_count: int | None
    files: list[Lag]

    @property
    def total(self) -> Lag:
        return Lag(
            "total",
            sum(file.position for file in self.files),
            sum(file.size for file in self.files),
            sum(file.line_count for file in self.files),
            any(file.is_estimated for file in self.files),
            max((file.seconds for file in self.files), default=0.0),
        )


def status_of(settings: Settings, now: datetime, counted_bytes: int = COUNTED_BYTES) -> Status:
    """Raises StoragePathUnusable, or OSError where tracker.json may not be read."""
    folder = settings.storage_path
    found = find_files(folder)
    tracker = Tracker(folder)
    problem = ""
    try:
        tracker.read()
    except TrackerDamaged as error:
        problem = f"{tracker.path} is damaged ({error}); everything will be delivered again"
    budget = Budget(counted_bytes)
    return Status(
        storage_path=folder,
        server=settings.base_url,
        shipper=holder_of(folder),
        tracker_problem=problem,
        last_delivery=tracker.last_delivery,
        last_error=tracker.last_error,
        rejected_count=_rejected_count(folder / FOLDER_NAME),
        files=[lag_of(file, tracker.find(Checkpoint(file.name, *file.key)), budget, now) for file in found],
    )


def _rejected_count(folder: Path) -> int | None:
    try:
        return sum(_line_count(path) for path in folder.iterdir() if path.name.endswith(RECORDS_SUFFIX))
    except FileNotFoundError:
        return 0
    except OSError:
        return None


def _line_count(path: Path) -> int:
    count = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                count += chunk.count(b"\n")
    except FileNotFoundError:
        # Delivered again just now.
        return 0
    return count
