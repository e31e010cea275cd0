"""Recordings are inflated, scrubbed and counted; what cannot be kept is refused with a reason."""

import json
import tracemalloc
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from api.ingest.recording import HALVES_MAX, Recording, Unusable, is_large, opened
from errata.scrubbing import TooLarge, TooManySuspects
from tests.captured_replays import CapturedReplay, captured_replays
from tests.cases import each

HEAD = b'{"segment_id":0}\n'
AT = 1_795_225_711_241
SECRET = b'"data":{"password":"hunter2"}}]'
DEFLATED, PLAIN = pytest.param(zlib.compress, id="deflated"), pytest.param(bytes, id="plain")
REPLAYS = captured_replays(datetime.now(UTC))


def an_event(type_: int = 3, at: float = AT, **data: Any) -> dict[str, Any]:
    return {"type": type_, "timestamp": at, "data": data}


def crumb(category: str, at: float = AT, level: str = "", **data: Any) -> dict[str, Any]:
    payload = {"category": category, "message": "button", "level": level, "data": data}
    return an_event(5, at, tag="breadcrumb", payload=payload)


def span(op: str, at: float = AT) -> dict[str, Any]:
    return an_event(5, at / 1000, tag="performanceSpan", payload={"op": op, "description": "/api"})


def snapshot(*texts: str, style: str = "") -> dict[str, Any]:
    nodes = [{"type": 3, "textContent": text, "id": number} for number, text in enumerate(texts)]
    if style:
        nodes.append({"type": 3, "textContent": style, "isStyle": True, "id": 99})
    return an_event(2, node={"type": 0, "childNodes": nodes, "id": 100})


def recorded(*events: dict[str, Any]) -> Recording:
    return opened(HEAD + zlib.compress(json.dumps(events, separators=(",", ":")).encode()))


def events_of(recording: Recording) -> Any:
    return json.loads(recording.events.text())


@each("replay", REPLAYS, ids=lambda replay: replay.replay_id[:8])
def test_captured_segments_are_stored_as_recorded(replay: CapturedReplay) -> None:
    for number, events in replay.segments.items():
        compact = json.dumps(events, ensure_ascii=False, separators=(",", ":")).encode()
        for body in (compact, zlib.compress(compact)):
            found = opened(b'{"segment_id":%d}\n' % number + body)
            assert (found.segment_id, found.left_out_count) == (number, 0)
            assert events_of(found) == events
            assert found.counts.event_count == len(events)
            assert found.events.inflated_bytes == len(compact)


@each("replay", REPLAYS, ids=lambda replay: replay.replay_id[:8])
def test_masking_is_told_by_the_texts_as_by_the_options_of_the_sdk(replay: CapturedReplay) -> None:
    found = [opened(HEAD + json.dumps(events).encode()) for events in replay.segments.values()]
    assert any(one.counts.is_unmasked for one in found) != replay.is_masked


def test_events_of_the_sdk_are_counted() -> None:
    counts = recorded(
        snapshot("***"),
        crumb("ui.click"),
        crumb("ui.click"),
        crumb("ui.multiClick", clickCount=2),
        crumb("ui.multiClick", clickCount=3),
        crumb("ui.slowClickDetected", endReason="mutation", clickCount=1),
        crumb("ui.slowClickDetected", endReason="timeout", clickCount=1),
        crumb("ui.slowClickDetected", endReason="timeout", clickCount=5),
        crumb("console", level="error"),
        crumb("console", level="info"),
        *(span(op) for op in ("resource.fetch", "resource.xhr", "resource.img")),
        *(span(op) for op in ("navigation.navigate", "navigation.push", "paint")),
    ).counts
    assert (counts.click_count, counts.rage_click_count, counts.dead_click_count) == (2, 2, 2)
    assert (counts.console_error_count, counts.request_count, counts.navigation_count) == (1, 2, 2)


def test_a_segment_lasts_from_the_first_to_the_last_event_of_the_page() -> None:
    counts = recorded(
        span("paint", AT - 900), an_event(at=AT + 700), snapshot(), span("paint", AT + 9000)
    ).counts
    assert (counts.first_ms, counts.last_ms) == (AT, AT + 700)
    counts = recorded(span("paint", AT + 300), crumb("ui.click", AT + 100)).counts
    assert (counts.first_ms, counts.last_ms) == (AT + 100, AT + 300)


