"""Brotli by the system's own libbrotlidec: the package of that name would double the shipper's size.

The Python SDK compresses so wherever its application has a brotli package, without being told to.
"""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from errata_wire.limits import PIECE_BYTES

if TYPE_CHECKING:
    import ctypes

LIBRARY_NAMES = ("libbrotlidec.so.1", "libbrotlidec.1.dylib")
_FAILED, _DONE, _NEEDS_INPUT = 0, 1, 2


class BrotliError(ValueError):
    pass


def is_available() -> bool:
    return library() is not None


def pieces(body: bytes) -> Iterator[bytes]:
    """What the body inflates to, a bounded piece at a time."""
    import ctypes

    decoder = library()
    assert decoder is not None
    state: int | None = decoder.BrotliDecoderCreateInstance(None, None, None)
    if state is None:
        raise MemoryError
    source = ctypes.create_string_buffer(body, len(body))
    target = ctypes.create_string_buffer(PIECE_BYTES)
    left, position = ctypes.c_size_t(len(body)), ctypes.c_void_p(ctypes.addressof(source))
    try:
        result = -1
        while result != _DONE:
            room, end = ctypes.c_size_t(PIECE_BYTES), ctypes.c_void_p(ctypes.addressof(target))
            result = decoder.BrotliDecoderDecompressStream(
                state,
                ctypes.byref(left),
                ctypes.byref(position),
                ctypes.byref(room),
                ctypes.byref(end),
                None,
            )
            if result in (_FAILED, _NEEDS_INPUT):
                raise BrotliError("invalid or truncated")
            yield target.raw[: PIECE_BYTES - room.value]
    finally:
        decoder.BrotliDecoderDestroyInstance(state)


@cache
def library() -> "ctypes.CDLL | None":
    """The decoder; None without it, or where Python was built without ctypes."""
    try:
        import ctypes
    except ImportError:
        return None
    for name in LIBRARY_NAMES:
        try:
            found = ctypes.CDLL(name)
        except OSError:
            continue
        found.BrotliDecoderCreateInstance.restype = ctypes.c_void_p
        found.BrotliDecoderCreateInstance.argtypes = [ctypes.c_void_p] * 3
        found.BrotliDecoderDecompressStream.restype = ctypes.c_int
        found.BrotliDecoderDecompressStream.argtypes = [ctypes.c_void_p] * 6
        found.BrotliDecoderDestroyInstance.restype = None
        found.BrotliDecoderDestroyInstance.argtypes = [ctypes.c_void_p]
        return found
    return None
