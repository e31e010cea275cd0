"""What a supervised process prints, kept in two files of a bounded size."""

import os
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from errata.process_log.json_lines import LONGEST_LINE_BYTES, as_json_line

LOG_MAX_BYTES = 10 << 20
READ_BYTES = 1 << 16
ENDS_WITHIN_SECONDS = 2.0
LAST_LINES = 40


class ChildLog:
    """Reads a pipe for as long as somebody holds its other end, over restarts of the process as well.

    `json_of`: the process whose lines are to be JSON; empty: they stay as they were printed.

    A process never waits for its log, nor dies of it: what a full disk does not take is dropped.
    """

    def __init__(self, path: Path, json_of: str = "") -> None:
        self.path = path
        self._json_of = json_of
        self._longest_bytes = LONGEST_LINE_BYTES if json_of else READ_BYTES
        self._lock = threading.Lock()
        self._reading: threading.Thread | None = None
        self._last: deque[bytes] = deque(maxlen=LAST_LINES)

    @property
    def path_before(self) -> Path:
        return self.path.with_suffix(".log.1")

    def open(self) -> int:
        """The end to write to; to be closed once a process has it."""
        # Also where nothing is ever printed: who looks for the log finds it.
        self._append(b"")
        reads, writes = os.pipe()
        self._last = deque(maxlen=LAST_LINES)
        self._reading = threading.Thread(target=self._read, args=(reads, self._last), daemon=True)
        self._reading.start()
        return writes

    def wait(self) -> None:
        """Until what an ended process printed last is in the file."""
        if self._reading is not None:
            self._reading.join(ENDS_WITHIN_SECONDS)

    def last_lines(self) -> Sequence[str]:
        """Of what the latest process printed, whether or not the disk took it."""
        return [line.decode(errors="replace") for line in list(self._last)]

    def _read(self, pipe: int, last: deque[bytes]) -> None:
        rest = b""
        with os.fdopen(pipe, "rb", buffering=0) as stream:
            while printed := stream.read(READ_BYTES):
                # Whole lines, so that a file ends with one; of an endless line as much as comes.
                lines, newline, rest = (rest + printed).rpartition(b"\n")
                self._append(self._as_told(lines + newline))
                last.extend(lines.splitlines())
                if len(rest) > self._longest_bytes:
                    self._append(self._as_told(rest))
                    rest = b""
        last.extend(rest.splitlines())
        self._append(self._as_told(rest))

    def _as_told(self, text: bytes) -> bytes:
        if not self._json_of:
            return text
        lines = (line for line in text.split(b"\n") if line.strip())
        return b"".join(as_json_line(self._json_of, line) + b"\n" for line in lines)

    def _append(self, text: bytes) -> None:
        with self._lock:
            try:
                with self.path.open("ab", buffering=0) as file:
                    if file.tell() + len(text) <= LOG_MAX_BYTES:
                        file.write(text)
                        return
                self.path.replace(self.path_before)
                self.path.write_bytes(text)
            except OSError:
                return
