"""`--status`: how far each file is delivered, from tracker.json and the files as they stand."""

import re
from collections import Counter
from dataclasses import dataclass, field
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
_REASON = re.compile(
    rb'\{"reason": "([a-z0-9_]+)"(?:, "message": "(?:[^"\\]|\\.)*", "set_aside_at": "([0-9TZ:.-]+)")?'
)


@dataclass
class Rejected:
    """Lines in rejected/: how many by reason, and the moments of the first and the last."""

    reasons: Counter[str] = field(default_factory=Counter)
    first_at: str = ""
    last_at: str = ""
    # There are more of them, which nobody waited for.
    is_cut: bool = False

    def add(self, reason: str, at: str) -> None:
        self.reasons[reason] += 1
        if at:
            self.first_at = min(self.first_at or at, at)
            self.last_at = max(self.last_at, at)


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
    # None if this user may not look.
    rejected: Rejected | None
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
    return Status(
        storage_path=folder,
        server=settings.base_url,
        shipper=holder_of(folder),
        tracker_problem=problem,
        last_delivery=tracker.last_delivery,
        last_error=tracker.last_error,
        rejected=_rejected(folder / FOLDER_NAME, Budget(counted_bytes)),
        files=[lag_of(file, tracker.find(Checkpoint(file.name, *file.key)), budget, now) for file in found],
    )


def _rejected(folder: Path, budget: Budget) -> Rejected | None:
    found = Rejected()
    try:
        for path in sorted(path for path in folder.iterdir() if path.name.endswith(RECORDS_SUFFIX)):
            if not budget.take(path.stat().st_size):
                found.is_cut = True
                break
            _add_lines(path, found)
    except FileNotFoundError:
        # There is no such folder, or what was in it is delivered again just now.
        found.is_cut = bool(found.reasons)
    except OSError:
        return None
    return found


def _add_lines(path: Path, found: Rejected) -> None:
    with path.open("rb") as file:
        for line in file:
            match = _REASON.match(line)
            found.add(*(part.decode() for part in match.groups(b"")) if match else ("unknown", ""))
