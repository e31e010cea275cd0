"""The day's log file: lines appended by any number of threads and processes."""

import errno
import os
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

from errata_wire.limits import HEAD_BYTES, line_max_bytes

from errata_sdk.fork import ForkAware
from errata_sdk.pruner import Pruner
from errata_sdk.retention import Retention
from errata_sdk.trouble import Trouble

SECONDS_A_DAY = 86_400

# Each writing may come after a line of another process that was killed in the middle of it.
_MOST_WRITES = 8

# Readable too: the byte before a line tells whether the line before ended. Never waits for a reader, were
# the name that of a pipe. Windows has but two of these.
_OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT
for _flag in ("O_CLOEXEC", "O_NONBLOCK", "O_BINARY", "O_NOINHERIT"):
    _OPEN_FLAGS |= getattr(os, _flag, 0)


_DISK_IS_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


class LogFile(ForkAware):
    """`<storage_path>/errata-YYYY-MM-DD.log` of the current UTC day."""

    def __init__(
        self, storage_path: Path, file_mode: int = 0o640, retention: Retention | None = None
    ) -> None:
        self.storage_path = storage_path
        self.file_mode = file_mode
        self.written_count = 0
        self.lost_count = 0
        self._trouble = Trouble()
        self._too_long = Trouble()
        self._descriptor = -1
        self._identity = (0, 0)
        self._day = -1
        self._path = storage_path
        self._torn = False
        self._counts_links = True
        # Reentrant, because a signal handler or a destructor may log while a line is being written.
        self._lock = threading.RLock()
        self._pruner = Pruner(storage_path, retention, self.append) if retention is not None else None
        super().__init__()

    def forked(self) -> None:
        # The child has a copy of a lock whose holder it may not have, and shares the position in the file.
        self._lock = threading.RLock()
        self._close()

    def prepare(self) -> None:
        """Create the folder: what is wrong with it is said at the start, not at the first error."""
        try:
            self.storage_path.mkdir(mode=0o750, parents=True, exist_ok=True)
            if not os.access(self.storage_path, os.W_OK | os.X_OK):
                self._path = _path_of(self.storage_path, _today())
                self._open()
        except OSError as error:
            self._trouble.say(
                f"errno-{error.errno}",
                f"cannot write to {error.filename or self._path}: {error.strerror}; "
                "events are lost until this is fixed (reported once)",
            )

    def append(self, line: bytes) -> bool:
        """Write one line, which ends with its newline; False if it is lost."""
        self.notice_fork()
        most = line_max_bytes(line[:HEAD_BYTES])
        if len(line) > most:
            self._too_long.say(
                "too-long",
                f"a line of {len(line)} bytes exceeds {most} and was not written (reported once)",
            )
            self.lost_count += 1
            return False
        with self._lock:
            try:
                if not self._write(line):
                    return self._lose(
                        "short", f"a line was only partially written to {self._path}", len(line)
                    )
            except OSError as error:
                if error.errno in _DISK_IS_FULL and self._pruner is not None:
                    self._pruner.make_room()
                what = f"cannot write to {self._path}: {error.strerror}"
                return self._lose(f"errno-{error.errno}", what, len(line))
            self.written_count += 1
            if self._trouble.is_open:
                self._trouble.mend(len(line))
        return True

    @property
    def is_in_trouble(self) -> bool:
        """Lines were lost, and none since then shows that all is well again."""
        return self._trouble.is_open

    def wait(self, timeout: float) -> None:
        """Until what is being removed from the directory is removed and told of."""
        if self._pruner is not None:
            self._pruner.wait(timeout)

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        # Forgotten first: a child forked in between must not close what has this number by then.
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _write(self, line: bytes) -> bool:
        self._open_current()
        if self._torn and not self._ends_a_line():
            line = b"\n" + line
        for _ in range(_MOST_WRITES):
            written = os.write(self._descriptor, line)
            if written != len(line) or self._stands_alone(line):
                break
        self._torn = written != len(line)
        return not self._torn

    def _stands_alone(self, line: bytes) -> bool:
        """Whether the line just written is in a file that is still there, and begins where another one ends.

        Looked at afterwards: before, a line cut off by the end of its process cannot be told from one
        that is still being written, and a file may be removed between a look at it and the writing.
        """
        if self._counts_links and os.fstat(self._descriptor).st_nlink == 0:
            self._open()
            return False
        if line[:1] == b"\n":
            return True
        start = os.lseek(self._descriptor, 0, os.SEEK_CUR) - len(line)
        return start <= 0 or _byte_at(self._descriptor, start - 1) == b"\n"

    def _ends_a_line(self) -> bool:
        size = os.fstat(self._descriptor).st_size
        return size == 0 or _byte_at(self._descriptor, size - 1) == b"\n"

    def _open_current(self) -> None:
        """Have today's file open, also after it was moved or removed."""
        day = _today()
        if day != self._day or self._descriptor < 0:
            self._path = _path_of(self.storage_path, day)
            self._open()
            self._day = day
            return
        try:
            state = os.stat(self._path)  # noqa: PTH116 (three times faster than Path.stat, once a line)
        except PermissionError:
            # The folder was closed to us: what is open can still be written to.
            return
        except FileNotFoundError:
            return self._open()
        if (state.st_dev, state.st_ino) != self._identity:
            self._open()
        elif self._pruner is not None:
            self._pruner.look(state.st_size)

    def _open(self) -> None:
        self._close()
        try:
            descriptor = self._opened()
        except FileNotFoundError:
            self.storage_path.mkdir(mode=0o750, parents=True, exist_ok=True)
            descriptor = self._opened()
        state = os.fstat(descriptor)
        self._descriptor, self._identity = descriptor, (state.st_dev, state.st_ino)
        # Not every file system tells how many names a file has.
        self._counts_links = state.st_nlink > 0
        self._torn = False
        if self._pruner is not None:
            self._pruner.look(state.st_size)

    def _opened(self) -> int:
        try:
            return os.open(self._path, _OPEN_FLAGS, self.file_mode)
        except PermissionError:
            own = f".u{os.geteuid()}" if hasattr(os, "geteuid") else ""
            if not own or self._path.name.endswith(own) or not self._path.exists():
                raise
        # A program of another user began the day's file, and lets nobody else write to it.
        self._path = self._path.with_name(f"{self._path.name}{own}")
        return os.open(self._path, _OPEN_FLAGS, self.file_mode)

    def _lose(self, kind: str, what: str, line_bytes: int) -> bool:
        self.lost_count += 1
        self._trouble.lose(kind, what, line_bytes)
        return False


def _today() -> int:
    return int(time.time() // SECONDS_A_DAY)


def _path_of(storage_path: Path, day: int) -> Path:
    return storage_path / f"errata-{datetime.fromtimestamp(day * SECONDS_A_DAY, UTC):%Y-%m-%d}.log"


def _byte_at(descriptor: int, position: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, 1, position)
    at = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, position, os.SEEK_SET)
    byte = os.read(descriptor, 1)
    os.lseek(descriptor, at, os.SEEK_SET)
    return byte
