"""The creation time of a file, which distinguishes it from an earlier one with the same inode."""

import ctypes
import sys

_AT_EMPTY_PATH = 0x1000
_STATX_BTIME = 0x800
# struct statx of the kernel's ABI: stx_mask at 0, stx_btime (64 bit seconds, 32 bit nanoseconds) at 80.
_STRUCT_BYTES = 256

try:
    _libc: ctypes.CDLL | None = ctypes.CDLL(None)
except (OSError, TypeError):
    _libc = None
# Python's os.stat has no btime on Linux.
_statx = getattr(_libc, "statx", None)


def btime_of(descriptor: int) -> int | None:
    """Nanoseconds since the epoch; None if the system or the file system has none."""
    if _statx is None:
        return None
    answer = ctypes.create_string_buffer(_STRUCT_BYTES)
    if _statx(descriptor, b"", _AT_EMPTY_PATH, _STATX_BTIME, answer) != 0:
        return None
    if not _number(answer, 0, 4) & _STATX_BTIME:
        return None
    return _number(answer, 80, 8) * 1_000_000_000 + _number(answer, 88, 4)


def _number(answer: ctypes.Array[ctypes.c_char], since: int, length: int) -> int:
    return int.from_bytes(answer.raw[since : since + length], sys.byteorder)
