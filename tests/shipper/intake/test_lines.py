"""What an item that was sent becomes in the log file."""

import base64
import json
from datetime import UTC, datetime

import pytest
from errata_shipper.intake.line import line_of
from errata_wire.envelope import Item
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.shipper.intake.listening import APP_KEY, Listening, envelope

ID = "9f86d081884c7d659a2feaa0c55ad015"


def test_an_envelopes_items_become_lines(intake: Listening) -> None:
    trace = {"trace_id": "t", "release": "shop@1"}
    recording = b'{"segment_id":0}\n\x78\x9c\n\xff'
    body = envelope(
        ("event", b'{"message":"a"}'),
        ("session", b'{"sid":"s"}'),
        ("replay_recording", recording),
        ("client_report", b""),
        header={"event_id": ID, "trace": trace},
    )
    answer = intake.send_envelope(body)
    assert (answer.status, answer.json()) == (200, {"id": ID})
    event, session, replay, report = intake.lines()
    assert event.pop("logged_at").endswith("Z")
    assert event == {"type": "event", "app_key": APP_KEY, "payload": {"event_id": ID, "message": "a"}}
    assert (session["headers"], session["payload"]) == ({"trace": trace}, {"sid": "s"})
    assert replay["headers"] == {"trace": trace, "event_id": ID}
    assert base64.b64decode(replay["payload_b64"]) == recording
    assert report["payload_b64"] == ""


def test_the_bytes_of_a_payload_stay_as_they_were_sent(intake: Listening) -> None:
    sent = '{"big": 1e400, "same": 1, "same": 2,\r\n "text": "é \\n \\ud800",\n "event_id": "own"}'.encode()
    intake.send_envelope(envelope(("event", sent), header={"event_id": ID}))
    assert sent.replace(b"\r", b"").replace(b"\n", b"") in intake.content


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        (b'{"n": NaN, "m": [-Infinity]}', {"n": None, "m": [None]}),
        (b'{"message": "cut \xff off"}', {"message": "cut \ufffd off"}),
        (b'{"message": "two\nlines"}', {"message": "two\nlines"}),
    ],
    ids=["NaN", "not UTF-8", "line end in a string"],
)
def test_what_is_almost_json_is_mended(sent: bytes, written: object, intake: Listening) -> None:
    assert intake.send_envelope(envelope(("event", sent))).status == 200
    assert intake.lines()[0]["payload"] == written


@pytest.mark.parametrize("sent", [b"not json", b"null", b"[" * 100_000, b'{"cut', '{"a":1}'.encode("utf-16")])
def test_what_is_not_json_is_written_as_base64(sent: bytes, intake: Listening) -> None:
    assert intake.send_envelope(envelope(("event", sent))).status == 200
    assert base64.b64decode(intake.lines()[0]["payload_b64"]) == sent


def test_a_file_that_is_attached_keeps_its_bytes(intake: Listening) -> None:
    intake.send_envelope(envelope(("attachment", b'{\n "a": 1\n}')))
    assert base64.b64decode(intake.lines()[0]["payload_b64"]) == b'{\n "a": 1\n}'


def test_an_id_that_only_the_envelope_names_goes_into_the_event(intake: Listening) -> None:
    for payload in (b"{}", b'{ "event_id": "own" }', b'{"level":"info"}'):
        intake.send_envelope(envelope(("event", payload), header={"event_id": ID}))
    intake.send_envelope(envelope(("event", b"{}"), header={"event_id": "no id\n"}))
    assert [line["payload"] for line in intake.lines()] == [
        {"event_id": ID},
        {"event_id": "own"},
        {"event_id": ID, "level": "info"},
        {},
    ]


def test_the_address_of_a_named_user_is_the_one_that_a_trusted_proxy_saw(intake: Listening) -> None:
    intake.start(trusted_proxies=1)
    for proxied_for in ("203.0.113.5, 198.51.100.4", ""):
        body = envelope(("event", b'{"user":{"id":"7","ip_address":"{{auto}}"}}'))
        intake.send_envelope(body, X_Forwarded_For=proxied_for)
    users = [line["payload"]["user"] for line in intake.lines()]
    assert users == [{"id": "7", "ip_address": "198.51.100.4"}, {"id": "7"}]


def test_an_envelope_that_is_damaged_in_the_middle_is_refused_as_a_whole(intake: Listening) -> None:
    answer = intake.send_envelope(b'{}\n{"type":"event"}\n{}\nnot json\n{}')
    assert answer.status == 400
    assert answer.json()["detail"] == "invalid envelope: byte 23: a header is not JSON"
    assert intake.content == b""


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(max_examples=25, deadline=None)
@given(
    st.binary() | st.text().map(str.encode) | _JSON.map(lambda value: json.dumps(value, indent=1).encode()),
    st.dictionaries(st.text(), _JSON),
    st.dictionaries(st.sampled_from(["event_id", "trace", "dsn"]), _JSON),
)
def test_whatever_is_sent_becomes_one_line_of_json(
    payload: bytes, headers: dict[str, object], envelope_headers: dict[str, object]
) -> None:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    item = Item("event", headers, payload)
    line = line_of(item, envelope_headers, APP_KEY, "198.51.100.4", datetime(2026, 11, 21, tzinfo=UTC))
    assert line is not None
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    written = json.loads(line, parse_constant=refuse)
    assert ("payload" in written) != ("payload_b64" in written)
