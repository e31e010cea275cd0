"""The log files as they lie in the storage path."""

import os
import pwd
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from errata_shipper.errors import StoragePathUnusable

# Also what logrotate makes of the name: errata-2026-11-21.log.1, errata-2026-11-21.log-20261122.
_LOG_FILE = re.compile(r"errata-(\d{4}-\d{2}-\d{2})\.log(?P<suffix>[.-][\w.-]*)?", re.ASCII)
_NOT_PLAIN = (".gz", ".zst", ".xz", ".bz2", ".lz4", ".zip", ".tmp", ".swp")

OnUnreadable = Callable[[Path, OSError], None]


class LogFile(NamedTuple):
    folder: Path
    name: str
    # Not renamed by rotation.
    is_plain: bool
    is_link: bool
    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @property
    def path(self) -> Path:
        return self.folder / self.name

    @property
    def date(self) -> str:
        return self.name[len("errata-") :][: len("2026-11-21")]

    @property
    def key(self) -> tuple[int, int]:
        return self.device, self.inode

    @property
    def stamp(self) -> tuple[int, int, int]:
        """Other than before if the file may hold something else."""
        return self.size, self.modified_ns, self.changed_ns

    def now(self) -> "LogFile | None":
        """What its path leads to now; None if that is gone."""
        try:
            state = self.path.stat()
        except FileNotFoundError:
            return None
        return _log_file(self.folder, self.name, self.is_plain, self.is_link, state)


def is_log_file(name: str) -> bool:
    return _LOG_FILE.fullmatch(name) is not None and not name.endswith(_NOT_PLAIN)


def find_files(storage_path: Path, on_unreadable: OnUnreadable = lambda path, error: None) -> list[LogFile]:
    """By date; of one date the rotated ones first, oldest first."""
    try:
        with os.scandir(storage_path) as entries:
            candidates = [
                (match[1], match["suffix"] is None, entry)
                for entry in entries
                if (match := _LOG_FILE.fullmatch(entry.name)) and not entry.name.endswith(_NOT_PLAIN)
            ]
    except FileNotFoundError as error:
        raise storage_path_missing(storage_path) from error
    except OSError as error:
        raise storage_path_refused(storage_path, error) from error
    found = []
    for date, is_plain, entry in candidates:
        try:
            state = entry.stat()
        except FileNotFoundError:
            continue
        except OSError as error:
            on_unreadable(storage_path / entry.name, error)
            continue
        if stat.S_ISREG(state.st_mode):
            file = _log_file(storage_path, entry.name, is_plain, entry.is_symlink(), state)
            found.append(((date, is_plain, state.st_mtime_ns, entry.name), file))
    return [file for _, file in sorted(found)]


def storage_path_missing(path: Path) -> StoragePathUnusable:
    return StoragePathUnusable(
        "Storage path not found", path, "create it, or set storagePath to the SDK's storage_path"
    )


def storage_path_refused(path: Path, error: OSError) -> StoragePathUnusable:
    remedy = f"{error.strerror or error}; give the shipper's user ({_user()}) read and write access to it"
    return StoragePathUnusable("Storage path not accessible", path, remedy)


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"user {os.geteuid()}"


def _log_file(folder: Path, name: str, is_plain: bool, is_link: bool, state: os.stat_result) -> LogFile:
    return LogFile(
        folder,
        name,
        is_plain,
        is_link,
        state.st_dev,
        state.st_ino,
        state.st_size,
        state.st_mtime_ns,
        state.st_ctime_ns,
    )
