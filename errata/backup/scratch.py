"""A place for one restore drill, which leaves nothing behind."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from errata.backup.errors import DrillFailed
from errata.reports import formats
from errata.up.data_directory import DataDirectory

FOLDER = "drill"
# Merges write parts anew before they drop the old ones.
SPACE_FACTOR = 1.5
STAYS_FREE_BYTES = 2 << 30


@dataclass(frozen=True)
class Scratch:
    """`service`: the data directory to restore to."""

    path: Path

    @property
    def service(self) -> Path:
        return self.path / FOLDER

    def require_room(self, byte_count: int) -> None:
        """Raises DrillFailed unless a backup of so many bytes fits, and 2 GiB stay free."""
        needed, free = byte_count * SPACE_FACTOR + STAYS_FREE_BYTES, shutil.disk_usage(self.path).free
        if free < needed:
            raise DrillFailed(
                f"{self.path} has {formats.size(free)} free, and the drill needs {formats.size(needed)}: "
                "free up space, or set ERRATA_BACKUP_SCRATCH to another directory"
            )


@contextmanager
def scratch(data: DataDirectory, place: Path | None) -> Iterator[Scratch]:
    """Alone, in `place` or in the data directory. Raises DrillFailed while another drill is under way."""
    found = Scratch((place or data.path).resolve())
    with _alone(data):
        _remove(found.service)
        try:
            yield found
        finally:
            _remove(found.service)


def remove_leftover(data: DataDirectory, place: Path | None) -> None:
    """Of a drill that was killed; nothing while one is under way."""
    # In a container of the pipelines alone, the data directory of the image is empty.
    if not data.run.is_dir():
        return
    try:
        with scratch(data, place):
            pass
    except DrillFailed:
        return


@contextmanager
def _alone(data: DataDirectory) -> Iterator[None]:
    with (data.run / "drill.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DrillFailed("Another restore drill is under way") from None
        yield


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
