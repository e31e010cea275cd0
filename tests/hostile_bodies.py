"""Bodies of deliveries that are made to cost time or memory, with the answers they get."""

import gzip
import json
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from backports import zstd
from errata_wire.limits import DELIVERY_PARTS_MAX as PARTS_MAX

MIB = 1 << 20
INFLATED_BYTES = 64 * MIB


@dataclass(frozen=True)
class Hostile:
    """`said`: a part of the response. `is_large`: its making or its work takes seconds."""

    body: Callable[[], bytes]
    status: int
    said: str
    encoding: str = "zstd"
    app_key: str = ""
    is_large: bool = False


def item(payload: bytes | str, kind: str = "event", **more: str) -> bytes:
    fields = {"type": kind, "logged_at": "2026-11-21T10:00:00Z", **more}
    sent = payload.encode() if isinstance(payload, str) else payload
    return json.dumps(fields)[:-1].encode() + b', "payload": ' + sent + b"}\n"


def recording(events: bytes, segment: str = '{"segment_id": 1}') -> bytes:
    binary = b64encode(segment.encode() + b"\n" + events).decode()
    return json.dumps({"type": "replay_recording", "payload_b64": binary}).encode() + b"\n"


def packed(piece: bytes, size: int = INFLATED_BYTES) -> bytes:
    return zstd.compress(piece * (size // len(piece)), 1)


def lines(payload: bytes, count: int) -> bytes:
    return zstd.compress(item(payload) * count, 1)


def nested(depth: int, opened: bytes = b'{"a":', closed: bytes = b"}") -> bytes:
    return opened * depth + b"1" + closed * depth


HOSTILE: dict[str, Hostile] = {
    # Of the encoding.
    "blank lines": Hostile(lambda: packed(b"\n"), 200, '"accepted":0'),
    "spaces": Hostile(lambda: packed(b" "), 200, '"accepted":0', is_large=True),
    "carriage returns": Hostile(lambda: packed(b"\r\n"), 200, '"accepted":0'),
    "one line of zeros": Hostile(lambda: packed(b"\0"), 200, "bytes; the limit is", is_large=True),
    "more than may be inflated": Hostile(lambda: packed(b"x", INFLATED_BYTES + MIB), 413, "bytes inflated"),
    "empty objects": Hostile(lambda: packed(b"{}\n"), 413, "lines"),
    "single characters": Hostile(lambda: packed(b"x\n"), 413, "lines"),
    "gzip members": Hostile(lambda: gzip.compress(b"") * 100_000, 400, f"more than {PARTS_MAX}", "gzip"),
    "zstd frames": Hostile(lambda: zstd.compress(b"") * 100_000, 400, f"more than {PARTS_MAX}"),
    "skippable frames": Hostile(lambda: b"\x50\x2a\x4d\x18\0\0\0\0" * 100_000, 400, f"more than {PARTS_MAX}"),
    "gzip of gzip": Hostile(lambda: gzip.compress(gzip.compress(bytes(MIB))), 200, "invalid_json", "gzip"),
    "cut off": Hostile(lambda: gzip.compress(b"{}\n" * 1000)[:-9], 400, "truncated", "gzip"),
    "junk behind": Hostile(lambda: gzip.compress(b"\n") + b"junk", 400, "Invalid gzip body", "gzip"),
    "deflated, said to be gzip": Hostile(lambda: zlib.compress(b"\n"), 400, "Invalid gzip body", "gzip"),
    "unknown encoding": Hostile(lambda: b"\n", 415, "is not supported; send gzip", "br"),
    "two encodings": Hostile(lambda: b"\n", 415, "is not supported; send gzip", "gzip, gzip"),
    "as large as may be sent": Hostile(lambda: bytes(17 * MIB), 413, "The limit is", "identity"),
    # Of JSON.
    "nested deeply": Hostile(lambda: lines(nested(300_000), 4), 200, "nested too deeply"),
    "nested lists": Hostile(lambda: lines(nested(1_000_000, b"[", b"]"), 4), 200, "nested too deeply"),
    "nested without end": Hostile(lambda: lines(b"[" * 3_000_000, 4), 200, "invalid_json"),
    "long numbers": Hostile(lambda: lines(b'{"a":' + b"9" * 3_000_000 + b"}", 4), 200, "invalid_json"),
    "numbers out of range": Hostile(lambda: lines(b'{"a":1e999999999}', 4), 200, '"accepted":4'),
    "halves of characters": Hostile(
        lambda: lines(b'{"a":"' + b"\\ud800" * 100_000 + b'"}', 2), 200, '"accepted":2'
    ),
    "escapes": Hostile(lambda: lines(b'{"a":"' + b"\\u0041" * 400_000 + b'"}', 2), 200, '"accepted":2'),
    "a huge string": Hostile(lambda: lines(b'{"a":"' + b"x" * 4_000_000 + b'"}', 2), 200, '"accepted":2'),
    "a huge key": Hostile(lambda: lines(b'{"' + b"x" * 4_000_000 + b'":1}', 2), 200, '"accepted":2'),
    "very many keys": Hostile(
        lambda: lines(json.dumps(dict.fromkeys(map(str, range(100_000)), 1)).encode(), 2), 200, '"accepted":2'
    ),
    "a key very often": Hostile(
        lambda: lines(b'{"a":1' + b',"a":1' * 500_000 + b"}", 2), 200, '"accepted":2'
    ),
    "no text": Hostile(lambda: lines(b'{"a":"\xff\xfe"}', 4), 200, "invalid_json"),
    "suspects": Hostile(
        lambda: lines(json.dumps({"extra": ["password=x"] * 20_001}).encode(), 4),
        200,
        "might contain secrets",
    ),
    "a list": Hostile(lambda: lines(b"[1]", 4), 200, "must be an object"),
    # Of lines.
    "a line too long": Hostile(lambda: packed(b"x", 5 * MIB), 200, "line_too_large"),
    "refused lines of many keys": Hostile(
        lambda: zstd.compress((json.dumps(dict.fromkeys(map(str, range(150)), 1)).encode() + b"\n") * 10_000),
        200,
        "invalid_item",
    ),
    "a long type": Hostile(lambda: zstd.compress(item(b"{}", "x" * 1000)), 200, "1 to 64 characters"),
    "no key": Hostile(
        lambda: zstd.compress(item(b"{}")), 404, "Application Not Found", app_key="errata_app_none"
    ),
    # Of recordings.
    "a recording of numbers": Hostile(
        lambda: zstd.compress(recording(zlib.compress(b"[" + b"1," * 20_000_000 + b"1]"))),
        200,
        "not a JSON array",
    ),
    "a recording over its size": Hostile(
        lambda: zstd.compress(recording(zlib.compress(bytes(101 * MIB)))),
        200,
        "decompresses to more than",
        is_large=True,
    ),
    "a recording cut off": Hostile(
        lambda: zstd.compress(recording(zlib.compress(b"[]" * 1000)[:-5])), 200, "can't be decompressed"
    ),
    "a segment out of range": Hostile(
        lambda: zstd.compress(recording(b"[]", '{"segment_id": 99999999}')), 200, "segment number"
    ),
}


def bombs() -> Iterator[bytes]:
    """Of eight kinds, each 64 MiB inflated: as much work as a delivery may make."""
    large = 15 * MIB // 4
    secrets = json.dumps({"extra": ["password=hunter2x " * 9] * 2_000}).encode()
    yield packed(b"\n")
    yield packed(b"{}\n")
    yield zstd.compress(b"") * 100_000
    yield lines(nested(large // 6), 16)
    yield lines(b'{"a":' + b"9" * large + b"}", 16)
    yield lines(b'{"a":"' + b"x" * large + b'"}', 16)
    yield lines(b'{"a":"' + b"\\u0041" * (large // 6) + b'"}', 16)
    yield lines(secrets, INFLATED_BYTES // len(secrets) - 1)
