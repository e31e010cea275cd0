"""One span, of any generation of SDKs: a transaction's child, its root, or a streamed span."""

from typing import Any, NamedTuple

from api.ingest.moment import moment
from api.ingest.values import NIL, identifier, mapping, number, span_number, text

MAX_SECONDS = 1e11


class Span(NamedTuple):
    """Times in unix seconds as sent; `data` holds the attributes by name."""

    trace_id: str
    span_id: int
    parent_id: int
    segment_id: int
    is_segment: bool
    op: str
    name: str
    start: float
    end: float
    status: str
    origin: str
    data: dict[str, Any]

    @property
    def start_ms(self) -> float:
        return round(self.start * 1000, 3)

    @property
    def end_ms(self) -> float:
        return round(self.end * 1000, 3)

    @property
    def duration_ms(self) -> float:
        return round((self.end - self.start) * 1000, 3)


def of_container(sent: Any) -> Span | None:
    """A span of a version-2 container."""
    if not isinstance(sent, dict):
        return None
    data = {
        name: attribute.get("value")
        for name, attribute in mapping(sent.get("attributes")).items()
        if isinstance(attribute, dict)
    }
    span_id = span_number(sent.get("span_id"))
    is_segment = sent.get("is_segment") is True
    start, end = _times(sent.get("start_timestamp"), sent.get("end_timestamp"))
    status = text(sent.get("status"), 64)
    return Span(
        identifier(sent.get("trace_id")),
        span_id,
        span_number(sent.get("parent_span_id")),
        span_number(data.get("sentry.segment.id")) or (span_id if is_segment else 0),
        is_segment,
        text(data.get("sentry.op"), 100),
        text(sent.get("name"), 1000),
        start,
        end,
        (text(data.get("sentry.status.message"), 64) or status) if status == "error" else status,
        text(data.get("sentry.origin"), 100),
        data,
    )


def of_transaction(sent: Any, trace_id: str, segment_id: int) -> Span | None:
    """A child of a transaction, or a version-1 span of its own."""
    if not isinstance(sent, dict):
        return None
    start, end = _times(sent.get("start_timestamp"), sent.get("timestamp"))
    data = mapping(sent.get("data"))
    return Span(
        trace_id,
        span_number(sent.get("span_id")),
        span_number(sent.get("parent_span_id")),
        segment_id,
        False,
        text(sent.get("op"), 100),
        text(sent.get("description"), 1000),
        start,
        end,
        text(sent.get("status"), 64),
        text(sent.get("origin"), 100),
        data,
    )


def root_of(payload: dict[str, Any]) -> Span:
    """A transaction itself as a span."""
    trace = mapping(mapping(payload.get("contexts")).get("trace"))
    start, end = _times(payload.get("start_timestamp"), payload.get("timestamp"))
    span_id = span_number(trace.get("span_id"))
    return Span(
        identifier(trace.get("trace_id")),
        span_id,
        span_number(trace.get("parent_span_id")),
        span_id,
        True,
        text(trace.get("op"), 100),
        text(payload.get("transaction"), 1000),
        start,
        end,
        text(trace.get("status"), 64),
        text(trace.get("origin"), 100),
        mapping(trace.get("data")),
    )


def _times(start: Any, end: Any) -> tuple[float, float]:
    """Start and end in unix seconds; a missing end is the start, a missing start the end, both missing are
    0."""
    first, last = _seconds(start), _seconds(end)
    if first is None:
        first = last if last is not None else 0.0
    return first, max(last, first) if last is not None else first


def _seconds(value: Any) -> float | None:
    if isinstance(value, str):
        parsed = moment(value)
        return parsed.timestamp() if parsed is not None else None
    found = number(value)
    return found if found is not None and abs(found) < MAX_SECONDS else None


def has_trace(span: Span) -> bool:
    return span.trace_id != NIL and span.span_id != 0
