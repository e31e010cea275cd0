"""Bodies as they may come compressed, inflated up to a limit."""

import importlib
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from errata_sdk.tunnel.refusal import Refused

_CHUNK_BYTES = 64 << 10


def _zstd_module() -> Any:
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


_zstd = _zstd_module()


def decoded(body: bytes, content_encoding: str, limit: int) -> bytes:
    for name in reversed([part.strip().lower() for part in content_encoding.split(",")]):
        if name not in ("", "identity"):
            body = _inflated(body, name, limit)
    if len(body) > limit:
        raise too_large(limit)
    return body


def too_large(limit: int) -> Refused:
    return Refused(413, f"the body exceeds {limit} bytes")


def _inflated(body: bytes, name: str, limit: int) -> bytes:
    if name not in _PIECES:
        accepted = ", ".join(_PIECES)
        raise Refused(415, f"send {accepted} or no Content-Encoding", {"Accept-Encoding": accepted})
    inflated = bytearray()
    try:
        for piece in _PIECES[name](body):
            inflated += piece
            if len(inflated) > limit:
                raise too_large(limit)
    except (zlib.error, EOFError) as error:
        raise Refused(
            400, f"the body is not {name} as declared in Content-Encoding, or is truncated"
        ) from error
    return bytes(inflated)


def _gzip(body: bytes) -> Iterator[bytes]:
    return _zlib(body, zlib.MAX_WBITS | 16)


def _deflate(body: bytes) -> Iterator[bytes]:
    # Named after one format, sent as two: with a zlib header, as the standard says, and without.
    has_header = len(body) >= 2 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _zlib(body, zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)


def _zlib(body: bytes, window_bits: int) -> Iterator[bytes]:
    decompressor = zlib.decompressobj(window_bits)
    yield decompressor.decompress(body, _CHUNK_BYTES)
    while decompressor.unconsumed_tail:
        yield decompressor.decompress(decompressor.unconsumed_tail, _CHUNK_BYTES)
    yield decompressor.flush()
    if not decompressor.eof:
        raise EOFError


def _zstandard(body: bytes) -> Iterator[bytes]:
    decompressor = _zstd.ZstdDecompressor(options={_zstd.DecompressionParameter.window_log_max: 25})
    try:
        yield decompressor.decompress(body, _CHUNK_BYTES)
        while not decompressor.eof:
            if decompressor.needs_input:
                raise EOFError
            yield decompressor.decompress(b"", _CHUNK_BYTES)
    except _zstd.ZstdError as error:
        raise EOFError from error


_PIECES: dict[str, Callable[[bytes], Iterator[bytes]]] = {"gzip": _gzip, "deflate": _deflate}
if _zstd is not None:
    _PIECES["zstd"] = _zstandard
