"""Good requests of each protocol at the direct door, as SDKs and OpenTelemetry's exporters send them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from errata_wire.otlp.response import JSON, PROTOBUF
from google.protobuf import json_format

from tests.api.door.direct_node import envelope
from tests.captures import envelopes, payloads
from tests.sdk_events import NAMES, sdk_events
from tests.wire.told_by_opentelemetry import SPAN_ID, TRACE_ID, log_request, span_request, traceback_of

# Larger ones only cost time.
MOST_BYTES = 24_000
MONITOR_CONFIG = {
    "schedule": {"type": "crontab", "value": "0 3 * * *"},
    "timezone": "Europe/Berlin",
    "checkin_margin": 5,
    "max_runtime": 30,
    "failure_issue_threshold": 2,
    "recovery_threshold": 1,
}
CHECK_IN = {
    "check_in_id": "1f0e5a6c7b4d4f0a9c3e2b1a0f9e8d7c",
    "monitor_slug": "nightly-export",
    "status": "ok",
    "duration": 12.5,
    "environment": "production",
    "release": "shop@2.1.0",
    "monitor_config": MONITOR_CONFIG,
}
LOGS = {
    "items": [
        {
            "timestamp": 1_796_000_000.5,
            "trace_id": TRACE_ID.hex(),
            "level": "error",
            "severity_number": 17,
            "body": "payment of order 17 failed",
            "attributes": {"order.id": {"value": 17, "type": "integer"}},
        }
    ]
}
FEEDBACK = {
    "contexts": {"feedback": {"message": "it is slow", "contact_email": "ann@shop.example", "name": "Ann"}},
    "timestamp": 1_796_000_000.5,
    "platform": "javascript",
}


@dataclass(frozen=True, slots=True)
class Valid:
    """`path`: with {project} where the number of a project stands."""

    kind: str
    path: str
    content_type: str
    body: bytes


@cache
def valid_bodies() -> Mapping[str, list[Valid]]:
    """By kind."""
    found: dict[str, list[Valid]] = {}
    for one in _all():
        if len(one.body) <= MOST_BYTES:
            found.setdefault(one.kind, []).append(one)
    return found


def _all() -> Iterator[Valid]:
    events = [event for name in NAMES for event in sdk_events(name)[:6]]
    for event in events:
        body = json.dumps(event).encode()
        yield Valid("store", "/api/{project}/store/", "application/json", body)
        yield _envelope(("event", body))
    for body in _browser_envelopes():
        yield Valid("envelope", "/api/{project}/envelope/", "text/plain;charset=UTF-8", body)
    for payload in list(payloads("python_transactions"))[:40]:
        yield _envelope(("transaction", json.dumps(payload).encode()))
    for type_, sent in (("check_in", CHECK_IN), ("log", LOGS), ("feedback", FEEDBACK)):
        yield _envelope((type_, json.dumps(sent).encode()))
    yield Valid("check-in", "/api/{project}/cron/nightly-export", "application/json", _json(CHECK_IN))
    yield Valid("check-in", "/api/{project}/cron/nightly-export/", "application/json", _json(CHECK_IN))
    yield from _otlp()


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _envelope(*items: tuple[str, bytes]) -> Valid:
    body = envelope(*items, sent_at="2026-11-21T10:00:00Z")
    return Valid("envelope", "/api/{project}/envelope/", "application/x-sentry-envelope", body)


def _browser_envelopes() -> Iterator[bytes]:
    for sent in list(envelopes("v11"))[:120]:
        parts = [json.dumps(sent["headers"]).encode()]
        for item in sent["items"]:
            if item.get("payload") is None:
                continue
            payload = json.dumps(item["payload"]).encode()
            parts += [json.dumps({**item["headers"], "length": len(payload)}).encode(), payload]
        yield b"\n".join(parts)


def _otlp() -> Iterator[Valid]:
    for event in list(payloads("python_errors"))[:12]:
        if not event.get("exception"):
            continue
        value = event["exception"]["values"][-1]
        told = value["type"], str(value["value"]), traceback_of(event)
        for signal, request in (("traces", span_request(*told)), ("logs", log_request(*told))):
            forms = (
                (PROTOBUF, request.SerializeToString()),
                (JSON, _with_hexadecimal_ids(json_format.MessageToDict(request))),
            )
            for content_type, body in forms:
                for path in (f"/v1/{signal}", f"/api/{{project}}/integration/otlp/v1/{signal}/"):
                    yield Valid(f"{signal} as {content_type.partition('/')[2]}", path, content_type, body)


def _with_hexadecimal_ids(value: Any) -> bytes:
    def changed(one: Any) -> Any:
        if isinstance(one, dict):
            ids = {"traceId": TRACE_ID.hex(), "spanId": SPAN_ID.hex()}
            return {name: ids.get(name) or changed(inner) for name, inner in one.items()}
        return [changed(inner) for inner in one] if isinstance(one, list) else one

    return _json(changed(value))
