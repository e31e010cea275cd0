"""`--status`: how far each file is delivered, from tracker.json and the files as they stand."""

import re
from collections import Counter
from collections.abc import Iterator
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
# Records begin with it; to parse them whole would take long.
_REASON = re.compile(rb'\{"reason": "([a-z0-9_]+)"')


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
    # Lines in rejected/ by reason; None if this user may not look.
    rejected: Counter[str] | None
    # There are more of them, which nobody waited for.
    is_rejected_cut: bool
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
        problem = f"{tracker.path} is damaged ({error}); all log files will be delivered again"
    budget = Budget(counted_bytes)
    rejected, is_cut = _rejected(folder / FOLDER_NAME, Budget(counted_bytes))
    return Status(
        storage_path=folder,
        server=settings.base_url,
        shipper=holder_of(folder),
        tracker_problem=problem,
        last_delivery=tracker.last_delivery,
        last_error=tracker.last_error,
        rejected=rejected,
        is_rejected_cut=is_cut,
        files=[lag_of(file, tracker.find(Checkpoint(file.name, *file.key)), budget, now) for file in found],
    )


def _rejected(folder: Path, budget: Budget) -> tuple[Counter[str] | None, bool]:
    """Lines by reason, and whether there are more of them than the budget lets us read."""
    counts: Counter[str] = Counter()
    try:
        for path in sorted(path for path in folder.iterdir() if path.name.endswith(RECORDS_SUFFIX)):
            if not budget.take(path.stat().st_size):
                return counts, True
            counts.update(_reasons(path))
    except FileNotFoundError:
        # There is no such folder, or what was in it is delivered again just now.
        return counts, bool(counts)
    except OSError:
        return None, False
    return counts, False


def _reasons(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for line in file:
            match = _REASON.match(line)
            yield match[1].decode() if match else "unknown"
