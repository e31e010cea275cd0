"""Whether the pipelines run, and whether builds are scheduled and done, told by the times of three files."""

import time
from pathlib import Path

from errata.up.heartbeat import alive_path

# The schedule builds every five minutes; a backfill may hold one up.
LONGEST_SILENCE_SECONDS = 1800


def _note(path: Path) -> Path:
    return path.with_name(path.name + "-build")


def note_build(path: Path | None) -> None:
    """Called by every build, in whichever process."""
    if path is not None:
        _note(path).touch()


def beat(path: Path | None, started_at: float) -> None:
    """Touches the heartbeat while builds come along, and the file beside it in any case."""
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    alive_path(path).touch()
    note = _note(path)
    last_build_at = max(started_at, note.stat().st_mtime if note.exists() else 0.0)
    if time.time() - last_build_at < LONGEST_SILENCE_SECONDS:
        path.touch()
