import json
from contextlib import suppress
from itertools import chain

import pytest
from errata_wire.envelope import Envelope, InvalidEnvelope, Item, parse
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each

EVENT = b'{"event_id":"1","message":"a\\nb","extra":{"password":"x"}}'
# One item with its length, one without, one that is not JSON and holds line ends, one that is empty.
BODY = b"\n".join(
    [
        b'{"event_id":"1","trace":{"trace_id":"t","release":"shop@1"}}',
        b'{"type":"event","length":%d}' % len(EVENT),
        EVENT,
        b'{"type":"session"}',
        b'{"sid":"s"}',
        b"",
        b'{"type":"replay_recording","length":7}',
        b"\x78\x9c\n\n\xff\x00\n",
        b'{"type":"client_report","length":0}',
        b"",
    ]
)
ITEMS = st.lists(st.builds(Item, st.text(min_size=1, max_size=64), st.just({}), st.binary(max_size=80)))
# What takes an envelope apart where it is damaged.
PIECES = st.sampled_from(
    [b"\n", b"{}", b'{"type":"event"}', b'{"type":"a","length":3}', b"\xff", b" ", b"[]"]
)


def test_items_are_read_by_length_or_to_the_end_of_their_line() -> None:
    envelope = parse(BODY)
    assert envelope.headers == {"event_id": "1", "trace": {"trace_id": "t", "release": "shop@1"}}
    assert [(item.type, item.payload) for item in envelope.items] == [
        ("event", EVENT),
        ("session", b'{"sid":"s"}'),
        ("replay_recording", b"\x78\x9c\n\n\xff\x00\n"),
        ("client_report", b""),
    ]


@each(
    ("body", "sentence"),
    [
        (b"", "byte 0: a header is not JSON"),
        (b"not json", "byte 0: a header is not JSON"),
        (b"[]", "byte 0: a header is not an object"),
        (b"{}\nnot json\n{}", "byte 3: a header is not JSON"),
        (b'{}\n{"type":"event"}\n{}\nnot json\n{}', "byte 23: a header is not JSON"),
        (b'{}\n{"type":"event","length":99}\n{}', "byte 32: an item of 99 bytes extends past the body"),
        (b'{}\n{"type":"event","length":3}\n{}', "byte 31: an item of 3 bytes extends past the body"),
        (b'{}\n{"type":"event","length":-1}\n{}', "byte 32: an item's length is not a number"),
        (b'{}\n{"type":"event","length":true}\n{}', "byte 34: an item's length is not a number"),
        (b'{}\n{"length":2}\n{}', "byte 3: an item has no type"),
        (b'{}\n{"type":""}\n{}', "byte 3: an item has no type"),
        (b'{}\n{"type":"' + b"x" * 65 + b'"}\n{}', "byte 3: an item has no type"),
        (b"[" * 100_000, "byte 0: a header is not JSON"),
    ],
)
def test_what_is_no_envelope_is_refused_as_a_whole(body: bytes, sentence: str) -> None:
    with pytest.raises(InvalidEnvelope) as refused:
        parse(body)
    assert (refused.value.status, refused.value.detail) == (400, f"invalid envelope: {sentence}")


@given(ITEMS)
def test_items_keep_their_bytes(items: list[Item]) -> None:
    heads = [json.dumps({"type": item.type, "length": len(item.payload)}).encode() for item in items]
    payloads = [item.payload for item in items]
    body = b"\n".join([b"{}", *chain.from_iterable(zip(heads, payloads, strict=True))])
    found = parse(body).items
    assert [(item.type, item.payload) for item in found] == [(item.type, item.payload) for item in items]


@given(st.binary() | st.lists(PIECES).map(b"".join))
def test_any_bytes_are_an_envelope_or_refused(body: bytes) -> None:
    with suppress(InvalidEnvelope):
        envelope = parse(body)
        assert isinstance(envelope, Envelope)
        assert sum(len(item.payload) for item in envelope.items) <= len(body)


def test_millions_of_empty_lines_are_passed_over_at_once() -> None:
    """15 MiB of them are 15 kB on their way."""
    item = b'{"type":"event"}\n{}'
    parsed = parse(b"{}\n" + b"\n" * (15 << 20) + item + b"\n \t\r\n\n" + item + b"\n\n")
    assert [one.payload for one in parsed.items] == [b"{}", b"{}"]
