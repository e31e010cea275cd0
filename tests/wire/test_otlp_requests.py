"""Requests of OTLP in both of their forms."""

import base64
import json
from typing import Any

import pytest
from errata_wire.otlp.request import READERS
from errata_wire.otlp.response import JSON, PROTOBUF, content_type_of, refusal, status_of
from errata_wire.refusal import Refused
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.wire.told_by_opentelemetry import (
    NANOSECONDS,
    SPAN_ID,
    TRACE_ID,
    attribute,
    log_request,
    resource,
    span_request,
)


def json_of(request: ExportTraceServiceRequest) -> bytes:
    """As OTLP has it: ids in hexadecimal digits."""
    sent = json_format.MessageToDict(request)
    for one in sent["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        one |= {"traceId": TRACE_ID.hex(), "spanId": SPAN_ID.hex()}
    sent["somethingNew"] = {"is": "ignored"}
    return json.dumps(sent).encode()


def payloads(signal: str, body: bytes, content_type: str = PROTOBUF) -> list[tuple[str, dict[str, Any]]]:
    envelope = READERS[signal](body, content_type).envelope
    return [(item.type, json.loads(item.payload)) for item in envelope.items]


def test_protobuf_and_json_say_the_same() -> None:
    request = span_request("ValueError", "no", "")
    by_protobuf = payloads("traces", request.SerializeToString())
    assert by_protobuf == payloads("traces", json_of(request), JSON)
    assert [type_ for type_, _ in by_protobuf] == ["span", "event"]


def test_the_same_request_again_gives_the_same_ids() -> None:
    body = span_request("ValueError", "no", "").SerializeToString()
    assert payloads("traces", body) == payloads("traces", body)


def test_two_spans_that_fail_alike_are_two_events() -> None:
    ids = {
        payloads("traces", span_request("ValueError", "no", "", span_id=span_id).SerializeToString())[1][1][
            "event_id"
        ]
        for span_id in (b"12345678", b"87654321")
    }
    assert len(ids) == 2


def test_a_servers_span_is_a_call_with_its_route_release_and_environment() -> None:
    request = ExportTraceServiceRequest()
    named = {"service_name": "shop", "service_version": "2.1.0", "deployment_environment_name": "production"}
    sent = request.resource_spans.add(resource=resource(**named))
    scope = sent.scope_spans.add()
    server = scope.spans.add(
        trace_id=TRACE_ID,
        span_id=SPAN_ID,
        kind=Span.SPAN_KIND_SERVER,
        name="GET",
        start_time_unix_nano=NANOSECONDS,
        end_time_unix_nano=NANOSECONDS + 2 * 10**9,
    )
    # The former names of the conventions.
    server.attributes.extend(
        [
            attribute("http.method", "GET"),
            attribute("http.route", "/cart/{id}"),
            attribute("http.target", "/cart/7"),
        ]
    )
    server.status.code = Status.STATUS_CODE_ERROR
    child = scope.spans.add(
        trace_id=TRACE_ID,
        span_id=b"childspn",
        parent_span_id=SPAN_ID,
        kind=Span.SPAN_KIND_CLIENT,
        name="select",
    )
    child.attributes.append(attribute("db.system", "postgresql"))
    ((_, payload),) = payloads("traces", request.SerializeToString())
    first, second = payload["items"]
    assert (first["name"], first["status"], first["is_segment"]) == ("GET /cart/{id}", "error", True)
    values = {name: one["value"] for name, one in first["attributes"].items()}
    assert values["sentry.op"] == "http.server"
    assert values["sentry.release"] == "shop@2.1.0"
    assert values["sentry.environment"] == "production"
    assert values["http.request.method"] == "GET"
    assert values["url.path"] == "/cart/7"
    assert second["attributes"]["sentry.op"]["value"] == "db"
    assert second["attributes"]["sentry.segment.id"]["value"] == SPAN_ID.hex()
    assert second["is_segment"] is False


def test_records_without_an_exception_are_logs() -> None:
    request = log_request("", "", "")
    ((type_, payload),) = payloads("logs", request.SerializeToString())
    assert type_ == "log"
    assert payload["items"][0] | {"attributes": {}} == {
        "timestamp": NANOSECONDS / 1e9 + 0.6,
        "level": "error",
        "body": "it failed",
        "attributes": {},
        "trace_id": TRACE_ID.hex(),
        "span_id": SPAN_ID.hex(),
    }


def test_what_is_left_out_is_said_and_the_rest_is_taken() -> None:
    request = span_request("ValueError", "no", "")
    request.resource_spans[0].scope_spans[0].spans.add(name="nameless")
    read = READERS["traces"](request.SerializeToString(), PROTOBUF)
    response = ExportTraceServiceResponse.FromString(read.answer.body)
    assert response.partial_success.rejected_spans == 1
    assert len(read.envelope.items) == 2
    told = json.loads(READERS["traces"](b"{}", JSON).answer.body)
    assert told == {}


def test_a_body_that_is_none_is_refused_in_its_own_form() -> None:
    for signal in READERS:
        for body, content_type in ((b"\xff\xff\xff", PROTOBUF), (b"[]", JSON), (b"{", JSON), (b"\xff", JSON)):
            with pytest.raises(Refused) as refused:
                READERS[signal](body, content_type)
            assert refused.value.status == 400
    deep = b'{"a":' * 5_000 + b"1" + b"}" * 5_000
    with pytest.raises(Refused):
        READERS["logs"](deep, JSON)
    with pytest.raises(Refused) as refused:
        READERS["traces"](b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"xyz"}]}]}]}', JSON)
    assert refused.value.status == 400


