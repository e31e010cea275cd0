"""OpenTelemetry's exporters at the intake: what they are answered with, and what is in the log file."""

import gzip
import json
import sys
from base64 import b64decode
from pathlib import Path

import pytest
from errata_wire.otlp.response import JSON, PROTOBUF, status_of
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from api.ingest.item import Line, decode
from tests.shipper.intake.listening import APP_KEY, DEFAULT_KEY, Listening, heard
from tests.wire.told_by_opentelemetry import log_request, span_request

SPAN = span_request("ValueError", "no discount", "").SerializeToString()
LOG = log_request("ValueError", "no discount", "").SerializeToString()
RECORDED = Path(__file__).parents[2] / "data" / "opentelemetry" / "python_exporters.jsonl"
BEARER = {"Authorization": f"Bearer {APP_KEY}", "Content-Type": PROTOBUF}


def test_spans_and_records_are_lines_of_the_file(intake: Listening) -> None:
    answer = intake.send("/v1/traces", SPAN, BEARER)
    assert (answer.status, answer.headers["Content-Type"]) == (200, PROTOBUF)
    assert ExportTraceServiceResponse.FromString(answer.data) == ExportTraceServiceResponse()
    answer = intake.send("/v1/logs", gzip.compress(LOG), {**BEARER, "Content-Encoding": "gzip"})
    assert ExportLogsServiceResponse.FromString(answer.data) == ExportLogsServiceResponse()
    span, by_span, by_log = intake.lines()
    assert [line["type"] for line in (span, by_span, by_log)] == ["span", "event", "event"]
    assert {line["app_key"] for line in (span, by_span, by_log)} == {APP_KEY}
    assert by_span["payload"]["event_id"] == by_log["payload"]["event_id"]


def test_what_real_exporters_have_sent_becomes_lines_that_the_service_takes(intake: Listening) -> None:
    for request in map(json.loads, RECORDED.read_text().splitlines()):
        assert intake.send(request["path"], b64decode(request["body"]), request["headers"]).status == 200
    by_log, record, span, by_span = (line["payload"] for line in intake.lines())
    assert by_log["event_id"] == by_span["event_id"]
    assert by_span["exception"]["values"][0]["stacktrace"]["frames"][-1]["function"] == "price"
    assert by_log["extra"]["log"] == "checkout failed"
    assert record["items"][0]["body"] == "cart emptied"
    assert span["items"][0]["name"] == "GET /cart/{id}"
    decoded = [decode(number, line) for number, line in enumerate(intake.content.splitlines())]
    assert all(isinstance(line, Line) for line in decoded)


def test_json_is_answered_in_json(intake: Listening) -> None:
    record = {"timeUnixNano": "1764892800000000000", "body": {"stringValue": "out of stock"}}
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record, {}]}]}]}
    answer = intake.send("/v1/logs", json.dumps(body).encode(), {"Content-Type": JSON})
    assert (answer.status, answer.headers["Content-Type"]) == (200, JSON)
    assert answer.json()["partialSuccess"]["rejectedLogRecords"] == "1"
    (line,) = intake.lines()
    assert line["payload"]["items"][0]["body"] == "out of stock"


@pytest.mark.parametrize(
    "path",
    ["/v1/traces", "/api/1/integration/otlp/v1/traces", "/api/1/integration/otlp/v1/traces/"],
)
def test_addresses_of_sentrys_sdks_take_the_same(path: str, intake: Listening) -> None:
    assert intake.send(path, SPAN, {"Content-Type": PROTOBUF}).status == 200
    assert [(line["type"], line["app_key"]) for line in intake.lines()] == [
        ("span", DEFAULT_KEY),
        ("event", DEFAULT_KEY),
    ]


def test_a_request_may_have_20_mib_also_inflated(intake: Listening) -> None:
    headers = {"Content-Type": JSON, "Content-Encoding": "gzip"}
    body = b'{"resourceSpans":[],"x":"%s"}'
    assert intake.send("/v1/traces", gzip.compress(body % (b"y" * (19 << 20))), headers).status == 200
    for kind, sent in (
        ({}, body % (b"y" * (20 << 20))),
        ({"Content-Encoding": "gzip"}, gzip.compress(body % (b"y" * (20 << 20)))),
    ):
        answer = intake.send("/v1/traces", sent, {"Content-Type": JSON, **kind})
        assert (answer.status, answer.json()) == (413, {"message": "the body exceeds 20971520 bytes"})
    intake.start(max_body_bytes=1 << 20)
    assert intake.send("/v1/traces", gzip.compress(body % (b"y" * (1 << 20))), headers).status == 413


def test_a_refusal_is_a_status_in_the_form_of_the_request(intake: Listening) -> None:
    answer = intake.send("/v1/traces", b"[]", {"Content-Type": JSON})
    assert (answer.status, answer.headers["Content-Type"]) == (400, JSON)
    assert answer.json() == {"message": "invalid OTLP: the body is not an object"}
    answer = intake.send("/v1/logs", b"\xff", BEARER)
    assert (answer.status, answer.headers["Content-Type"], answer.data[:1]) == (400, PROTOBUF, b"\x12")
    assert intake.send("/v1/traces", SPAN, {"Content-Type": "text/plain"}).status == 415
    secret = {**BEARER, "Authorization": "Bearer errata_api_secret"}
    assert intake.send("/v1/traces", SPAN, secret).status == 403
    assert intake.send("/v1/metrics", SPAN, BEARER).status == 404
    assert intake.content == b""


def test_a_page_sends_where_its_origin_is_listed(intake: Listening) -> None:
    page = {**BEARER, "Origin": "https://shop.example.com"}
    assert intake.send("/v1/traces", SPAN, page).status == 403
    intake.start(origins=("https://shop.example.com",))
    asked = {"Origin": page["Origin"], "Access-Control-Request-Method": "POST"}
    for answer in (
        intake.send("/v1/traces", b"", asked, method="OPTIONS"),
        intake.send("/v1/traces", SPAN, page),
        intake.send("/v1/traces", b"\xff", page),
    ):
        assert answer.headers["Access-Control-Allow-Origin"] == page["Origin"]


def test_a_limited_exporter_is_told_when_to_try_again(intake: Listening) -> None:
    intake.start(items_per_second=1)
    answers = [intake.send("/v1/traces", SPAN, BEARER) for _ in range(6)]
    assert [answer.status for answer in answers] == [200] * 5 + [429]
    assert answers[-1].headers["Retry-After"] == "2"


def test_without_the_extra_it_is_said_how_to_install_it(
    intake: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "errata_wire.otlp.request", None)
    with heard() as said:
        answer = intake.send("/v1/traces", SPAN, BEARER)
        told = intake.send("/v1/logs", b"{}", {"Content-Type": JSON}).json()["message"]
    assert (answer.status, answer.data) == (501, status_of(told, PROTOBUF).body)
    assert "pip install 'opentelemetry-proto" in told
    assert told in said[0]
    assert intake.content == b""
