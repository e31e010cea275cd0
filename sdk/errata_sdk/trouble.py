"""What is wrong with writing: said once on standard error, and again if it comes back after it was mended."""

import contextlib
import sys

BLOCK_BYTES = 4096


class Trouble:
    def __init__(self) -> None:
        self._said: set[str] = set()
        self._lost_count = 0
        self._shortest_bytes = 0

    @property
    def is_open(self) -> bool:
        return self._lost_count > 0

    def say(self, kind: str, what: str) -> None:
        if kind not in self._said:
            self._said.add(kind)
            write_error(what)

    def lose(self, kind: str, what: str, line_bytes: int) -> None:
        """A line of that size was lost."""
        self._shortest_bytes = min(line_bytes, self._shortest_bytes) if self._lost_count else line_bytes
        self._lost_count += 1
        self.say(kind, f"{what}; events are lost until this is fixed (reported once)")

    def mend(self, line_bytes: int) -> bool:
        """Whether a line of that size, written, shows that all is well again."""
        # A full disk still takes short lines: what is left of the file's last block.
        if line_bytes < min(self._shortest_bytes, BLOCK_BYTES):
            return False
        write_error(f"writing log lines works again; events lost: {self._lost_count}")
        self._said.clear()
        self._lost_count = 0
        return True


def write_error(what: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None:
            sys.stderr.write(f"errata: {what}\n")