def test_a_half_of_a_character_is_replaced_wherever_it_stands() -> None:
    half = '"\\ud83d"'
    for signal, body in (
        ("traces", '{"resourceSpans": [HALF]}'),
        ("traces", '{HALF: 1, "resourceSpans": [{"resource": {"attributes": [{HALF: HALF}]}}]}'),
        ("logs", '{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"severityNumber": HALF}]}]}]}'),
    ):
        try:
            READERS[signal](body.replace("HALF", half).encode(), JSON)
        except Refused as refused:
            assert refused.status == 400
    request = log_request("ValueError", "no \N{PILE OF POO}", "")
    sent = json.dumps(json_format.MessageToDict(request)).replace("\\udca9", "")
    records = sent.replace(json.dumps(base64.b64encode(TRACE_ID).decode()), f'"{TRACE_ID.hex()}"')
    records = records.replace(json.dumps(base64.b64encode(SPAN_ID).decode()), f'"{SPAN_ID.hex()}"')
    (event,) = [payload for type_, payload in payloads("logs", records.encode(), JSON) if type_ == "event"]
    assert event["exception"]["values"][-1]["value"] == "no \ufffd"


def test_an_infinity_is_refused() -> None:
    for number in ("1e999", "-1e999"):
        body = f'{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"severityNumber":{number}}}]}}]}}]}}'
        with pytest.raises(Refused) as refused:
            READERS["logs"](body.encode(), JSON)
        assert refused.value.status == 400


def test_more_than_a_server_reads_in_time_is_refused() -> None:
    """Each of these bodies, compressed, is a few kilobytes."""
    many = b"\x0a\x02\x12\x00" * 60_000
    empty = b'{"resourceLogs":[' + b"{}," * 300_000 + b"{}]}"
    for signal, body, content_type in (
        ("traces", many, PROTOBUF),
        ("logs", many, PROTOBUF),
        ("logs", empty, JSON),
    ):
        with pytest.raises(Refused) as refused:
            READERS[signal](body, content_type)
        assert refused.value.status == 413
    assert payloads("traces", b"\x0a\x02\x12\x00" * 2_000) == []


def test_of_a_long_row_of_calls_all_have_its_first_as_segment() -> None:
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add(resource=resource()).scope_spans.add().spans
    for number in range(1, 12_001):
        parent = (number + 1).to_bytes(8, "big") if number < 12_000 else b""
        spans.add(trace_id=TRACE_ID, span_id=number.to_bytes(8, "big"), parent_span_id=parent)
    shown = [
        span for _, payload in payloads("traces", request.SerializeToString()) for span in payload["items"]
    ]
    assert len(shown) == 12_000
    assert {span["attributes"]["sentry.segment.id"]["value"] for span in shown} == {f"{12_000:016x}"}


def test_content_types() -> None:
    assert content_type_of("application/x-protobuf") == PROTOBUF
    assert content_type_of("application/protobuf") == PROTOBUF
    assert content_type_of("Application/JSON; charset=utf-8") == JSON
    for other in ("", "text/plain"):
        with pytest.raises(Refused) as refused:
            content_type_of(other)
        assert refused.value.status == 415


def test_an_error_is_a_status_of_grpc() -> None:
    assert json.loads(status_of("no key", JSON).body) == {"message": "no key"}
    short, long = status_of("no key", PROTOBUF).body, status_of("x" * 300, PROTOBUF).body
    assert short == b"\x12\x06no key"
    assert long == b"\x12\xac\x02" + b"x" * 300
    assert refusal("no key", "application/json; charset=utf-8") == status_of("no key", JSON)
    assert refusal("no key", "text/plain") == status_of("no key", PROTOBUF)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(sorted(READERS)), st.sampled_from([JSON, PROTOBUF]))
def test_any_bytes_are_read_or_refused(noise: bytes, signal: str, content_type: str) -> None:
    for body in (noise, span_request("E", "m", "s").SerializeToString()[: len(noise)] + noise):
        try:
            READERS[signal](body, content_type)
        except Refused as refused:
            assert refused.status == 400


texts = st.text(max_size=40)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(
    values,
    texts,
    texts,
    texts,
    st.sampled_from(["python", "java", "nodejs", "go", "php", "ruby", "dotnet", ""]),
)
def test_any_values_are_read_or_refused(
    value: Any, type_: str, message: str, stack: str, language: str
) -> None:
    sent = {
        "resourceSpans": [{"resource": {"attributes": [{"key": "a", "value": value}]}}],
        "resourceLogs": value,
    }
    for signal in READERS:
        try:
            READERS[signal](json.dumps(sent).encode(), JSON)
        except Refused as refused:
            assert refused.status == 400
    request: ExportTraceServiceRequest | ExportLogsServiceRequest
    for signal, request in (
        ("traces", span_request(type_, message, stack, language)),
        ("logs", log_request(type_, message, stack, language)),
    ):
        READERS[signal](request.SerializeToString(), PROTOBUF)
