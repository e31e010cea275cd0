"""How this process takes memory from the system."""

import ctypes
from contextlib import suppress

# Of mallopt(3).
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
LARGE_BYTES = 256 << 10
ARENAS = 2


def return_large_blocks() -> None:
    """Has the C library give large blocks back as soon as they are free, and keep small ones in few arenas.

    By itself glibc takes blocks of up to 32 MiB from arenas of each thread, once one of that size was freed.
    Arenas only shrink from their end: bodies and inserts of megabytes come and go, and the process keeps most
    of what it ever held. Other libraries know no such setting.
    """
    with suppress(AttributeError, OSError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
        mallopt(M_ARENA_MAX, ARENAS)
