"""A request body as lines: inflated in pieces, so that a small body cannot become much memory or work."""

import re
from collections.abc import Iterable, Iterator
from typing import cast

from backports import zstd
from errata_wire.inflation import zlib_pieces, zstd_pieces
from errata_wire.limits import DELIVERY_PARTS_MAX, DELIVERY_WINDOW_LOG_MAX, PIECE_BYTES
from isal import isal_zlib

from api.ingest.preparation import LIGHT, Steps
from errata.errors import ErrataError

ZSTD_OPTIONS: dict[int, int] = {zstd.DecompressionParameter.window_log_max: DELIVERY_WINDOW_LOG_MAX}
GZIP_ERROR = cast(type[Exception], isal_zlib.error)
NOT_BLANK = re.compile(rb"\S")
ENCODINGS = ("gzip", "zstd", "identity")


class InvalidBatch(ErrataError):
    """The whole request is unreadable."""

    code = "invalid_batch"


class TooLarge(ErrataError):
    """A limit on the request was exceeded."""

    code = "too_large"

    def __init__(self, what: str, limit: int, size: int | None = None) -> None:
        said = f"{size} " if size is not None else "more than that "
        super().__init__(f"The limit is {limit} {what}; the request has {said}{what}")
        self.what = what
        self.limit = limit
        self.size = size


class UnsupportedEncoding(ErrataError):
    """The Content-Encoding is none of those accepted."""

    code = "unsupported_encoding"

    def __init__(self, encoding: str) -> None:
        super().__init__(f"Content-Encoding {encoding[:40]!r} is not supported; send {', '.join(ENCODINGS)}")
        self.encoding = encoding


def inflated(body: bytes, encoding: str, max_bytes: int) -> Iterator[bytes]:
    """Pieces of the body without its Content-Encoding. Raises TooLarge once they exceed `max_bytes`."""
    chosen = encoding.strip().lower()
    if chosen in ("", "identity", "none"):
        pieces = _slices(body)
    elif chosen in ("gzip", "x-gzip"):
        pieces = _gzip(body)
    elif chosen == "zstd":
        pieces = _zstd(body)
    else:
        raise UnsupportedEncoding(encoding)
    size = 0
    for piece in pieces if body else ():
        size += len(piece)
        if size > max_bytes:
            raise TooLarge("bytes inflated", max_bytes)
        yield piece


def _slices(body: bytes) -> Iterator[bytes]:
    return (body[start : start + PIECE_BYTES] for start in range(0, len(body), PIECE_BYTES))


def _gzip(body: bytes) -> Iterator[bytes]:
    view, start = memoryview(body), 0
    try:
        for _ in range(DELIVERY_PARTS_MAX):
            # Twice as fast as the standard library's.
            start += yield from zlib_pieces(view[start:], isal_zlib.decompressobj(wbits=31))
            if start == len(body):
                return
    except EOFError as error:
        raise InvalidBatch("Invalid gzip body: it is truncated, or followed by other data") from error
    except GZIP_ERROR as error:
        raise InvalidBatch(f"Invalid gzip body: {error}") from error
    raise InvalidBatch(f"The gzip body has more than {DELIVERY_PARTS_MAX} members")


def _zstd(body: bytes) -> Iterator[bytes]:
    view, start = memoryview(body), 0
    try:
        for _ in range(DELIVERY_PARTS_MAX):
            start += yield from zstd_pieces(view[start:], zstd.ZstdDecompressor(options=ZSTD_OPTIONS))
            if start == len(body):
                return
    except EOFError as error:
        raise InvalidBatch("The zstd body is truncated") from error
    except zstd.ZstdError as error:
        raise InvalidBatch(f"Invalid zstd body: {error}") from error
    raise InvalidBatch(f"The zstd body has more than {DELIVERY_PARTS_MAX} frames")


def numbered_lines(pieces: Iterable[bytes], max_lines: int) -> Steps[list[tuple[int, bytes]]]:
    """The lines that are not blank, with their numbers from 1; blank ones make no objects."""
    lines: list[tuple[int, bytes]] = []
    number, begun = 1, list[bytes]()
    for piece in pieces:
        yield LIGHT
        end = piece.rfind(b"\n") + 1
        if end:
            number = _add_lines(lines, b"".join([*begun, piece[:end]]), number, max_lines)
            begun = []
        begun.append(piece[end:])
    _add_lines(lines, b"".join(begun), number, max_lines)
    return lines


def _add_lines(lines: list[tuple[int, bytes]], block: bytes, number: int, max_lines: int) -> int:
    """Adds the lines of a block that begins with the line `number`; the number of the line after it."""
    if block.isspace():
        return number + block.count(b"\n")
    at = 0
    while visible := NOT_BLANK.search(block, at):
        first = visible.start()
        number += block.count(b"\n", at, first)
        begin = max(at, block.rfind(b"\n", at, first) + 1)
        at = block.find(b"\n", first)
        if at < 0:
            at = len(block)
        lines.append((number, block[begin:at]))
        if len(lines) > max_lines:
            raise TooLarge("lines", max_lines)
    return number + block.count(b"\n", at)
