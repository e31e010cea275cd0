"""Parts of the service that had to be started again: for the web and the doctor to read."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from errata.private_file import write_private

LAST_LINES = 5
LAST_BYTES = 4096


@dataclass(frozen=True)
class Restart:
    """How often since `errata up` began, and the latest end; `last_lines` are those of its log."""

    part: str
    count: int
    ended_at: datetime
    reason: str
    last_lines: Sequence[str] = ()


class Restarts:
    """Begins without any."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._by_part: dict[str, Restart] = {}
        path.unlink(missing_ok=True)

    def note(self, part: str, reason: str, log_path: Path) -> None:
        """Counts in any case; writes the file if the disk takes it."""
        before = self._by_part.get(part)
        count = before.count + 1 if before else 1
        self._by_part[part] = Restart(part, count, datetime.now(UTC), reason, last_lines(log_path))
        stored = [asdict(restart) for restart in self._by_part.values()]
        try:
            write_private(self._path, json.dumps(stored, default=datetime.isoformat))
        except OSError:
            # A full disk must not end the supervisor: the next restart is written together with this one.
            return


def read_restarts(path: Path | None) -> list[Restart]:
    """Empty where nothing was started again, and where nobody writes the file."""
    if path is None or not path.exists():
        return []
    return [
        replace(restart, ended_at=datetime.fromisoformat(str(restart.ended_at)))
        for restart in (Restart(**stored) for stored in json.loads(path.read_text()))
    ]


def last_lines(log_path: Path) -> list[str]:
    """None where the log cannot be read, as while it is rotated."""
    try:
        with log_path.open("rb") as log:
            log.seek(max(log.seek(0, 2) - LAST_BYTES, 0))
            text = log.read().decode(errors="replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip()][-LAST_LINES:]
