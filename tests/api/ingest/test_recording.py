"""Recordings are scrubbed however they are written: as sent is stored only what is neither JSON nor text."""

import json
import zlib
from collections.abc import Callable

import pytest

from api.ingest.recording import TEXT_MAX, TooLong, scrubbed

HEAD = b'{"segment_id":0}\n'
SECRET = b'"data":{"password":"hunter2"}}]'
DEFLATED, PLAIN = pytest.param(zlib.compress, id="deflated"), pytest.param(bytes, id="plain")


def events_of(body: bytes) -> bytes:
    return zlib.decompress(body) if body[:1] == b"\x78" else body


@pytest.mark.parametrize("written", [PLAIN, DEFLATED])
@pytest.mark.parametrize("head", [HEAD, b""], ids=["with a head", "without a head"])
@pytest.mark.parametrize(
    "events",
    [
        pytest.param(rb'[{"t":"\ud83d",' + SECRET, id="half an emoji"),
        pytest.param(b'[{"t":1e999,' + SECRET, id="out of range"),
        pytest.param(b'[{"t":NaN,' + SECRET, id="NaN"),
        pytest.param(b'[{"t":"\xff",' + SECRET, id="invalid UTF-8"),
        pytest.param(b'\xef\xbb\xbf[{"t":1,' + SECRET, id="a byte order mark"),
        pytest.param(b'[{"t":1e999,"x":{"password":"hunter2"},"x":1}]', id="a name that stands twice"),
    ],
)
def test_json_that_only_a_lenient_reader_takes_is_scrubbed(
    events: bytes, head: bytes, written: Callable[[bytes], bytes]
) -> None:
    stored = scrubbed(head + written(events))
    assert stored.startswith(head)
    clean = events_of(stored[len(head) :])
    assert b"hunter2" not in clean
    assert len(json.loads(clean)) == 1


@pytest.mark.parametrize("written", [PLAIN, DEFLATED])
@pytest.mark.parametrize(
    "events",
    [
        pytest.param(b'[{"t":1}]\n[{' + SECRET, id="two arrays"),
        pytest.param(b'[{"t":' + b"9" * 5_000 + b"," + SECRET, id="a number of many digits"),
        pytest.param(b'[{"t":1,' + SECRET[:-2], id="cut"),
        pytest.param(b"GET /?password=hunter2", id="a line"),
    ],
)
def test_what_is_no_json_is_scrubbed_as_text(events: bytes, written: Callable[[bytes], bytes]) -> None:
    clean = events_of(scrubbed(HEAD + written(events))[len(HEAD) :])
    assert b"hunter2" not in clean and b"[FILTERED]" in clean
    assert clean[:5] == events[:5]


def test_text_too_long_to_look_through_is_refused() -> None:
    with pytest.raises(TooLong):
        scrubbed(HEAD + zlib.compress(b"a" * (TEXT_MAX + 1)))


def test_what_stands_around_the_deflated_bytes_is_scrubbed() -> None:
    assert b"hunter2" not in scrubbed(HEAD + zlib.compress(b"[]") + b"[{" + SECRET)
    assert scrubbed(b'{"segment_id":0,"password":"hunter2"}\n[]') == (
        b'{"segment_id":0,"password":"[FILTERED]"}\n[]'
    )


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'[{"t": 1, "data": {"text": "x"}}]', id="without a secret"),
        pytest.param(zlib.compress(b"[{}]", 1), id="deflated in another way"),
        pytest.param(b"\x78\x00\xff\x80", id="bytes"),
        pytest.param(zlib.compress(b"\x00\xff\x80"), id="deflated bytes"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_what_holds_no_secret_is_stored_as_sent(body: bytes) -> None:
    assert scrubbed(HEAD + body) == HEAD + body
