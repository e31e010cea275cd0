"""A compressed stream, inflated in pieces of at most `PIECE_BYTES`, so that a small body can't become much
memory at once.

The caller passes the decompressor: the server's gzip is faster than the standard library's.
"""

from collections.abc import Generator
from typing import Any, Protocol

from errata_wire.limits import FED_BYTES, PIECE_BYTES

# Yields pieces; returns the number of bytes that the stream takes of the body.
Pieces = Generator[bytes, None, int]


class Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: Any, max_length: int, /) -> bytes: ...


class ZlibDecompressor(Decompressor, Protocol):
    @property
    def unconsumed_tail(self) -> bytes: ...


class ZstdDecompressor(Decompressor, Protocol):
    @property
    def needs_input(self) -> bool: ...


def zlib_pieces(body: memoryview, decompressor: ZlibDecompressor) -> Pieces:
    """Pieces of the zlib, gzip or raw stream at the body's start; EOFError if it is truncated."""
    start = 0
    while not decompressor.eof:
        fed = body[start : start + FED_BYTES]
        piece = decompressor.decompress(fed, PIECE_BYTES)
        # At the end of a stream, the standard library may repeat what follows it as unconsumed.
        start += len(fed) - len(decompressor.unused_data or decompressor.unconsumed_tail)
        if not piece and not fed:
            raise EOFError
        yield piece
    return start


def zstd_pieces(body: memoryview, decompressor: ZstdDecompressor) -> Pieces:
    """Pieces of the zstd frame at the body's start; EOFError if it is truncated."""
    start = 0
    while not decompressor.eof:
        fed = body[start : start + FED_BYTES] if decompressor.needs_input else b""
        start += len(fed)
        piece = decompressor.decompress(fed, PIECE_BYTES)
        if start == len(body) and not piece and decompressor.needs_input and not decompressor.eof:
            raise EOFError
        yield piece
    return start - len(decompressor.unused_data)
