"""The day's log file: lines appended by any number of threads and processes."""

import contextlib
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

SECONDS_A_DAY = 86_400
# The service refuses longer lines, so writing them would only fill the disk.
MAX_LINE_BYTES = 4 << 20


def _call(method: weakref.WeakMethod[Callable[[], None]]) -> None:
    alive = method()
    if alive is not None:
        alive()


class LogFile:
    """`<storage_path>/errata-YYYY-MM-DD.log` of the current UTC day."""

    def __init__(self, storage_path: Path, file_mode: int = 0o640) -> None:
        self.storage_path = storage_path
        self.file_mode = file_mode
        self.written_count = 0
        self.lost_count = 0
        self._reported: set[str] = set()
        self._descriptor = -1
        self._identity = (0, 0)
        self._day = -1
        self._path = storage_path
        self._torn = False
        # Reentrant, because a signal handler or a destructor may log while a line is being written.
        self._lock = threading.RLock()
        # Many log files may come and go in a process, as in its tests: the fork keeps none of them alive.
        forked = weakref.WeakMethod(self._forked)
        os.register_at_fork(after_in_child=lambda: _call(forked))

    def _forked(self) -> None:
        # The child has a copy of a lock whose holder it may not have, and shares the position in the file.
        self._lock = threading.RLock()
        self.close()

    def prepare(self) -> None:
        """Create the folder: what is wrong with it is said at the start, not at the first error."""
        try:
            self.storage_path.mkdir(mode=0o750, parents=True, exist_ok=True)
        except OSError as error:
            self._report(f"errno-{error.errno}", f"cannot create {self.storage_path}: {error.strerror}")

    def append(self, line: bytes) -> bool:
        """Write one line, which ends with its newline; False if it is lost."""
        if len(line) > MAX_LINE_BYTES:
            return self._lose("too-long", f"a line of {len(line)} bytes is over {MAX_LINE_BYTES}")
        with self._lock:
            try:
                is_whole = self._write(line)
            except OSError as error:
                return self._lose(f"errno-{error.errno}", f"cannot write to {self._path}: {error.strerror}")
            if not is_whole:
                return self._lose("short", f"{self._path} took only a part of a line")
            self.written_count += 1
        return True

    def close(self) -> None:
        with self._lock:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1

    def _write(self, line: bytes) -> bool:
        self._open_current()
        if self._torn and not self._ends_a_line():
            line = b"\n" + line
        written = os.write(self._descriptor, line)
        if written == len(line) and line[:1] != b"\n" and self._is_glued(written):
            # Another process was cut off in the middle of a line since. It costs itself, not this one.
            written = os.write(self._descriptor, line)
        self._torn = written != len(line)
        return not self._torn

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
        day = int(time.time() // SECONDS_A_DAY)
        if day != self._day or self._descriptor < 0:
            date = datetime.fromtimestamp(day * SECONDS_A_DAY, UTC)
            self._path = self.storage_path / f"errata-{date:%Y-%m-%d}.log"
            self._day = day
            return self._open()
        try:
            state = os.stat(self._path)  # noqa: PTH116 (three times faster than Path.stat, once a line)
        except FileNotFoundError:
            return self._open()
        if (state.st_dev, state.st_ino) != self._identity:
            self._open()

    def _open(self) -> None:
        self.close()
        # Readable too: the byte before a line tells whether the line before ended.
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        try:
            descriptor = os.open(self._path, flags, self.file_mode)
        except FileNotFoundError:
            self.storage_path.mkdir(mode=0o750, parents=True, exist_ok=True)
            descriptor = os.open(self._path, flags, self.file_mode)
        state = os.fstat(descriptor)
        self._descriptor, self._identity = descriptor, (state.st_dev, state.st_ino)
        self._torn = False

    def _lose(self, kind: str, what: str) -> bool:
        with self._lock:
            self.lost_count += 1
        self._report(kind, what)
        return False

    def _report(self, kind: str, what: str) -> None:
        if kind in self._reported or sys.stderr is None:
            return
        self._reported.add(kind)
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"errata: {what}; events are lost until this is mended (said once)\n")
