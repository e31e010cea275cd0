"""`--status`: how far each file is delivered, from tracker.json and the files as they stand."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from errata_shipper.checkpoint import Checkpoint
from errata_shipper.log_file import LogFile, find_files
from errata_shipper.tracker import Tracker, TrackerDamaged

_CHUNK_BYTES = 1 << 20


def status_of(storage_path: Path, now: datetime) -> str:
    tracker = Tracker(storage_path)
    note = ""
    try:
        tracker.read()
    except TrackerDamaged as error:
        note = f"{tracker.path} is damaged ({error}); everything will be delivered again\n"
    files = find_files(storage_path)
    lines = [_file_line(file, tracker, now) for file in files] or ["no log files yet"]
    return (
        f"storage path   {storage_path}\n{note}"
        f"last delivery  {_last(tracker.last_delivery, '{at}: {lines} lines of {file}')}\n"
        f"last error     {_last(tracker.last_error, '{at}: {message}')}\n" + "\n".join(lines)
    )


def _last(entry: dict[str, Any] | None, form: str) -> str:
    if entry is None:
        return "none"
    return form.format_map({"at": "?", "lines": "?", "file": "?", "message": "?", **entry})


def _file_line(file: LogFile, tracker: Tracker, now: datetime) -> str:
    known = tracker.find(Checkpoint(file.name, *file.key))
    offset = known.offset if known is not None and known.offset <= file.size else 0
    line_count, oldest = _undelivered(file, offset)
    waited = max(0.0, (now - oldest).total_seconds()) if oldest else 0.0
    return (
        f"{file.name}  byte {offset} of {file.size}, behind by {file.size - offset} bytes, "
        f"{line_count} lines, {waited:.0f} seconds"
    )


def _undelivered(file: LogFile, offset: int) -> tuple[int, datetime | None]:
    """How many complete lines stand after `offset`, and when the first of them was written."""
    if offset >= file.size:
        return 0, None
    try:
        with file.path.open("rb") as content:
            content.seek(offset)
            first = content.readline(_CHUNK_BYTES)
            line_count = int(first.endswith(b"\n"))
            while chunk := content.read(_CHUNK_BYTES):
                line_count += chunk.count(b"\n")
    except OSError:
        return 0, None
    if not line_count:
        return 0, None
    modified = datetime.fromtimestamp(file.modified_ns / 1e9, UTC)
    return line_count, _logged_at(first) or modified


def _logged_at(line: bytes) -> datetime | None:
    try:
        logged_at = datetime.fromisoformat(json.loads(line)["logged_at"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return logged_at if logged_at.tzinfo else logged_at.replace(tzinfo=UTC)
