"""The columns in files of the warehouse as they are inflated: compressed blocks, one after the other."""

import struct
from collections.abc import Iterator
from pathlib import Path

import lz4.block
from backports import zstd

from tests.stored_files import contents

# A checksum of 16 bytes, the method, and sizes: of this header with the compressed bytes, and inflated.
HEADER = struct.Struct("<16xBII")
NAMED = 9
NONE, LZ4, ZSTD = 0x02, 0x82, 0x90


def inflated_contents(directory: Path) -> Iterator[tuple[Path, bytes]]:
    """All files: those of columns inflated, block by block, others as they are."""
    for path, content in contents(directory):
        if path.suffix == ".bin":
            yield from ((path, block) for block in blocks(content))
        else:
            yield path, content


def blocks(content: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(content):
        method, size, inflated_size = HEADER.unpack_from(content, at)
        compressed = content[at + HEADER.size : at + 16 + size]
        assert size > NAMED and len(compressed) == size - NAMED, "cut, or no block"
        yield _inflated(method, compressed, inflated_size)
        at += 16 + size


def _inflated(method: int, compressed: bytes, size: int) -> bytes:
    if method == ZSTD:
        return zstd.decompress(compressed)
    if method == LZ4:
        return bytes(lz4.block.decompress(compressed, uncompressed_size=size))
    # Other codecs, such as those of numbers, hold no text.
    return compressed
