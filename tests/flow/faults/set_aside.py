"""`rejected/` as an operator finds it: the lines that the server did not take."""

import base64
import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any


def digest_of(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def set_aside_digests(logs: Path) -> set[bytes]:
    """Of each line's content, without its newline."""
    found = set()
    for path in (logs / "rejected").glob("*.ndjson"):
        for record in path.read_bytes().splitlines():
            found.add(digest_of(_content(path.parent, json.loads(record))))
    return found


def _content(folder: Path, record: dict[str, Any]) -> bytes:
    if "line" in record:
        return str(record["line"]).encode()
    if "line_b64" in record:
        return base64.b64decode(str(record["line_b64"]))
    return _long_line(folder / str(record["line_file"]))


@lru_cache(maxsize=64)
def _long_line(path: Path) -> bytes:
    return path.read_bytes().removesuffix(b"\n")
