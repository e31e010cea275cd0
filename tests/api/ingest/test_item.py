import json

import pytest

from api.ingest.item import Line, Rejection, decode
from api.ingest.payload import read_payload


def a_line(**changes: object) -> bytes:
    return json.dumps({"type": "event", "payload": {"message": "x"}, **changes}).encode()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(b"not json", "invalid_json", id="words"),
        pytest.param(b'{"type": "event", "payload": {', "invalid_json", id="half a line"),
        pytest.param(b'{"type": "event", "payload": {"a": "\xff"}}', "invalid_json", id="invalid UTF-8"),
        pytest.param(b'{"type": "event", "payload": {"a": "\x00"}}', "invalid_json", id="raw NUL"),
        pytest.param(b"\x00" * 50, "invalid_json", id="a NUL-filled tail"),
        pytest.param(
            b'{"type":"event","payload":' + b"[" * 90_000 + b"]" * 90_000 + b"}", "invalid_json", id="deep"
        ),
        pytest.param(b"[1, 2]", "invalid_item", id="an array"),
        pytest.param(b'"text"', "invalid_item", id="a string"),
        pytest.param(b'{"payload": {}}', "invalid_item", id="no type"),
        pytest.param(a_line(type=7), "invalid_item", id="a number as type"),
        pytest.param(a_line(type=""), "invalid_item", id="an empty type"),
        pytest.param(b'{"type": "event"}', "invalid_item", id="no payload"),
        pytest.param(a_line(logged_at="yesterday"), "invalid_item", id="a moment that is none"),
        pytest.param(a_line(payload_b64="%%%"), "invalid_item", id="base64 that is none"),
        pytest.param(a_line(message="x" * 5_000_000), "line_too_large", id="over 4 MiB"),
    ],
)
def test_a_bad_line_is_refused_with_its_reason(line: bytes, reason: str) -> None:
    decoded = decode(3, line)
    refused = read_payload(decoded) if isinstance(decoded, Line) else decoded
    assert isinstance(refused, Rejection)
    assert (refused.line, refused.reason) == (3, reason)
    assert refused.message


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        pytest.param(rb'"\ud83d cut"', "\ufffd cut", id="half an emoji"),
        pytest.param(rb'"\\ud83d kept"', "\\ud83d kept", id="an escaped backslash"),
        pytest.param(rb'"\ud83d\ude00"', "\U0001f600", id="a whole emoji"),
        pytest.param(b"NaN", None, id="NaN"),
        pytest.param(b"-Infinity", None, id="infinity"),
        pytest.param(b"1e999", None, id="out of range"),
        pytest.param(rb'"\u0000"', "\0", id="an escaped NUL"),
        pytest.param(rb'["Infinity", NaN]', ["Infinity", None], id="words stay"),
    ],
)
def test_what_real_sdks_write_is_accepted(value: bytes, stored: object) -> None:
    line = decode(1, b'{"type": "event", "payload": {"value": ' + value + b"}}")
    assert isinstance(line, Line)
    read = read_payload(line)
    assert not isinstance(read, Rejection) and json.loads(read[0]) == {"value": stored}


def test_a_binary_payload_travels_as_base64() -> None:
    line = decode(1, b'{"type": "replay_recording", "payload_b64": "eJw="}')
    assert isinstance(line, Line)
    assert line.binary == b"x\x9c"


def test_a_number_beyond_all_numbers_is_not_stored_where_nobody_could_read_it() -> None:
    line = decode(1, b'{"type":"event","payload":{"extra":{"a":[1,[1e999]]}}}')
    assert isinstance(line, Line)
    read = read_payload(line)
    assert not isinstance(read, Rejection) and json.loads(read[0]) == {"extra": {"a": [1, [None]]}}
