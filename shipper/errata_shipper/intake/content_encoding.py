"""Bodies as SDKs compress them, inflated up to a limit."""

import zlib
from collections.abc import Callable, Iterator

from backports import zstd

from errata_shipper.intake import brotli_library
from errata_shipper.intake.refusal import Refused

_CHUNK_BYTES = 64 << 10
_DEFLATE_RAW = -zlib.MAX_WBITS


def accepted() -> list[str]:
    return ["gzip", "deflate", "zstd", *(["br"] if brotli_library.is_available() else [])]


def decoded(body: bytes, content_encoding: str, limit: int) -> bytes:
    """The body without its encodings, of which it may have several."""
    for name in reversed([part.strip().lower() for part in content_encoding.split(",")]):
        if name not in ("", "identity"):
            body = _inflated(body, name, limit)
    if len(body) > limit:
        raise too_large(limit)
    return body


def too_large(limit: int) -> Refused:
    return Refused(413, f"the body exceeds {limit} bytes")


def inflated_zlib(body: bytes, limit: int) -> bytes:
    return _inflated(body, "deflate", limit)


def _inflated(body: bytes, name: str, limit: int) -> bytes:
    pieces = _PIECES.get(name)
    if pieces is None or (name == "br" and not brotli_library.is_available()):
        raise Refused(
            415,
            f"unknown Content-Encoding {name[:20]!r}; send {', '.join(accepted())} or none",
            {"Accept-Encoding": ", ".join(accepted())},
        )
    inflated = bytearray()
    try:
        for piece in pieces(body):
            inflated += piece
            if len(inflated) > limit:
                raise too_large(limit)
    except (zlib.error, zstd.ZstdError, brotli_library.BrotliError, EOFError) as error:
        raise Refused(
            400, f"the body is not {name} as declared in Content-Encoding, or is truncated"
        ) from error
    return bytes(inflated)


def _gzip(body: bytes) -> Iterator[bytes]:
    return _zlib(body, zlib.MAX_WBITS | 16)


def _deflate(body: bytes) -> Iterator[bytes]:
    # Named after one format, sent as two: with a zlib header, as the standard says, and without.
    has_header = len(body) >= 2 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _zlib(body, zlib.MAX_WBITS if has_header else _DEFLATE_RAW)


def _zlib(body: bytes, window_bits: int) -> Iterator[bytes]:
    decompressor = zlib.decompressobj(window_bits)
    yield decompressor.decompress(body, _CHUNK_BYTES)
    while decompressor.unconsumed_tail:
        yield decompressor.decompress(decompressor.unconsumed_tail, _CHUNK_BYTES)
    yield decompressor.flush()
    if not decompressor.eof:
        raise EOFError


def _zstd(body: bytes) -> Iterator[bytes]:
    decompressor = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: 25})
    yield decompressor.decompress(body, _CHUNK_BYTES)
    while not decompressor.eof:
        if decompressor.needs_input:
            raise EOFError
        yield decompressor.decompress(b"", _CHUNK_BYTES)


_PIECES: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "zstd": _zstd,
    "br": brotli_library.pieces,
}
