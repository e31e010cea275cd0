"""A request body as lines: inflated within a cap, so that a small body cannot become a large one."""

import zlib

from backports import zstd

from errata.errors import ErrataError

CHUNK_BYTES = 1 << 20
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


def inflate(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """The body without its Content-Encoding. Raises TooLarge before it holds more than `max_bytes`."""
    chosen = encoding.strip().lower()
    if chosen in ("", "identity", "none"):
        return _within(body, max_bytes)
    if chosen in ("gzip", "x-gzip"):
        return _inflate_gzip(body, max_bytes)
    if chosen == "zstd":
        return _inflate_zstd(body, max_bytes)
    raise UnsupportedEncoding(encoding)


def _inflate_gzip(body: bytes, max_bytes: int) -> bytes:
    parts, size = [], 0
    try:
        while body:
            member = zlib.decompressobj(wbits=31)
            while not member.eof:
                part = member.decompress(body, CHUNK_BYTES)
                body = member.unconsumed_tail
                if not part and not body and not member.eof:
                    raise InvalidBatch("The gzip body is truncated")
                parts.append(part)
                size += len(part)
                if size > max_bytes:
                    raise TooLarge("bytes inflated", max_bytes)
            body = member.unused_data
    except zlib.error as error:
        raise InvalidBatch(f"Invalid gzip body: {error}") from error
    return b"".join(parts)


def _inflate_zstd(body: bytes, max_bytes: int) -> bytes:
    parts, size = [], 0
    try:
        while body:
            frame = zstd.ZstdDecompressor()
            fed = body
            while not frame.eof:
                part = frame.decompress(fed, CHUNK_BYTES)
                fed = b""
                if not part and not frame.eof and frame.needs_input:  # type: ignore[redundant-expr]
                    raise InvalidBatch("The zstd body is truncated")
                parts.append(part)
                size += len(part)
                if size > max_bytes:
                    raise TooLarge("bytes inflated", max_bytes)
            body = frame.unused_data
    except zstd.ZstdError as error:
        raise InvalidBatch(f"Invalid zstd body: {error}") from error
    return b"".join(parts)


def _within(body: bytes, max_bytes: int) -> bytes:
    if len(body) > max_bytes:
        raise TooLarge("bytes inflated", max_bytes, len(body))
    return body


def numbered_lines(body: bytes, max_lines: int) -> list[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1."""
    lines = [
        (number, line) for number, line in enumerate(body.split(b"\n"), 1) if line and not line.isspace()
    ]
    if len(lines) > max_lines:
        raise TooLarge("lines", max_lines, len(lines))
    return lines
