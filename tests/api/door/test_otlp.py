"""OpenTelemetry's exporters at the direct door: what they are answered with, and what is stored."""

import json

from errata_wire.otlp.response import JSON, PROTOBUF
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from tests.api.door.direct_node import DirectNode, zipped
from tests.wire.told_by_opentelemetry import TRACE_ID, log_request, span_request

STACK = (
    'Traceback (most recent call last):\n  File "/app/shop/cart.py", line 3, in price\n'
    "    raise ValueError(cart)\nValueError: no discount\n"
)
SPAN = span_request("ValueError", "no discount", STACK).SerializeToString()
LOG = log_request("ValueError", "no discount", STACK).SerializeToString()


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", "Content_Type": PROTOBUF}


def test_an_exception_of_a_span_and_of_a_log_record_is_one_event(node: DirectNode) -> None:
    headers = bearer(node.account.public_key)
    answer = node.send(SPAN, "/v1/traces", "", **headers)
    assert (answer.status_code, answer.headers["content-type"]) == (200, PROTOBUF)
    assert ExportTraceServiceResponse.FromString(answer.content) == ExportTraceServiceResponse()
    answer = node.send(zipped(LOG), "/v1/logs", "", **headers, Content_Encoding="gzip")
    assert ExportLogsServiceResponse.FromString(answer.content) == ExportLogsServiceResponse()
    # After a broken connection the same comes again.
    assert node.send(SPAN, "/v1/traces", "", **headers).status_code == 200
    assert [line["type"] for line in node.lines()] == ["span", "event", "event", "span", "event"]
    assert len(node.events(3)) == 3
    (counted,) = node.admin.rows(
        "select uniqExact(item_id) as events, any(message) as message, any(type) as type "
        "from errata_raw.error_events"
    )
    assert counted == {"events": 1, "message": "no discount", "type": "ValueError"}
    (span,) = node.rows("select distinct op, is_segment from errata_raw.spans", 1)
    assert span == {"op": "function", "is_segment": True}


def test_a_log_record_is_stored_beside_the_error(node: DirectNode) -> None:
    body = log_request("", "", "").SerializeToString()
    assert node.send(body, "/v1/logs", "", **bearer(node.account.public_key)).status_code == 200
    (record,) = node.rows("select level, body, trace_id from errata_raw.logs", 1)
    assert (record["level"], record["body"]) == ("error", "it failed")
    assert str(record["trace_id"]).replace("-", "") == TRACE_ID.hex()


def test_addresses_of_a_project_take_the_same(node: DirectNode) -> None:
    for signal, body in (("traces", SPAN), ("logs", LOG)):
        for end in ("", "/"):
            path = node.path(f"integration/otlp/v1/{signal}{end}")
            assert node.send(body, path, Content_Type=PROTOBUF).status_code == 200
    other = f"/api/{node.account.project_id + 1}/integration/otlp/v1/traces"
    assert node.send(SPAN, other, Content_Type=PROTOBUF).status_code == 403


def test_a_refusal_is_a_status_in_the_form_of_the_request(node: DirectNode) -> None:
    refused = node.send(b"{}", "/v1/traces", "errata_public_unknown", Content_Type=JSON)
    assert (refused.status_code, refused.headers["content-type"]) == (403, JSON)
    assert "unknown or revoked" in refused.json()["message"]
    refused = node.send(b"\xff", "/v1/logs", Content_Type=PROTOBUF)
    assert (refused.status_code, refused.content[:1]) == (400, b"\x12")
    assert node.send(SPAN, "/v1/traces", Content_Type="text/plain").status_code == 415
    large = json.dumps({"resourceSpans": [], "x": "y" * (21 << 20)}).encode()
    assert (
        node.send(zipped(large), "/v1/traces", Content_Type=JSON, Content_Encoding="gzip").status_code == 413
    )
    assert node.lines() == []


def test_an_empty_request_is_taken(node: DirectNode) -> None:
    answer = node.send(b"{}", "/v1/traces", Content_Type=JSON)
    assert (answer.status_code, answer.json()) == (200, {})
    assert node.send(b"", "/v1/logs", Content_Type=PROTOBUF).status_code == 200
