"""What is read of an event gives the same row and variant as all of it, whatever its shape."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.ingest import sent_event
from api.ingest.event_rows import event_row
from api.ingest.item import Line, Rejection, decode
from api.ingest.payload import decode_whole, read_payload
from errata.grouping import variant_of
from tests.captures import an_item, payloads
from tests.cases import each

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
FILES = ("python_errors", "javascript_errors", "browser_error_events")
EVENTS = [payload for name in FILES for payload in payloads(name)]

scalars = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)


def stored(payload: Any) -> tuple[object, object]:
    variant = variant_of(payload)
    row = event_row(replace(an_item("event", {}), payload=payload), variant, NOW)
    return variant, row


def test_all_captured_events_are_read_alike() -> None:
    assert len(EVENTS) > 300
    for payload in EVENTS:
        text = msgspec.json.encode(payload)
        assert stored(sent_event.read(text)) == stored(decode_whole(text))


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Each container with a key of it, down to what is read of frames."""
    for key in list(node) if isinstance(node, dict) else range(len(node)):
        yield node, key
        if isinstance(node[key], dict | list):
            yield from places(node[key])


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(EVENTS) - 1), st.integers(0, 10_000), values)
def test_any_value_in_any_place_is_read_alike(number: int, place: int, value: Any) -> None:
    payload = json.loads(json.dumps(EVENTS[number]))
    found = list(places(payload))
    node, key = found[place % len(found)]
    node[key] = value
    text = msgspec.json.encode(payload)
    assert stored(sent_event.read(text)) == stored(decode_whole(text))


FIELDS = sorted(sent_event.SentEvent.__annotations__)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), values, max_size=8))
def test_fields_of_any_type_are_read_alike(payload: dict[str, Any]) -> None:
    text = msgspec.json.encode(payload)
    assert stored(sent_event.read(text)) == stored(decode_whole(text))


BROKEN = [
    b"\xff",
    b"\x00",
    b"\\",
    b'"',
    b"}",
    b"]",
    b"1e999",
    b"9" * 400,
    b"\\ud800",
    b"NaN",
    b"\xed\xa0\x80",
    b",",
]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(EVENTS) - 1), st.integers(0, 1 << 20), st.sampled_from(BROKEN), st.integers(0, 4))
def test_what_is_stored_of_a_broken_event_can_be_decoded(
    number: int, place: int, broken: bytes, removed: int
) -> None:
    payload = {key: value for key, value in EVENTS[number].items() if key != "modules"}
    text = msgspec.json.encode({"type": "event", "payload": payload})
    at = place % len(text)
    line = decode(1, text[:at] + broken + text[at + removed :])
    read = read_payload(line) if isinstance(line, Line) else line
    if not isinstance(read, Rejection):
        assert isinstance(decode_whole(read[0]), dict)


@each("number", [b"1e999", b"-1E400", b"9" * 400, b"1" + b"0" * 400 + b".5"])
@each("around", [b'{"v":{"a":%s}}', b'{"v":[1, %s]}', b'{"v":[%s]}', b'{"a" :\n %s}'])
def test_a_number_beyond_all_numbers_is_met_wherever_it_stands(number: bytes, around: bytes) -> None:
    line = decode(1, b'{"type":"event","payload":{"modules":' + around % number + b"}}")
    assert isinstance(line, Line)
    read = read_payload(line)
    assert isinstance(read, Rejection) or isinstance(decode_whole(read[0]), dict)