@pytest.mark.parametrize(
    ("texts", "style", "is_unmasked"),
    [
        pytest.param(("*** ****",), "", False, id="masked"),
        pytest.param(("Pay now",), "", True, id="not masked"),
        pytest.param(("****** ******** ****", "Help"), "", False, id="one text unmasked on purpose"),
        pytest.param(("\u00a0\n",), "", False, id="white space"),
        pytest.param(("***",), "body { color: red }", False, id="styles are never masked"),
        pytest.param((), "", False, id="no text"),
    ],
)
def test_text_that_can_be_read_is_told(texts: tuple[str, ...], style: str, is_unmasked: bool) -> None:
    assert recorded(snapshot(*texts, style=style)).counts.is_unmasked is is_unmasked


@pytest.mark.parametrize("written", [PLAIN, DEFLATED])
@pytest.mark.parametrize(
    "first",
    [
        pytest.param(rb'"t":"\ud83d"', id="half an emoji"),
        pytest.param(rb'"t":"\ud83d\ude00 \\ud83d"', id="a whole one"),
        pytest.param(b'"t":1e999', id="out of range"),
        pytest.param(b'"t":NaN', id="NaN"),
        pytest.param(b'"t":"\xff"', id="invalid UTF-8"),
        pytest.param(b'"x":1,"x":{"password":"hunter2"}', id="a name that stands twice"),
    ],
)
def test_json_that_only_a_lenient_reader_takes_is_scrubbed(
    first: bytes, written: Callable[[bytes], bytes]
) -> None:
    events = b'[{"type":3,"timestamp":%d,' % AT + first + b"," + SECRET
    found = opened(HEAD + written(events))
    assert "hunter2" not in found.events.text()
    (event,) = events_of(found)
    assert event["data"]["password"] == "[FILTERED]"


def test_a_byte_order_mark_is_no_event() -> None:
    assert len(events_of(opened(HEAD + b"\xef\xbb\xbf" + json.dumps([an_event()]).encode()))) == 1


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        pytest.param(b"[]", "start with a line", id="no head"),
        pytest.param(b'{"segment_id":"0"}\n[]', "start with a line", id="a number as text"),
        pytest.param(b'{"segment_id":1.5}\n[]', "start with a line", id="half a segment"),
        pytest.param(b'{"segment_id":-1}\n[]', "segment number is -1", id="negative"),
        pytest.param(b'{"segment_id":100001}\n[]', "segment number is", id="too many"),
        pytest.param(HEAD + b"x\x9cnonsense", "can't be decompressed", id="not deflated"),
        pytest.param(HEAD + zlib.compress(b"[]")[:-3], "is truncated", id="cut"),
        pytest.param(HEAD + zlib.compress(b"[]") + b"more", "followed by other data", id="more behind it"),
        pytest.param(HEAD + zlib.compress(b'[{"type":'), "not a JSON array", id="half a JSON"),
        pytest.param(HEAD + b"GET /?password=hunter2", "not a JSON array", id="a line"),
        pytest.param(HEAD + b'{"type":2}', "not a JSON array", id="an object"),
        pytest.param(HEAD + b"[1,2,3]", "not a JSON array", id="numbers"),
        pytest.param(HEAD + b'[{"type":"2","timestamp":1}]', "not a JSON array", id="no events"),
        pytest.param(HEAD + b"[" * 100_000, "not a JSON array", id="brackets"),
        pytest.param(HEAD + json.dumps([an_event(at=-1)]).encode(), "no rrweb events", id="before 2000"),
        pytest.param(HEAD + json.dumps([an_event(at=1e300)]).encode(), "no rrweb events", id="after 2106"),
        pytest.param(HEAD + b" " * (10 << 20), "the limit is", id="too long"),
        pytest.param(HEAD + zlib.compress(bytes((100 << 20) + 1)), "decompresses to more", id="a bomb"),
        pytest.param(
            HEAD + zlib.compress(b"[" + b"1," * 40_000_000), "not a JSON array", id="a bomb of numbers"
        ),
    ],
)
def test_what_is_no_recording_is_refused_with_its_reason(sent: bytes, reason: str) -> None:
    with pytest.raises(Unusable, match=reason):
        opened(sent)


