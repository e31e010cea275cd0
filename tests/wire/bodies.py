"""Bodies as SDKs compress them."""

import base64
import gzip
import zlib
from collections.abc import Callable

from backports import zstd

TEXT = b'{}\n{"type":"event"}\n{"message":"a"}'
# The text and a megabyte of zeros, by the brotli package.
BROTLI = base64.b64decode(b"CxGAe30KeyJ0eXBlIjoiZXZlbnQifQp7Im1lc3NhZ2UiOiJhIn0D")
BROTLI_BOMB = base64.b64decode(b"W///j38CIB4LBHLvHwA=")


def raw_deflate(body: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(body) + compressor.flush()


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    " Deflate ": raw_deflate,
    "zstd": zstd.compress,
    "gzip, zstd": lambda body: zstd.compress(gzip.compress(body)),
}
# The text in each encoding.
ENCODED = {"": TEXT, "identity": TEXT, "br": BROTLI} | {
    name: compress(TEXT) for name, compress in COMPRESSORS.items()
}
