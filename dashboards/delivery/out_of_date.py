"""Figures of a project that could not be built, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.reports import formats
from errata.warehouse.queries.delivery.set_aside import SetAsideRow

FIGURES = {
    "variant_hourly": "Errors by hour",
    "repeated_events": "Repeated error deliveries",
    "variant_daily": "Errors by day",
    "variant_totals": "Error totals",
    "variant_releases": "Errors by release",
    "issues": "Issues",
    "issue_totals": "Issue totals",
    "page_loads": "Page loads",
    "page_metrics_daily": "Pages by day",
    "page_metrics_hourly": "Pages by hour",
    "page_causes_daily": "Causes of slow pages",
    "endpoint_metrics_daily": "API calls by day",
    "endpoint_metrics_hourly": "API calls by hour",
    "resource_metrics_daily": "Resources by day",
    "weekly_trends": "Weekly trends",
    "delivery_daily": "Delivery by day",
    "similar_issues": "Similar issues",
    "regrouping_proposals": "Grouping proposals",
    "release_metrics": "Releases",
    "release_impact": "Release impact",
    "change_points": "Shifts",
}
REASONS = {
    "recount_failed": "built figures don't match a recount",
    "out_of_memory": "exceeds the memory limit of a build",
    "out_of_time": "exceeds the time limit of a build",
    "query_failed": "the warehouse can't process these rows",
    "program_failed": "the program that computes them failed",
    "too_many_rows": "many rows; other projects are built first",
    "too_many_releases": "too many releases for one build",
}


@dataclass(frozen=True, slots=True)
class OutOfDate:
    figures: str
    times: str
    reason: str
    since: datetime
    next_try: str


def out_of_date(rows: Sequence[SetAsideRow], now: datetime) -> list[OutOfDate]:
    return [
        OutOfDate(
            FIGURES.get(row.mart, row.mart.replace("_", " ").capitalize()),
            _times(row),
            REASONS.get(row.reason, row.reason.replace("_", " ")),
            row.since,
            _next_try(row.next_attempt_at - now),
        )
        for row in rows
    ]


def _times(row: SetAsideRow) -> str:
    if row.first_window is None or row.last_window is None:
        return "all"
    is_hourly = row.mart.endswith("_hourly") or row.mart in ("repeated_events", "page_loads")
    words = formats.iso_minute if is_hourly else formats.iso_day
    if row.window_count == 1:
        return words(row.first_window)
    unit = formats.plural(row.window_count, "hour" if is_hourly else "day")
    return f"{unit}, {words(row.first_window)} to {words(row.last_window)}"


def _next_try(wait: timedelta) -> str:
    if wait <= timedelta(0):
        return "with the next build"
    minutes = max(1, round(wait.total_seconds() / 60))
    return f"in {minutes} min" if minutes < 120 else f"in {round(minutes / 60)} h"
