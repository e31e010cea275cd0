"""A backup directory: a folder each, complete once its manifest is written."""

import fcntl
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from errata.backup.errors import BackupFailed
from errata.backup.manifest import NAME, FileCopy, Manifest, checksum, files_of, read_manifest
from errata.backup.place import ERASURES, name_of
from errata.warehouse.backup_disk import destination

LOCK = ".lock"


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

    def erasures(self, name: str) -> Path | None:
        path = self.path / name / ERASURES
        return path if path.exists() else None

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def linked(self) -> Path:
        return self.path

    def folder(self, name: str) -> Path:
        return self.path / name

    def fetched(self, name: str) -> Path:
        return self.folder(name)

    def manifest(self, name: str) -> tuple[Manifest, str]:
        return read_manifest(self.folder(name))

    def publish(self, name: str, manifest: Manifest) -> None:
        manifest.write(self.folder(name))

    def files(self, name: str) -> Mapping[str, FileCopy]:
        return files_of(self.folder(name))

    def local_files(self, name: str, paths: Sequence[str]) -> list[Path]:
        return [self.folder(name) / path for path in paths]

    def destination(self, name: str, section: str) -> str:
        return destination(name, section)

    def damage(self, name: str, files: Mapping[str, FileCopy]) -> Iterator[str]:
        folder = self.folder(name)
        for path, copied in files.items():
            try:
                if (folder / path).stat().st_size != copied.bytes:
                    yield f"{path} has a different size"
                elif checksum(folder / path) != copied.sha256:
                    yield f"{path} was changed"
            except FileNotFoundError:
                yield f"{path} is missing"
            except OSError as error:
                yield f"{path} can't be read: {error.strerror}"

    def remove(self, name: str) -> None:
        (self.folder(name) / NAME).unlink(missing_ok=True)
        shutil.rmtree(self.folder(name))

    def complete(self) -> list[str]:
        """Names of the complete backups, oldest first."""
        return [path.name for path in self._folders() if (path / NAME).exists()]

    def interrupted(self) -> list[str]:
        return [path.name for path in self._folders() if not (path / NAME).exists()]

    def begin(self, now: datetime) -> str:
        """Makes the folder of a new backup, named by its moment in UTC, and removes interrupted ones."""
        for name in self.interrupted():
            shutil.rmtree(self.folder(name))
        name = name_of(now)
        self.folder(name).mkdir(mode=0o700)
        return name

    def _folders(self) -> list[Path]:
        return sorted(path for path in self.path.iterdir() if path.is_dir()) if self.path.is_dir() else []
