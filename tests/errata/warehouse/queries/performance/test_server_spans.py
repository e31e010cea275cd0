"""A page's call from 100 to 200 ms, and what a server did for it, on clocks that agree or do not."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.server_spans import (
    MOST_OF_A_CALL,
    LaterCall,
    TraceSpans,
    server_spans,
)
from tests.builders import Row, insert

TRACE, CALL_ITEM = UUID(int=1), UUID(int=11)
VIEW, CALL = 1_000, 1_001
RECEIVED = datetime.now(UTC) - timedelta(hours=1)
STARTED_US = 1_700_000_000_000_000


def a_span(span_id: int, parent: int, op: str, start_ms: float, duration_ms: float, **values: object) -> Row:
    return {
        "project_id": 8,
        "trace_id": TRACE,
        "start_us": STARTED_US + round(start_ms * 1000),
        "occurred_at": RECEIVED,
        "received_at": RECEIVED,
        "item_id": UUID(int=span_id),
        "span_id": span_id,
        "parent_span_id": parent,
        "segment_id": 2_000,
        "op": op,
        "description": f"span {span_id}",
        "duration_ms": duration_ms,
        "service": "api",
        **values,
    }


def the_call() -> Row:
    return a_span(CALL, VIEW, "http.client", 100, 100, project_id=7, segment_id=VIEW, item_id=CALL_ITEM)


def asked(read: Warehouse, *projects: int, since: datetime = RECEIVED) -> TraceSpans:
    return server_spans(read, projects, TRACE, VIEW, since, RECEIVED + timedelta(seconds=1))


@pytest.mark.parametrize(
    ("clock_ms", "offsets", "is_shifted"),
    [(0, [110, 120, 121], False), (5_000, [110, 120, 121], True)],
    ids=["same clock", "clock 5 s ahead"],
)
def test_what_a_server_did_lies_within_the_call_that_led_to_it(
    ingest: Warehouse, read: Warehouse, clock_ms: int, offsets: list[int], is_shifted: bool
) -> None:
    rows = [
        the_call(),
        a_span(2_000, CALL, "http.server", 110 + clock_ms, 80, status_code=200, status="ok"),
        a_span(2_001, 2_000, "db", 120 + clock_ms, 30),
        a_span(2_002, 2_001, "db.sql", 121 + clock_ms, 5),
        # What the page itself did, another trace, and another project that was not asked for.
        a_span(3_001, VIEW, "ui.long-task", 130, 1, segment_id=2_000, project_id=7),
        a_span(3_002, VIEW, "function", 130, 1, segment_id=VIEW, project_id=7),
        a_span(3_003, CALL, "http.server", 120, 5, trace_id=UUID(int=2)),
        a_span(3_004, CALL, "http.server", 120, 5, project_id=9),
    ]
    insert(ingest, "errata_raw.spans", rows)
    # A client that retries sends the same spans again.
    insert(ingest, "errata_raw.spans", rows)
    found = asked(read, 7, 8).of_call(CALL_ITEM, 100, 100, STARTED_US)
    assert [(each.op, each.depth) for each in found] == [("http.server", 0), ("db", 1), ("db.sql", 2)]
    assert [each.offset_ms for each in found] == offsets
    assert [each.duration_ms for each in found] == [80, 30, 5]
    assert {each.is_shifted for each in found} == {is_shifted}
    assert (found[0].status, found[0].status_code, found[0].service) == ("ok", 200, "api")
    assert asked(read, 7).of_call(CALL_ITEM, 100, 100, STARTED_US) == []
    assert asked(read, 7, 8, since=RECEIVED + timedelta(milliseconds=1)).spans == {}


def test_the_document_is_what_the_segment_answered_that_the_page_continues(
    ingest: Warehouse, read: Warehouse
) -> None:
    insert(
        ingest,
        "errata_raw.spans",
        [a_span(2_000, 0, "http.server", 20, 50, is_segment=True), a_span(2_001, 2_000, "template", 30, 10)],
    )
    found = asked(read, 8).of_document(2_001, 90, STARTED_US)
    assert [(each.op, each.offset_ms, each.is_shifted) for each in found] == [
        ("http.server", 20, False),
        ("template", 30, False),
    ]
    assert asked(read, 8).of_document(4_711, 90, STARTED_US) == []


def test_a_call_after_the_load_hangs_below_no_server_and_is_named_as_later(
    ingest: Warehouse, read: Warehouse
) -> None:
    """Browsers name the server span that returned the page as the parent of calls after its load."""
    insert(
        ingest,
        "errata_raw.spans",
        [
            a_span(2_000, 0, "http.server", 20, 50, is_segment=True),
            # A call of the server itself, and what another server did for it.
            a_span(2_001, 2_000, "http.client", 30, 20),
            a_span(2_002, 2_001, "http.server", 35, 10, segment_id=2_002, is_segment=True),
            a_span(4_000, 2_000, "http.client", 3_000, 900, segment_id=4_000, is_segment=True),
            a_span(4_001, 4_000, "http.server", 3_100, 700, segment_id=4_001, is_segment=True),
        ],
    )
    found = asked(read, 8)
    assert [(each.description, each.depth) for each in found.of_document(2_000, 90, STARTED_US)] == [
        ("span 2000", 0),
        ("span 2001", 1),
        ("span 2002", 2),
    ]
    assert found.later_calls(600, STARTED_US) == [LaterCall("span 4000", 3_000)]
    assert found.later_calls(3_001, STARTED_US) == []


def test_a_loop_of_a_server_is_cut_short(ingest: Warehouse, read: Warehouse) -> None:
    loop = [a_span(5_000 + number, 2_000, "db", 120 + number / 10, 0.05) for number in range(100)]
    insert(ingest, "errata_raw.spans", [the_call(), a_span(2_000, CALL, "http.server", 110, 80), *loop])
    found = asked(read, 7, 8).of_call(CALL_ITEM, 100, 100, STARTED_US)
    assert len(found) == MOST_OF_A_CALL
    assert found[-1].description == f"span {5_000 + MOST_OF_A_CALL - 2}"
