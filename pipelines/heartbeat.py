"""The health of the pipelines, told by the times of three files: alive, scheduled, and building."""

import time
from pathlib import Path

from errata.up.heartbeat import alive_path

# The schedule builds every five minutes; a backfill may delay a build.
LONGEST_SILENCE_SECONDS = 1800


def _note(path: Path) -> Path:
    return path.with_name(path.name + "-build")


def note_build(path: Path | None) -> None:
    """Touches the file of builds. Every build calls it, in whichever process."""
    if path is not None:
        _note(path).touch()


def beat(path: Path | None, started_at: float) -> None:
    """Touches the heartbeat while builds come along, and the file of the living process in any case."""
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    alive_path(path).touch()
    note = _note(path)
    last_build_at = max(started_at, note.stat().st_mtime if note.exists() else 0.0)
    if time.time() - last_build_at < LONGEST_SILENCE_SECONDS:
        path.touch()
