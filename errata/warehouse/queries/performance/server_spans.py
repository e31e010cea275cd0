"""Server spans of a page's calls, joined by trace and moved to the page's own clock."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.typed_rows import typed

MOST_SPANS = 2000
# For one call; a server's loop says nothing new by its hundredth span.
MOST_OF_A_CALL = 60
DEEPEST = 6
# Clocks that agree this well are left as they are.
TOLERANCE_MS = 1.0


@dataclass(frozen=True, slots=True)
class ServerSpan:
    """`offset_ms` counts from the start of the view. `depth` 0: the request as the server received it."""

    op: str
    description: str
    offset_ms: float
    duration_ms: float
    depth: int
    status: str
    status_code: int
    service: str
    is_shifted: bool
    """The server's clock differs: the span is centered in the call, with everything below it."""


@dataclass(frozen=True, slots=True)
class LaterCall:
    description: str
    offset_ms: float
    """From the start of the view."""


@dataclass(frozen=True)
class TraceSpans:
    """The spans of one trace except for the page's own."""

    calls: dict[UUID, int] = field(default_factory=dict)
    """Span ids of the page's calls, by the item that stored them."""
    spans: dict[int, Row] = field(default_factory=dict)
    children: dict[int, list[Row]] = field(default_factory=dict)
    own_calls: list[Row] = field(default_factory=list)
    """Calls that a browser made outside any page load, in order: they are segments of their own. After a load
    they name as parent the server span that returned the page, yet no server made them."""

    def of_call(
        self, item_id: UUID, offset_ms: float, duration_ms: float, started_us: int
    ) -> list[ServerSpan]:
        return self._placed(self._roots(self.calls.get(item_id, 0)), offset_ms, duration_ms, started_us)

    def of_document(self, parent_span_id: int, ttfb_ms: float, started_us: int) -> list[ServerSpan]:
        """The request that returned the page: the view continues its trace."""
        parent = self.spans.get(parent_span_id)
        segment = self.spans.get(parent["segment_id"], parent) if parent else None
        return self._placed([segment] if segment else [], 0.0, ttfb_ms, started_us)

    def later_calls(self, end_ms: float, started_us: int) -> list[LaterCall]:
        """Calls of the trace that began after the load's end."""
        calls = ((row["description"], (row["start_us"] - started_us) / 1000) for row in self.own_calls)
        return [LaterCall(name, round(offset, 3)) for name, offset in calls if offset >= end_ms]

    def _roots(self, span_id: int) -> list[Row]:
        return (
            [row for row in self.children.get(span_id, []) if row["op"] != "http.client"] if span_id else []
        )

    def _placed(
        self, roots: Sequence[Row], offset_ms: float, duration_ms: float, started_us: int
    ) -> list[ServerSpan]:
        found: list[ServerSpan] = []
        for root in roots:
            own = (root["start_us"] - started_us) / 1000
            shift = _shift(own, root["duration_ms"], offset_ms, duration_ms)
            found += [
                typed(
                    ServerSpan,
                    row,
                    depth=depth,
                    offset_ms=round((row["start_us"] - started_us) / 1000 + shift, 3),
                    is_shifted=shift != 0,
                )
                for row, depth in self._beneath(root, 0)
            ]
        return found[:MOST_OF_A_CALL]

    def _beneath(self, row: Row, depth: int) -> Iterator[tuple[Row, int]]:
        yield row, depth
        if depth < DEEPEST:
            for child in self.children.get(row["span_id"], []):
                yield from self._beneath(child, depth + 1)


def server_spans(
    warehouse: Warehouse,
    projects: Sequence[int],
    trace_id: UUID,
    view_id: int,
    since: datetime,
    until: datetime,
) -> TraceSpans:
    """Server spans of all these projects: a page and its backend are often two."""
    if not trace_id.int:
        return TraceSpans()
    rows = warehouse.rows(
        sql.query("server_spans_of_trace"),
        {
            "projects": list(projects),
            "trace_id": trace_id,
            "view_id": view_id,
            "since": since,
            "until": until,
            "limit": MOST_SPANS,
        },
    )
    found = TraceSpans()
    for row in rows:
        if row["span_id"] in found.spans:
            continue
        if row["op"] == "http.client":
            found.calls[row["item_id"]] = row["span_id"]
            if row["is_segment"]:
                found.own_calls.append(row)
                continue
        found.spans[row["span_id"]] = row
        if row["parent_span_id"] != row["span_id"]:
            found.children.setdefault(row["parent_span_id"], []).append(row)
    return found


def _shift(own_ms: float, own_duration_ms: float, offset_ms: float, duration_ms: float) -> float:
    """The shift of a server's clock that puts its span inside the call."""
    is_within = (
        own_ms >= offset_ms - TOLERANCE_MS
        and own_ms + own_duration_ms <= offset_ms + duration_ms + TOLERANCE_MS
    )
    if is_within:
        return 0.0
    return offset_ms + max(0.0, (duration_ms - own_duration_ms) / 2) - own_ms
