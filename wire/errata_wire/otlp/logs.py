"""Log records: those that tell an exception are events, the others containers of Sentry's logs."""

import json
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from errata_wire.envelope import Item
from errata_wire.log_levels import level_of
from errata_wire.otlp.attributes import Origin, attributes_of, typed, value_of
from errata_wire.otlp.exceptions import Told, event_item, is_exception

LOGS_AN_ITEM = 500
CONTENT_TYPE = "application/vnd.sentry.items.log+json"
EVENT_LEVELS = {"trace": "debug", "warn": "warning"}


def items_of(request: ExportLogsServiceRequest) -> tuple[list[Item], int]:
    """The items, and how many records are left out since they have no moment."""
    items: list[Item] = []
    rejected = 0
    for sent in request.resource_logs:
        origin = Origin(sent.resource)
        shown: list[dict[str, Any]] = []
        for scope in sent.scope_logs:
            for record in scope.log_records:
                seconds = (record.time_unix_nano or record.observed_time_unix_nano) / 1e9
                attributes = attributes_of(record.attributes)
                if not seconds:
                    rejected += 1
                elif is_exception(attributes):
                    level = level_of(record.severity_text, record.severity_number) or "error"
                    told = Told(
                        seconds,
                        record.trace_id.hex(),
                        record.span_id.hex(),
                        "",
                        EVENT_LEVELS.get(level, level),
                        _body(record),
                    )
                    items.append(event_item(origin, attributes, told))
                else:
                    shown.append(_shown(origin, record, attributes, seconds))
        for start in range(0, len(shown), LOGS_AN_ITEM):
            part = shown[start : start + LOGS_AN_ITEM]
            payload = json.dumps({"items": part}, separators=(",", ":"), default=str).encode()
            items.append(Item("log", {"content_type": CONTENT_TYPE, "item_count": len(part)}, payload))
    return items, rejected


def _body(record: LogRecord) -> str:
    body = value_of(record.body)
    return body if isinstance(body, str) else json.dumps(body, default=str) if body is not None else ""


def _shown(origin: Origin, record: LogRecord, attributes: dict[str, Any], seconds: float) -> dict[str, Any]:
    attributes = attributes | {
        "sentry.environment": origin.environment,
        "sentry.release": origin.release,
        "server.address": origin.server_name,
        "service.name": origin.service,
    }
    shown = {
        "timestamp": seconds,
        "level": level_of(record.severity_text, record.severity_number) or "info",
        "body": _body(record),
        "attributes": typed(attributes),
    }
    if record.trace_id:
        shown["trace_id"] = record.trace_id.hex()
    if record.span_id:
        shown["span_id"] = record.span_id.hex()
    return shown