def test_one_event_of_another_time_does_not_cost_the_others() -> None:
    found = recorded(an_event(), an_event(at=1), snapshot("***"))
    assert (found.counts.event_count, found.left_out_count) == (2, 1)
    assert [event["timestamp"] for event in events_of(found)] == [AT, AT]


@pytest.mark.slow
def test_the_bounds_of_scrubbing_are_of_all_events_together() -> None:
    with pytest.raises(TooManySuspects):
        recorded(*(an_event(text=f"password={number}x{number}") for number in range(70_000)))
    with pytest.raises(TooLarge):
        opened(
            HEAD
            + zlib.compress(
                b'[{"type":3,"timestamp":%d,"password":"a","data":{"a":[' % AT + b"[]," * 5_000_000 + b"1]}}]"
            )
        )


@each("written", [PLAIN, DEFLATED])
def test_to_open_a_long_one_is_heavy_work(written: Callable[[bytes], bytes]) -> None:
    assert is_large(HEAD + written(bytes(1 << 21)))
    assert not is_large(HEAD + written(bytes(1 << 19)))


def test_numbers_that_nothing_holds_are_not_counted() -> None:
    clicks = b'{"payload":{"category":"ui.multiClick","data":{"clickCount":1e400}}}'
    found = opened(HEAD + b'[{"type":5,"timestamp":%d,"data":%s}]' % (AT, clicks))
    assert (found.counts.event_count, found.counts.rage_click_count) == (1, 0)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param(rb"\ud83d\ude00", rb"\ud83d\ude00", id="whole"),
        pytest.param(rb"a\ud83d", rb"a\ufffd", id="first-half"),
        pytest.param(rb"\ude00a", rb"\ufffda", id="second-half"),
        pytest.param(rb"\ude00\ud83d", rb"\ufffd\ufffd", id="turned-round"),
        pytest.param(rb"\ud83d\ud83d\ude00\ude00", rb"\ufffd\ud83d\ude00\ufffd", id="around-a-whole-one"),
        pytest.param(rb"\\ud83d\ud83d", rb"\\ud83d\ufffd", id="after-a-backslash"),
        pytest.param(rb"\\\ud83d", rb"\\\ufffd", id="after-a-backslash-of-its-own"),
    ],
)
def test_halves_of_characters_are_replaced(text: bytes, kept: bytes) -> None:
    # The last one makes every text one that only a lenient reader takes.
    found = opened(HEAD + b'[{"type":3,"timestamp":%d,"data":{"a":"%s","b":"\\ud800"}}]' % (AT, text))
    assert events_of(found) == json.loads(
        b'[{"type":3,"timestamp":%d,"data":{"a":"%s","b":"\\ufffd"}}]' % (AT, kept)
    )


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'{"a":"' + b"\\\\" * (8 << 20) + b'\\ud800"}', id="escapes"),
        pytest.param(b'{"a":"' + b"\\ud83d\\ude00" * (1 << 20) + b'\\ud800"}', id="characters"),
        pytest.param(b'{"textContent":"' + b"a" * (16 << 20) + b'"}', id="text"),
        pytest.param(b'{"textContent":"' + b"\xc3\xa9" * (8 << 20) + b'"}', id="accents"),
    ],
)
def test_a_long_text_is_in_memory_few_times(data: bytes) -> None:
    sent = HEAD + zlib.compress(b'[{"type":2,"timestamp":%d,"data":%s}]' % (AT, data))
    tracemalloc.start()
    assert opened(sent).counts.event_count == 1
    assert tracemalloc.get_traced_memory()[1] < 7 * len(data)
    tracemalloc.stop()


def test_more_halves_of_characters_than_texts_are_refused() -> None:
    sent = HEAD + b'[{"type":3,"timestamp":%d,"data":{"a":"%s"}}]' % (AT, b"\\ud800" * (HALVES_MAX + 1))
    with pytest.raises(Unusable, match="unpaired surrogates"):
        opened(sent)
