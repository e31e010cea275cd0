"""How far one log file is behind: bytes, lines and seconds that are not delivered yet."""

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime

from errata_shipper.checkpoint import Checkpoint
from errata_shipper.log_file import LogFile

_SAMPLE_BYTES = 64 << 10
_CHUNK_BYTES = 1 << 20


class Budget:
    """Bytes that may be read to count lines; what lies beyond is estimated, so that an answer comes soon."""

    def __init__(self, content_bytes: int) -> None:
        self._left = content_bytes

    def take(self, wanted: int) -> bool:
        is_granted = self._left > 0
        self._left -= wanted
        return is_granted


@dataclass(frozen=True)
class Lag:
    file_name: str
    position: int
    size: int
    line_count: int
    is_estimated: bool
    # Age of the oldest line that is not delivered.
    seconds: float

    @property
    def behind_bytes(self) -> int:
        return self.size - self.position


def lag_of(file: LogFile, known: Checkpoint | None, budget: Budget, now: datetime) -> Lag:
    try:
        descriptor = os.open(file.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        position = min(known.offset, file.size) if known else 0
        return Lag(file.name, position, file.size, 0, position < file.size, 0.0)
    try:
        position = known.offset if known and known.offset <= file.size and known.is_of(descriptor) else 0
        first, line_count, is_estimated = _undelivered(descriptor, position, file.size, budget)
    finally:
        os.close(descriptor)
    seconds = 0.0
    if line_count:
        written = _logged_at(first) or datetime.fromtimestamp(file.modified_ns / 1e9, UTC)
        seconds = max(0.0, (now - written).total_seconds())
    return Lag(file.name, position, file.size, line_count, is_estimated, seconds)


def _undelivered(descriptor: int, position: int, size: int, budget: Budget) -> tuple[bytes, int, bool]:
    """The first line after `position`, the number of lines, and whether that is an estimate."""
    if position >= size:
        return b"", 0, False
    content = os.pread(descriptor, min(_SAMPLE_BYTES, size - position), position)
    first, line_count, read_bytes = content.partition(b"\n")[0], content.count(b"\n"), len(content)
    while content and position + read_bytes < size:
        if not budget.take(_CHUNK_BYTES):
            return first, round(line_count * (size - position) / read_bytes), True
        content = os.pread(descriptor, min(_CHUNK_BYTES, size - position - read_bytes), position + read_bytes)
        line_count += content.count(b"\n")
        read_bytes += len(content)
    return first, line_count, False


def _logged_at(line: bytes) -> datetime | None:
    try:
        logged_at = datetime.fromisoformat(json.loads(line)["logged_at"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return logged_at if logged_at.tzinfo else logged_at.replace(tzinfo=UTC)
