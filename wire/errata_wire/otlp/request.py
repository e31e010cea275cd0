"""A request of OTLP/HTTP: its body read in either form, and the response in the same one."""

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
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
# An exporter sends hundreds of spans or records at once, a collector thousands. More would take longer than
# its sender waits, and Python's form of JSON takes the longest.
MOST_RECORDS = 50_000
MOST_CONTAINERS = 200_000
# What protobuf raises, too: of an infinity for a whole number it converts as Python does.
_UNREADABLE = (
    *(DecodeError, json_format.ParseError),
    *(ValueError, TypeError, OverflowError, RecursionError),
)
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Read:
    envelope: Envelope
    answer: Answer


def traces(body: bytes, content_type: str) -> Read:
    """Raises Refused for a body that can't be read."""
    request = _decoded(body, content_type, ExportTraceServiceRequest())
    _require_few(_counts_of_spans(request))
    items, rejected = spans.items_of(request)
    response = ExportTraceServiceResponse()
    if rejected:
        said = f"{rejected} spans name no trace or span"
        response.partial_success.CopyFrom(
            ExportTracePartialSuccess(rejected_spans=rejected, error_message=said)
        )
    return _read(items, response, content_type)


def log_records(body: bytes, content_type: str) -> Read:
    """Raises Refused for a body that can't be read."""
    request = _decoded(body, content_type, ExportLogsServiceRequest())
    _require_few(_counts_of_logs(request))
    items, rejected = logs.items_of(request)
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
            if body.count(b"{") + body.count(b"[") > MOST_CONTAINERS:
                raise Refused(413, f"more than {MOST_CONTAINERS} lists and objects in one request")
            sent = json.loads(body)
            if not isinstance(sent, dict):
                raise Refused(400, "invalid OTLP: the body is not an object")
            json_format.ParseDict(_with_ids(sent), message, ignore_unknown_fields=True)
    except _UNREADABLE as error:
        raise Refused(400, f"invalid OTLP: {str(error)[:300]}") from error
    return message


def _require_few(counts: Iterable[int]) -> None:
    """In a body of few kilobytes, compressed, there is room for millions of empty spans."""
    if any(count > MOST_RECORDS for count in accumulate(counts)):
        raise Refused(413, f"more than {MOST_RECORDS} resources, scopes, records and events in one request")


def _counts_of_spans(request: ExportTraceServiceRequest) -> Iterator[int]:
    yield len(request.resource_spans)
    for sent in request.resource_spans:
        yield len(sent.scope_spans)
        for scope in sent.scope_spans:
            yield len(scope.spans)
            yield from (len(span.events) for span in scope.spans)


def _counts_of_logs(request: ExportLogsServiceRequest) -> Iterator[int]:
    yield len(request.resource_logs)
    for sent in request.resource_logs:
        yield len(sent.scope_logs)
        yield from (len(scope.log_records) for scope in sent.scope_logs)


def _with_ids(value: Any, depth: int = 0) -> Any:
    """The value as protobuf's own mapping has it: ids in base64, and no halves of characters."""
    if depth > DEEPEST:
        raise ValueError("nested too deeply")
    if isinstance(value, list):
        return [_with_ids(one, depth + 1) for one in value]
    if isinstance(value, dict):
        return {
            _whole(name): _base64(one) if name in _IDS and isinstance(one, str) else _with_ids(one, depth + 1)
            for name, one in value.items()
        }
    return _whole(value) if isinstance(value, str) else value


def _whole(text: str) -> str:
    """JavaScript cuts texts within characters, and writes the half that is left as an escape."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def _base64(digits: str) -> str:
    return base64.b64encode(bytes.fromhex(digits)).decode()
