"""The day's log file, which the SDKs of this host's Python applications append to as well."""

import errno
import os
import threading
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from errata_shipper.durable_file import sync_directory


class LogFile:
    def __init__(self, storage_path: Path, is_synced: bool, now: Callable[[], datetime]) -> None:
        self._storage_path = storage_path
        self._is_synced = is_synced
        self._now = now
        self._lock = threading.Lock()
        self._day = self._path = storage_path
        self._identity = (0, 0)
        self._descriptor = -1
        self._is_torn = False

    def append(self, lines: Iterable[bytes]) -> None:
        """Write whole lines, each with one `write`; OSError if one could not be written whole."""
        with self._lock:
            self._open_current()
            for line in lines:
                self._write(line)
            if self._is_synced:
                os.fdatasync(self._descriptor)

    def close(self) -> None:
        with self._lock:
            self._close()

    def _write(self, line: bytes) -> None:
        if self._is_torn and not self._ends_a_line():
            line = b"\n" + line
        written = os.write(self._descriptor, line)
        if written == len(line) and line[:1] != b"\n" and self._is_glued(written):
            # Another process was cut off in the middle of a line since. It costs itself, not this one.
            written = os.write(self._descriptor, line)
        self._is_torn = written != len(line)
        if self._is_torn:
            raise OSError(errno.ENOSPC, "a line was only partially written to disk")

    def _is_glued(self, written: int) -> bool:
        """Whether the line just written does not begin where another one ends.

        Looked at afterwards: before, it cannot be told from a line another process is still writing.
        """
        start = os.lseek(self._descriptor, 0, os.SEEK_CUR) - written
        return start > 0 and os.pread(self._descriptor, 1, start - 1) != b"\n"

    def _ends_a_line(self) -> bool:
        size = os.fstat(self._descriptor).st_size
        return size == 0 or os.pread(self._descriptor, 1, size - 1) == b"\n"

    def _open_current(self) -> None:
        """Have today's file open, also after it was moved or removed."""
        day = self._storage_path / f"errata-{self._now():%Y-%m-%d}.log"
        if self._descriptor < 0 or day != self._day or not self._is_in_place():
            self._open(day)

    def _is_in_place(self) -> bool:
        try:
            state = self._path.stat()
        except FileNotFoundError:
            return False
        return (state.st_dev, state.st_ino) == self._identity

    def _open(self, day: Path) -> None:
        self._close()
        self._path = self._day = day
        try:
            self._descriptor = _opened(day)
        except PermissionError:
            # An application of another user began the day's file, and lets nobody else write to it.
            self._path = day.with_name(f"{day.name}.intake")
            self._descriptor = _opened(self._path)
        state = os.fstat(self._descriptor)
        self._identity = state.st_dev, state.st_ino
        self._is_torn = False
        if self._is_synced:
            sync_directory(self._storage_path)

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _opened(path: Path) -> int:
    # Readable too: the byte before a line tells whether the line before ended.
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags | os.O_EXCL, 0o640)
    except FileExistsError:
        return os.open(path, flags, 0o640)
    # Whatever the umask: applications of the shipper's group append to it as well.
    os.fchmod(descriptor, 0o660)
    return descriptor
