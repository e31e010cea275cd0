"""Brotli by the system's own libbrotlidec: the package of that name would double the shipper's size.

The Python SDK compresses so wherever its application has a brotli package, without being told to.
"""

import ctypes
from collections.abc import Iterator
from functools import cache

_NAMES = ("libbrotlidec.so.1", "libbrotlidec.1.dylib")
_CHUNK_BYTES = 64 << 10
_FAILED, _DONE, _NEEDS_INPUT = 0, 1, 2


class BrotliError(ValueError):
    pass


def is_available() -> bool:
    return _library() is not None


def pieces(body: bytes) -> Iterator[bytes]:
    """What the body inflates to, a bounded piece at a time."""
    library = _library()
    assert library is not None
    state: int | None = library.BrotliDecoderCreateInstance(None, None, None)
    if state is None:
        raise MemoryError
    source = ctypes.create_string_buffer(body, len(body))
    target = ctypes.create_string_buffer(_CHUNK_BYTES)
    left, position = ctypes.c_size_t(len(body)), ctypes.c_void_p(ctypes.addressof(source))
    try:
        result = -1
        while result != _DONE:
            room, end = ctypes.c_size_t(_CHUNK_BYTES), ctypes.c_void_p(ctypes.addressof(target))
            result = library.BrotliDecoderDecompressStream(
                state,
                ctypes.byref(left),
                ctypes.byref(position),
                ctypes.byref(room),
                ctypes.byref(end),
                None,
            )
            if result in (_FAILED, _NEEDS_INPUT):
                raise BrotliError("invalid or cut off")
            yield target.raw[: _CHUNK_BYTES - room.value]
    finally:
        library.BrotliDecoderDestroyInstance(state)


@cache
def _library() -> ctypes.CDLL | None:
    for name in _NAMES:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        library.BrotliDecoderCreateInstance.restype = ctypes.c_void_p
        library.BrotliDecoderCreateInstance.argtypes = [ctypes.c_void_p] * 3
        library.BrotliDecoderDecompressStream.restype = ctypes.c_int
        library.BrotliDecoderDecompressStream.argtypes = [ctypes.c_void_p] * 6
        library.BrotliDecoderDestroyInstance.restype = None
        library.BrotliDecoderDestroyInstance.argtypes = [ctypes.c_void_p]
        return library
    return None
