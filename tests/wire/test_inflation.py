import gzip
import zlib
from collections.abc import Callable

import pytest
from backports import zstd
from errata_wire.inflation import Pieces, zlib_pieces, zstd_pieces
from errata_wire.limits import PIECE_BYTES
from hypothesis import given
from hypothesis import strategies as st
from isal import isal_zlib

from tests.cases import each

# By the standard library's decoder, and by those of the server.
STREAMS: list[tuple[Callable[[bytes], bytes], Callable[[memoryview], Pieces]]] = [
    (gzip.compress, lambda body: zlib_pieces(body, zlib.decompressobj(31))),
    (gzip.compress, lambda body: zlib_pieces(body, isal_zlib.decompressobj(wbits=31))),
    (zlib.compress, lambda body: zlib_pieces(body, zlib.decompressobj())),
    (zstd.compress, lambda body: zstd_pieces(body, zstd.ZstdDecompressor())),
]


def read(pieces: Pieces) -> tuple[bytes, int]:
    """What the pieces hold together, and how much of the body they take."""
    inflated = bytearray()
    while True:
        try:
            piece = next(pieces)
        except StopIteration as end:
            return bytes(inflated), end.value
        assert len(piece) <= PIECE_BYTES
        inflated += piece


@each(("compress", "pieces"), STREAMS)
@each("text", [b"", b"a", bytes(1 << 20), b"".join(b"%d," % number for number in range(100_000))])
def test_pieces_are_bounded_and_end_where_the_stream_ends(
    compress: Callable[[bytes], bytes], pieces: Callable[[memoryview], Pieces], text: bytes
) -> None:
    stream = compress(text)
    for following in (b"", b"x", stream):
        assert read(pieces(memoryview(stream + following))) == (text, len(stream))
    for kept in (0, 1, len(stream) - 1):
        with pytest.raises(EOFError):
            read(pieces(memoryview(stream[:kept])))


@given(st.binary(), st.sampled_from(STREAMS), st.binary(max_size=20))
def test_any_text_is_inflated_whatever_follows_it(
    text: bytes,
    stream: tuple[Callable[[bytes], bytes], Callable[[memoryview], Pieces]],
    following: bytes,
) -> None:
    compress, pieces = stream
    compressed = compress(text)
    assert read(pieces(memoryview(compressed + following))) == (text, len(compressed))
