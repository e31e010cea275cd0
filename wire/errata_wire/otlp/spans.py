"""Spans as containers of Sentry's spans, and their exceptions as events."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from errata_wire.envelope import Item
from errata_wire.otlp.attributes import Attributes, Origin, attributes_of, text, typed
from errata_wire.otlp.exceptions import Told, event_item, is_exception

SPANS_AN_ITEM = 200
CONTENT_TYPE = "application/vnd.sentry.items.span.v2+json"
# Names of attributes that Sentry's protocol has other words for, the present ones first.
RENAMED = {
    "http.request.method": ("http.request.method", "http.method"),
    "http.response.status_code": ("http.response.status_code", "http.status_code"),
    "url.full": ("url.full", "http.url"),
    "url.path": ("url.path", "http.target"),
    "user_agent.original": ("user_agent.original", "http.user_agent"),
    "user.id": ("user.id", "enduser.id"),
}


def items_of(request: ExportTraceServiceRequest) -> tuple[list[Item], int]:
    """The items, and how many spans are left out since they name no trace or span."""
    items: list[Item] = []
    rejected = 0
    for sent in request.resource_spans:
        origin = Origin(sent.resource)
        spans = [span for scope in sent.scope_spans for span in scope.spans]
        whole = [span for span in spans if len(span.trace_id) == 16 and len(span.span_id) == 8]
        rejected += len(spans) - len(whole)
        items += _containers(origin, whole)
        items += _events(origin, whole)
    return items, rejected


def _containers(origin: Origin, spans: Sequence[Span]) -> Iterator[Item]:
    segments = _segments(spans)
    shown = (_shown(origin, span, segments[span.span_id]) for span in spans)
    while part := list(islice(shown, SPANS_AN_ITEM)):
        payload = json.dumps({"version": 2, "items": part}, separators=(",", ":"), default=str).encode()
        yield Item("span", {"content_type": CONTENT_TYPE, "item_count": len(part)}, payload)


def _events(origin: Origin, spans: Sequence[Span]) -> Iterator[Item]:
    for span in spans:
        for event in span.events:
            if event.name == "exception" and is_exception(attributes := attributes_of(event.attributes)):
                told = Told(
                    (event.time_unix_nano or span.end_time_unix_nano) / 1e9,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    _name(span, attributes_of(span.attributes)),
                )
                yield event_item(origin, attributes, told)


def _segments(spans: Sequence[Span]) -> dict[bytes, bytes]:
    """The topmost span above each that was sent with it: that of the service's own part of a trace."""
    parents = {span.span_id: span.parent_span_id for span in spans if not _is_segment(span)}
    found: dict[bytes, bytes] = {}
    for span in spans:
        place, way = span.span_id, dict[bytes, None]()
        # Each is gone through once: of a long row of calls, every other one would begin at its end again.
        while place not in found and place not in way and (parent := parents.get(place)):
            way[place] = None
            place = parent
        found |= dict.fromkeys((*way, place), found.get(place, place))
    return found


def _is_segment(span: Span) -> bool:
    return not span.parent_span_id or span.kind in (Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CONSUMER)


def _shown(origin: Origin, span: Span, segment: bytes) -> dict[str, Any]:
    sent = attributes_of(span.attributes)
    attributes = sent | {
        name: value
        for name, names in RENAMED.items()
        if (value := next((sent[one] for one in names if one in sent), None)) is not None
    }
    attributes |= {
        "sentry.op": _op(span, sent),
        "sentry.origin": "auto.otel",
        "sentry.environment": origin.environment,
        "sentry.release": origin.release,
        "sentry.segment.id": segment.hex(),
        "sentry.sdk.name": origin.sdk["name"],
        "server.name": origin.server_name,
    }
    if text(sent, "http.route"):
        attributes["sentry.segment.name.source"] = "route"
    is_error = span.status.code == Status.STATUS_CODE_ERROR
    return {
        "trace_id": span.trace_id.hex(),
        "span_id": span.span_id.hex(),
        "parent_span_id": span.parent_span_id.hex() or None,
        "name": _name(span, sent),
        "status": "error" if is_error else "ok",
        "is_segment": _is_segment(span),
        "start_timestamp": span.start_time_unix_nano / 1e9,
        "end_timestamp": span.end_time_unix_nano / 1e9,
        "attributes": typed(attributes),
    }


def _name(span: Span, attributes: Mapping[str, Any]) -> str:
    """`GET /orders/{id}` where the instrumentation knows the route, else as the span names itself."""
    route, method = text(attributes, "http.route"), text(attributes, "http.request.method", "http.method")
    return f"{method} {route}" if route and method else span.name


def _op(span: Span, attributes: Attributes) -> str:
    """The word of Sentry's protocol for what a span is about."""
    is_outgoing = span.kind in (Span.SPAN_KIND_CLIENT, Span.SPAN_KIND_PRODUCER)
    if text(attributes, "http.request.method", "http.method"):
        return "http.client" if is_outgoing else "http.server"
    if text(attributes, "db.system.name", "db.system"):
        return "db"
    if text(attributes, "messaging.system"):
        return "queue.publish" if is_outgoing else "queue.process"
    if text(attributes, "rpc.system", "rpc.system.name"):
        return "grpc.client" if is_outgoing else "grpc.server"
    return "function"
