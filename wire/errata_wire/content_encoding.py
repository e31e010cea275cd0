"""Bodies as SDKs compress them, inflated up to a limit."""

import importlib
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from errata_wire import brotli_library
from errata_wire.inflation import zlib_pieces, zstd_pieces
from errata_wire.limits import ENVELOPE_WINDOW_LOG_MAX
from errata_wire.refusal import Refused

_ALIASES = {"x-gzip": "gzip"}
# Of the standard library from Python 3.14 on, and what stands for it before.
ZSTD_MODULES = ("compression.zstd", "backports.zstd")


def accepted() -> list[str]:
    """Encodings that this host can inflate."""
    names = ["gzip", "deflate"]
    if zstd_module() is not None:
        names.append("zstd")
    if brotli_library.is_available():
        names.append("br")
    return names


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
    encoding, known = _ALIASES.get(name, name), accepted()
    if encoding not in known:
        raise Refused(
            415,
            f"unknown Content-Encoding {name[:20]!r}; send {', '.join(known)} or none",
            {"Accept-Encoding": ", ".join(known)},
        )
    inflated = bytearray()
    try:
        for piece in _PIECES[encoding](body):
            inflated += piece
            if len(inflated) > limit:
                raise too_large(limit)
    except (zlib.error, brotli_library.BrotliError, EOFError) as error:
        raise Refused(
            400, f"the body is not {name} as declared in Content-Encoding, or is truncated"
        ) from error
    return bytes(inflated)


@cache
def zstd_module() -> Any:
    """The first of `ZSTD_MODULES` that is installed; None if none is."""
    for name in ZSTD_MODULES:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def _gzip(body: bytes) -> Iterator[bytes]:
    return zlib_pieces(memoryview(body), zlib.decompressobj(zlib.MAX_WBITS | 16))


def _deflate(body: bytes) -> Iterator[bytes]:
    # Named after one format, sent as two: with a zlib header, as the standard says, and without.
    has_header = len(body) >= 2 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return zlib_pieces(
        memoryview(body), zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
    )


def _zstd(body: bytes) -> Iterator[bytes]:
    zstd = zstd_module()
    options = {zstd.DecompressionParameter.window_log_max: ENVELOPE_WINDOW_LOG_MAX}
    try:
        yield from zstd_pieces(memoryview(body), zstd.ZstdDecompressor(options=options))
    except zstd.ZstdError as error:
        raise EOFError from error


_PIECES: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "zstd": _zstd,
    "br": brotli_library.pieces,
}
