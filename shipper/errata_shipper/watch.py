"""inotify on one folder: which of its files changed, without looking at them all."""

import ctypes
import os
import struct
from dataclasses import dataclass, field
from pathlib import Path

_MODIFIED = 0x2 | 0x4  # content; permissions
_MOVED_OR_MADE = 0x40 | 0x80 | 0x100 | 0x200  # moved from and to, created, deleted
_FOLDER_MOVED = 0x800
_FOLDER_GONE = 0x400 | 0x2000 | 0x8000  # deleted, unmounted, no longer watched
_OVERFLOWN = 0x4000
_ONLY_A_FOLDER = 0x0100_0000
# struct inotify_event: descriptor, mask, cookie, length of the name that follows.
_EVENT = struct.Struct("iIII")
_READ_BYTES = 64 << 10
_READS_AT_ONCE = 16

try:
    _libc = ctypes.CDLL(None, use_errno=True)
    _inotify_init1, _inotify_add_watch = _libc.inotify_init1, _libc.inotify_add_watch
    IS_AVAILABLE = True
except (AttributeError, OSError, TypeError):
    IS_AVAILABLE = False


@dataclass
class Changes:
    modified: set[str] = field(default_factory=set)
    # Created, deleted, or renamed from or to this name.
    moved: set[str] = field(default_factory=set)
    # More happened than was told.
    is_incomplete: bool = False
    # Nothing will be told any more.
    is_over: bool = False


class FolderWatch:
    """Raises OSError where the system, or its limits, allow no watch."""

    def __init__(self, path: Path) -> None:
        if not IS_AVAILABLE:
            raise OSError("this system has no inotify")
        self.descriptor = _checked(_inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        try:
            mask = _MODIFIED | _MOVED_OR_MADE | _FOLDER_MOVED | 0x400 | _ONLY_A_FOLDER
            _checked(_inotify_add_watch(self.descriptor, os.fsencode(path), mask))
        except OSError:
            self.close()
            raise

    def changes(self) -> Changes:
        """What happened since the last time; where too much did, the rest is for the next time."""
        changes = Changes()
        for _ in range(_READS_AT_ONCE):
            content = self._read()
            if not content:
                break
            position = 0
            while position < len(content):
                _, mask, _, length = _EVENT.unpack_from(content, position)
                position += _EVENT.size + length
                name = os.fsdecode(content[position - length : position].rstrip(b"\0"))
                _add(changes, mask, name)
        return changes

    def close(self) -> None:
        os.close(self.descriptor)

    def _read(self) -> bytes:
        try:
            return os.read(self.descriptor, _READ_BYTES)
        except BlockingIOError:
            return b""


def _add(changes: Changes, mask: int, name: str) -> None:
    if mask & _MODIFIED:
        changes.modified.add(name)
    if mask & _MOVED_OR_MADE:
        changes.moved.add(name)
    if mask & (_OVERFLOWN | _FOLDER_MOVED | _FOLDER_GONE):
        changes.is_incomplete = True
    if mask & _FOLDER_GONE:
        changes.is_over = True


def _checked(answer: int) -> int:
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer
