"""A directory of backups: a folder each, complete once its manifest is written."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from errata.backup.errors import BackupFailed
from errata.backup.manifest import NAME

LOCK = ".lock"
ERASURES = "erasures.jsonl.gz"


@dataclass(frozen=True)
class BackupDirectory:
    path: Path

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Alone in the directory. Raises BackupFailed while another backup is under way in it."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = (self.path / LOCK).open("a")
        except OSError as error:
            raise BackupFailed(f"{self.path} can't be used: {error.strerror or error}") from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BackupFailed(f"Another backup to {self.path} is under way") from None
            yield

    @property
    def erasures(self) -> Path:
        """The list of erasures as of the last backup: ids and hashes only."""
        return self.path / ERASURES

    def folder(self, name: str) -> Path:
        return self.path / name

    def complete(self) -> list[str]:
        """Names of the complete backups, oldest first."""
        return [path.name for path in self._folders() if (path / NAME).exists()]

    def interrupted(self) -> list[str]:
        return [path.name for path in self._folders() if not (path / NAME).exists()]

    def begin(self, now: datetime) -> str:
        """Makes the folder of a new backup, named by its moment in UTC, and removes interrupted ones."""
        for name in self.interrupted():
            shutil.rmtree(self.folder(name))
        name = f"{now:%Y-%m-%dT%H-%M-%S}-{now.microsecond // 1000:03}Z"
        self.folder(name).mkdir(mode=0o700)
        return name

    def _folders(self) -> list[Path]:
        return sorted(path for path in self.path.iterdir() if path.is_dir()) if self.path.is_dir() else []
