"""Text on its way to a row or from one, deflated: recordings that wait to be stored or read would fill the
memory otherwise."""

import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

FAST = 1
CHUNK_BYTES = 256 << 10


@dataclass(frozen=True, slots=True)
class Deflated:
    """UTF-8 text of `inflated_bytes`; `pieces` together are one zlib stream."""

    pieces: Sequence[bytes]
    inflated_bytes: int

    def chunks(self) -> Iterator[bytes]:
        """The text in chunks."""
        inflater = zlib.decompressobj()
        for piece in self.pieces:
            rest = piece
            while rest:
                yield inflater.decompress(rest, CHUNK_BYTES)
                rest = inflater.unconsumed_tail
        yield inflater.flush()

    def json_chunks(self) -> Iterator[bytes]:
        """The text as a JSON string, quotes included. JSON has white space between its tokens at most, and no
        other control characters."""
        yield b'"'
        for chunk in self.chunks():
            quoted = chunk.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
            yield quoted.replace(b"\n", b"\\n").replace(b"\r", b"\\r").replace(b"\t", b"\\t")
        yield b'"'

    def text(self) -> str:
        return b"".join(self.chunks()).decode()


def utf8(sent: bytes) -> bytes:
    """The text as valid UTF-8; as a whole, a Python string takes up to four times its bytes."""
    chunks = range(0, len(sent), CHUNK_BYTES)
    if sent.isascii():
        return sent
    decoder = getincrementaldecoder("utf-8")("replace")
    parts = [decoder.decode(sent[at : at + CHUNK_BYTES]).encode() for at in chunks]
    return b"".join([*parts, decoder.decode(b"", True).encode()])


def deflated(parts: Iterable[bytes]) -> Deflated:
    deflater, pieces, size = zlib.compressobj(FAST), [], 0
    for part in parts:
        size += len(part)
        if piece := deflater.compress(part):
            pieces.append(piece)
    pieces.append(deflater.flush())
    return Deflated(pieces, size)
