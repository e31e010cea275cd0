"""Where backups are kept: a directory, or a prefix in object storage."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from errata.backup.manifest import FileCopy, Manifest

# All erasures until the backup: ids and hashes only.
ERASURES = "erasures.jsonl.gz"


def name_of(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H-%M-%S}-{moment.microsecond // 1000:03}Z"


class BackupPlace(Protocol):
    """Backups have names, and are complete once their manifest is written."""

    @property
    def name(self) -> str:
        """As people give it, without credentials."""

    @property
    def linked(self) -> Path | None:
        """The directory that the engine must reach; None: it reaches the place by itself."""

    def hold(self) -> AbstractContextManager[None]:
        """Alone in the place. Raises BackupFailed while another backup to it is under way."""

    def complete(self) -> list[str]:
        """Names of the complete backups, oldest first."""

    def interrupted(self) -> list[str]: ...

    def begin(self, now: datetime) -> str:
        """Begins a new backup, named by its moment in UTC, and removes interrupted ones."""

    def remove(self, name: str) -> None:
        """Its manifest first: what is left if this is cut off is no backup."""

    def folder(self, name: str) -> Path:
        """Where files of a new backup other than the engine's are written to."""

    def fetched(self, name: str) -> Path:
        """A folder with the files of a backup other than the engine's."""

    def publish(self, name: str, manifest: Manifest) -> None:
        """Completes the backup."""

    def manifest(self, name: str) -> tuple[Manifest, str]:
        """And its sha256. Raises ManifestUnreadable and FileNotFoundError."""

    def files(self, name: str) -> Mapping[str, FileCopy]:
        """Every file of the backup as it is stored, with its checksum; all of them are safe afterwards."""

    def local_files(self, name: str, paths: Sequence[str]) -> list[Path]:
        """Files of a backup, on this machine."""

    def damage(self, name: str, files: Mapping[str, FileCopy]) -> Iterable[str]:
        """What is wrong with files of a backup."""

    def erasures(self, name: str) -> Path | None:
        """The list of erasures of a backup, complete or not, or by an empty name that of the whole place, as
        version 0.5.0 kept it. None if there is none."""

    def destination(self, name: str, section: str) -> str:
        """A section of a backup, for a statement."""
