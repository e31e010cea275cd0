"""A request of OTLP/HTTP: its body read in either form, and the response in the same one."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from errata_wire.envelope import Envelope, Item
from errata_wire.otlp import logs, spans
from errata_wire.otlp.response import JSON, PROTOBUF, Answer
from errata_wire.refusal import Refused

Sent = TypeVar("Sent", ExportTraceServiceRequest, ExportLogsServiceRequest)

# Ids, which JSON has as hexadecimal digits and not in base64, as protobuf's own mapping would.
_IDS = ("traceId", "spanId", "parentSpanId")
DEEPEST = 100


@dataclass(frozen=True)
class Read:
    envelope: Envelope
    answer: Answer


def traces(body: bytes, content_type: str) -> Read:
    """Raises Refused for a body that can't be read."""
    items, rejected = spans.items_of(_decoded(body, content_type, ExportTraceServiceRequest()))
    response = ExportTraceServiceResponse()
    if rejected:
        said = f"{rejected} spans name no trace or span"
        response.partial_success.CopyFrom(
            ExportTracePartialSuccess(rejected_spans=rejected, error_message=said)
        )
    return _read(items, response, content_type)


def log_records(body: bytes, content_type: str) -> Read:
    """Raises Refused for a body that can't be read."""
    items, rejected = logs.items_of(_decoded(body, content_type, ExportLogsServiceRequest()))
    response = ExportLogsServiceResponse()
    if rejected:
        said = f"{rejected} log records have no time"
        response.partial_success.CopyFrom(
            ExportLogsPartialSuccess(rejected_log_records=rejected, error_message=said)
        )
    return _read(items, response, content_type)


READERS: dict[str, Callable[[bytes, str], Read]] = {"traces": traces, "logs": log_records}


def _read(items: list[Item], response: Message, content_type: str) -> Read:
    if content_type == JSON:
        body = json_format.MessageToJson(response, indent=None).encode()
    else:
        body = response.SerializeToString()
    return Read(Envelope({}, items), Answer(content_type, body))


def _decoded(body: bytes, content_type: str, message: Sent) -> Sent:
    try:
        if content_type == PROTOBUF:
            message.ParseFromString(body)
        else:
            sent = json.loads(body)
            if not isinstance(sent, dict):
                raise Refused(400, "invalid OTLP: the body is not an object")
            json_format.ParseDict(_with_ids(sent), message, ignore_unknown_fields=True)
    except (DecodeError, json_format.ParseError, ValueError, TypeError, RecursionError) as error:
        raise Refused(400, f"invalid OTLP: {str(error)[:300]}") from error
    return message


def _with_ids(value: Any, depth: int = 0) -> Any:
    """The value with ids in base64."""
    if depth > DEEPEST:
        raise ValueError("nested too deeply")
    if isinstance(value, list):
        return [_with_ids(one, depth + 1) for one in value]
    if isinstance(value, dict):
        return {
            name: _base64(one) if name in _IDS and isinstance(one, str) else _with_ids(one, depth + 1)
            for name, one in value.items()
        }
    return value


def _base64(digits: str) -> str:
    return base64.b64encode(bytes.fromhex(digits)).decode()
