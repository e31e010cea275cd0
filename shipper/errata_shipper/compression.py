import gzip
from collections.abc import Callable

from backports import zstd

# Best first; the shipper falls back along it when the server answers 415.
_COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "zstd": lambda body: zstd.compress(body, 3),
    "gzip": lambda body: gzip.compress(body, 6, mtime=0),
    "identity": lambda body: body,
}


class Encoding:
    """The content encoding the server takes, found by trying."""

    def __init__(self, compress: bool) -> None:
        self._names = list(_COMPRESSORS) if compress else ["identity"]

    @property
    def name(self) -> str:
        return self._names[0]

    def encode(self, body: bytes) -> tuple[str, bytes]:
        """The name of the encoding, and the body in it."""
        name = self.name
        return name, _COMPRESSORS[name](body)

    def fall_back(self, refused: str) -> bool:
        """Go on with an encoding after the refused one; False if there is none."""
        if refused == "identity":
            return False
        if refused == self.name:
            del self._names[0]
        return True
