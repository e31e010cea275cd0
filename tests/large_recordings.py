"""Recordings of a chosen size: changes of a page's text, of which a chosen part compresses badly."""

import json
import random
import zlib
from collections.abc import Iterator
from functools import cache

from tests.captured_replays import Event

CHANGE_BYTES = 64 << 10
PAGE = {
    "type": 0,
    "id": 1,
    "childNodes": [
        {
            "type": 2,
            "tagName": "html",
            "attributes": {},
            "id": 2,
            "childNodes": [
                {
                    "type": 2,
                    "tagName": "body",
                    "attributes": {},
                    "id": 3,
                    "childNodes": [{"type": 3, "textContent": "first", "id": 4}],
                }
            ],
        }
    ],
}
FIRST_EVENTS = 2


@cache
def large_events(inflated_bytes: int, deflated_bytes: int, began_ms: int, seed: int = 0) -> bytes:
    """A JSON array of rrweb events of exactly `inflated_bytes` (at least 100 KB), which zlib makes about
    `deflated_bytes` of. The text that it shows from 9 s on is `last`."""
    return b"".join(_pieces(inflated_bytes, deflated_bytes, began_ms, random.Random(seed)))


def _pieces(
    inflated_bytes: int, deflated_bytes: int, began_ms: int, source: random.Random
) -> Iterator[bytes]:
    first = b"[" + b",".join(
        _json(event)
        for event in (
            {
                "type": 4,
                "data": {"href": "https://shop.example/large", "width": 800, "height": 600},
                "timestamp": began_ms,
            },
            {
                "type": 2,
                "data": {"node": PAGE, "initialOffset": {"left": 0, "top": 0}},
                "timestamp": began_ms + 1,
            },
        )
    )
    last = b"".join(b"," + _json(_change("last", began_ms + at)) for at in (9000, 9900)) + b"]"
    yield first
    left = inflated_bytes - len(first) - len(last)
    frame = len(_json(_change("", began_ms + 2))) + 1
    # Two hexadecimal digits are a byte that cannot be compressed; Huffman codes of them take a little more.
    random_share = min(1.0, deflated_bytes / inflated_bytes / 0.61)
    number = 0
    while left:
        size = left - frame if left < 2 * CHANGE_BYTES else CHANGE_BYTES
        varied = int(size * random_share)
        text = source.randbytes(varied // 2).hex().ljust(size, "x")
        number += 1
        # Moments have as many digits each.
        yield b"," + _json(_change(text, began_ms + 2 + number % 5000))
        left -= size + frame
    yield last


def _change(text: str, at_ms: int) -> Event:
    changes = {"source": 0, "texts": [{"id": 4, "value": text}], "attributes": [], "removes": [], "adds": []}
    return {"type": 3, "data": changes, "timestamp": at_ms}


def _json(event: Event) -> bytes:
    return json.dumps(event, separators=(",", ":")).encode()


def large_recording(events: bytes, segment_id: int = 0) -> bytes:
    return b'{"segment_id":%d}\n' % segment_id + zlib.compress(events)
