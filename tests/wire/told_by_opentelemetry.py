"""Errors that Sentry's SDK recorded, as OpenTelemetry's would have told them."""

from collections.abc import Iterator, Mapping
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

LINK = "\nThe above exception was the direct cause of the following exception:\n\n"
TRACE_ID, SPAN_ID = bytes(range(1, 17)), bytes(range(1, 9))
NANOSECONDS = 1_796_000_000 * 10**9


def traceback_of(event: Mapping[str, Any]) -> str:
    """What Python prints of a chain of exceptions."""
    return LINK.join("".join(_printed(value)) for value in event["exception"]["values"])


def _printed(value: Mapping[str, Any]) -> Iterator[str]:
    yield "Traceback (most recent call last):\n"
    for frame in (value.get("stacktrace") or {}).get("frames", []):
        yield f'  File "{frame["abs_path"]}", line {frame["lineno"]}, in {frame["function"]}\n'
        if frame.get("context_line"):
            yield f"    {frame['context_line'].strip()}\n"
    yield f"{named(value)}: {value['value']}\n"


def named(value: Mapping[str, Any]) -> str:
    """The class with its module, as tracebacks and OpenTelemetry name it."""
    return f"{value['module']}.{value['type']}" if value.get("module") else str(value["type"])


def attribute(name: str, value: str) -> KeyValue:
    return KeyValue(key=name, value=AnyValue(string_value=value))


def resource(language: str = "python", **attributes: str) -> Resource:
    named = {"telemetry.sdk.language": language} | {
        name.replace("_", "."): value for name, value in attributes.items()
    }
    return Resource(attributes=[attribute(name, value) for name, value in named.items()])


def span_request(
    type_: str, message: str, stack: str, language: str = "python", *, span_id: bytes = SPAN_ID
) -> ExportTraceServiceRequest:
    """A span whose event tells an exception."""
    request = ExportTraceServiceRequest()
    sent = request.resource_spans.add(resource=resource(language))
    span = sent.scope_spans.add().spans.add(
        trace_id=TRACE_ID,
        span_id=span_id,
        name="work",
        kind=Span.SPAN_KIND_SERVER,
        start_time_unix_nano=NANOSECONDS,
        end_time_unix_nano=NANOSECONDS + 10**9,
    )
    event = span.events.add(name="exception", time_unix_nano=NANOSECONDS + 5 * 10**8)
    event.attributes.extend(_exception(type_, message, stack))
    return request


def log_request(
    type_: str, message: str, stack: str, language: str = "python", *, span_id: bytes = SPAN_ID
) -> ExportLogsServiceRequest:
    request = ExportLogsServiceRequest()
    sent = request.resource_logs.add(resource=resource(language))
    record = LogRecord(
        time_unix_nano=NANOSECONDS + 6 * 10**8,
        severity_number=SeverityNumber.SEVERITY_NUMBER_ERROR,
        trace_id=TRACE_ID,
        span_id=span_id,
    )
    record.body.string_value = "it failed"
    record.attributes.extend(_exception(type_, message, stack))
    sent.scope_logs.add().log_records.append(record)
    return request


def _exception(type_: str, message: str, stack: str) -> Iterator[KeyValue]:
    told = {"exception.type": type_, "exception.message": message, "exception.stacktrace": stack}
    return (attribute(name, value) for name, value in told.items() if value)
