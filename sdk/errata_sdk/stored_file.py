"""The log files of a directory, as they are found there."""

import os
import re
import stat
from dataclasses import dataclass

# Also what rotation makes of the name: errata-2026-11-21.log.1, errata-2026-11-21.log-20261122.
_LOG_FILE = re.compile(r"errata-(\d{4}-\d{2}-\d{2})\.log([.-][\w.-]*)?", re.ASCII)
# What lines are written to: the day's file, and those of writers that may not write to it.
_LIVE_SUFFIX = re.compile(r"(\.intake|\.u\d+)?", re.ASCII)
# The shipper does not read these, and what somebody has packed is kept for a reason.
_PACKED = (".gz", ".zst", ".xz", ".bz2", ".lz4", ".zip", ".tmp", ".swp")

OPEN_FLAGS = 0
for _flag in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK"):
    OPEN_FLAGS |= getattr(os, _flag, 0)


@dataclass(frozen=True)
class StoredFile:
    name: str
    date: str
    # Not renamed by rotation.
    is_live: bool
    device: int
    inode: int
    size: int
    modified_ns: int

    @property
    def order(self) -> tuple[str, bool, int, str]:
        """By date; of one date the rotated ones first, oldest first."""
        return self.date, self.is_live, self.modified_ns, self.name

    def open(self, folder: int, flags: int) -> int:
        """A descriptor of this very file; FileNotFoundError if its name leads to another one by now."""
        descriptor = os.open(self.name, flags | OPEN_FLAGS, dir_fd=folder)
        state = os.fstat(descriptor)
        if (state.st_dev, state.st_ino) != (self.device, self.inode):
            os.close(descriptor)
            raise FileNotFoundError(self.name)
        return descriptor


def stored_files(folder: int) -> list[StoredFile]:
    """Oldest first; what is no plain file of this directory is not among them."""
    with os.scandir(folder) as entries:
        found = [file for entry in entries if (file := _stored(entry)) is not None]
    return sorted(found, key=lambda file: file.order)


def _stored(entry: "os.DirEntry[str]") -> StoredFile | None:
    match = _LOG_FILE.fullmatch(entry.name)
    if match is None or entry.name.endswith(_PACKED):
        return None
    try:
        state = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    if not stat.S_ISREG(state.st_mode):
        return None
    return StoredFile(
        entry.name,
        match[1],
        _LIVE_SUFFIX.fullmatch(match[2] or "") is not None,
        state.st_dev,
        state.st_ino,
        state.st_size,
        state.st_mtime_ns,
    )
