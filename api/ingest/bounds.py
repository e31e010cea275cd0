"""Bounds of numbers by table and column, for every producer of rows (docs/performance.md)."""

import math
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from api.ingest.item import Rows
from api.ingest.values import warehouse_time
from errata.performance.metric import HOUR_MS, PAGE_METRICS
from errata.warehouse.retention import countable_days

OUT_OF_BOUNDS = "value_out_of_bounds"

DAY_MS = 24 * HOUR_MS
MONTH_MS = 30 * DAY_MS
# 2106, the last hour of the marts.
LATEST_MS = 4_291_747_200_000
MOST_BYTES = 1 << 36
MOST_PIXELS = 1 << 32
MOST_STATUS = 999
MOST_SESSIONS = 10_000_000
MOST_ERRORS = 1_000_000
MOST_SEGMENTS = 100_000
# Moments of a view's part lie near its start; they may precede it if a clock was set back.
BEFORE_START_MS = HOUR_MS


class Bound(NamedTuple):
    column: str
    least: float
    most: float
    is_required: bool = False
    """Whether the row is left out with the value, since it measures nothing without it."""


VITALS = tuple(Bound(one.name, 0, one.most) for one in PAGE_METRICS.values() if one.most is not None)
BOUNDS: dict[str, tuple[Bound, ...]] = {
    "errata_raw.page_views": (
        *VITALS,
        Bound("started_at_ms", 0, LATEST_MS),
        Bound("duration_ms", 0, DAY_MS),
        Bound("lcp_size", 0, MOST_PIXELS),
        Bound("lcp_load_ms", 0, DAY_MS),
        Bound("lcp_render_ms", 0, DAY_MS),
    ),
    "errata_raw.page_resources": (
        Bound("start_us", 0, LATEST_MS * 1000),
        Bound("duration_ms", 0, DAY_MS, is_required=True),
        Bound("transfer_bytes", 0, MOST_BYTES),
        Bound("body_bytes", 0, MOST_BYTES),
        Bound("decoded_bytes", 0, MOST_BYTES),
        Bound("status_code", 0, MOST_STATUS),
    ),
    "errata_raw.requests": (
        Bound("status_code", 0, MOST_STATUS),
        Bound("duration_ms", 0, DAY_MS, is_required=True),
        Bound("response_bytes", 0, MOST_BYTES),
    ),
    "errata_raw.spans": (
        Bound("start_us", 0, LATEST_MS * 1000),
        Bound("duration_ms", 0, MONTH_MS),
        Bound("status_code", 0, MOST_STATUS),
    ),
    "errata_raw.sessions": (
        Bound("session_count", 1, MOST_SESSIONS, is_required=True),
        Bound("error_count", 0, MOST_ERRORS),
        Bound("duration_ms", 0, MONTH_MS),
    ),
    "errata_raw.logs": (),
    "errata_raw.feedback": (),
    "errata_raw.attachments": (Bound("byte_count", 0, MOST_BYTES),),
    "errata_raw.check_ins": (Bound("duration_ms", 0, MONTH_MS),),
    "errata_raw.replay_segments": (Bound("segment_id", 0, MOST_SEGMENTS, is_required=True),),
}
MEASURED = ("errata_raw.page_views", "errata_raw.page_resources", "errata_raw.requests")
# For a view's part, unix ms as sent; the bound is on the distance from its start.
MOMENTS_OF_VIEW = ("load_at_ms", "dom_ready_at_ms", "response_at_ms", "inp_at_ms")
_triples = {
    table: tuple((bound.column, bound.least, bound.most) for bound in bounds)
    for table, bounds in BOUNDS.items()
}
_vitals = {bound.column: bound for bound in BOUNDS["errata_raw.page_views"]}


def is_within(vital: str, value: float) -> bool:
    bound = _vitals[vital]
    return bound.least <= value <= bound.most


def hold(rows: Rows) -> int:
    """Replaces values out of bounds by defaults; returns how many there were."""
    count = 0
    for table, found in rows.items():
        bounds, before = _triples[table], count
        for row in found:
            for column, least, most in bounds:
                value = row.get(column)
                # NaN is within no bounds.
                if value is not None and not least <= value <= most:
                    del row[column]
                    count += 1
        if table == "errata_raw.page_views":
            count += sum(_hold_moments(row) for row in found)
        if count > before:
            required = [bound.column for bound in BOUNDS[table] if bound.is_required]
            found[:] = [row for row in found if all(column in row for column in required)]
    return count


def leave_out_old(rows: Rows, received_at: datetime) -> int:
    """Removes rows that occurred too long ago for any build, as parts of a newer item; returns how many."""
    count = 0
    for table in MEASURED:
        if found := rows.get(table):
            oldest = warehouse_time(received_at - timedelta(days=countable_days(table)))
            kept = [row for row in found if row["occurred_at"] >= oldest]
            count += len(found) - len(kept)
            found[:] = kept
    return count


def _hold_moments(row: dict[str, Any]) -> int:
    """Bounds moments, intervals and calls of a part of a view."""
    start = row.get("started_at_ms", math.nan)
    earliest, latest, count = start - BEFORE_START_MS, start + DAY_MS, 0
    for column in MOMENTS_OF_VIEW:
        if column in row and not earliest <= row[column] <= latest:
            del row[column]
            count += 1
    for column, kept in (
        (
            "resource_intervals",
            [one for one in row["resource_intervals"] if earliest <= one[0] and one[1] <= latest],
        ),
        ("call_ms", [one for one in row["call_ms"] if 0 <= one <= DAY_MS]),
        (
            "frames",
            [one for one in row["frames"] if earliest <= one.start_ms and one.end_ms <= latest],
        ),
    ):
        count += len(row[column]) - len(kept)
        row[column] = kept
    return count
