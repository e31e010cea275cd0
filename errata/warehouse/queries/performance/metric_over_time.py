"""One metric of pages or endpoints over sliding windows, for budgets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from errata.clock import utc
from errata.statistics.independent_samples import independent_count, lower_levels
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.progress import progress

OF_PAGES = "page_metric_over_time"

OF_ENDPOINTS = "endpoint_metric_over_time"

PAGES, ENDPOINTS = "page_metrics_hourly", "endpoint_metrics_hourly"
# The figures change with every build of hours since a moment.
DAYS_OF = {PAGES: "page_hours_built", ENDPOINTS: "endpoint_hours_built"}
# An hour is evaluated when late parts of its last views have arrived and are built.
ARRIVED_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True)
class Windows:
    """The ends of windows: `first`, `first + step`, … and `until`."""

    first: datetime
    until: datetime
    step: timedelta
    length: timedelta

    @property
    def read_since(self) -> datetime:
        return self.first - self.length


@dataclass(frozen=True, slots=True)
class Measured:
    """One window, by its end. `percentile` is None without samples, and `lower` are those of `lower_levels`;
    `error_count` counts calls alone."""

    at: datetime
    sample_count: int
    value_sum: float
    square_sum: float
    percentile: float | None
    lower: tuple[float, ...]
    source_squares: float
    unidentified_count: int
    largest_count: int
    error_count: int

    @property
    def independent_count(self) -> float:
        return independent_count(self.sample_count, self.source_squares, self.unidentified_count)

    @property
    def largest_ratio(self) -> float:
        """About the share of the user, or trace, with most samples."""
        return min(1.0, self.largest_count / self.sample_count) if self.sample_count else 0.0


def built_through(warehouse: Warehouse, mart: str) -> datetime | None:
    """The moment up to which windows are evaluated: that of the last build, which may lack late rows of past
    days."""
    return progress(warehouse, mart).through


def days_built(warehouse: Warehouse, mart: str, project_id: int, since: datetime) -> dict[date, datetime]:
    """The last build of each day with rows."""
    rows = warehouse.rows(sql.query(DAYS_OF[mart]), {"projects": [project_id], "since": since})
    return {row["day"]: utc(row["built_through"]) for row in rows}


def last_end(as_of: datetime, step: timedelta) -> datetime:
    """The end of the last window that can be evaluated."""
    settled = (as_of - ARRIVED_WITHIN).timestamp()
    return datetime.fromtimestamp(settled // step.total_seconds() * step.total_seconds(), UTC)


def page_metric_over_time(
    warehouse: Warehouse,
    project_id: int,
    metric: str,
    level: float,
    windows: Windows,
    *,
    page: str = "",
    environment: str = "",
    device: str = "",
) -> list[Measured]:
    scope = {"metric": metric, "page": like(page), "environment": environment, "device": device}
    asked = {**_span(project_id, level, windows), **scope}
    return _measured(warehouse.rows(sql.query(OF_PAGES), asked), windows)


def endpoint_metric_over_time(
    warehouse: Warehouse,
    project_id: int,
    side: str,
    level: float,
    windows: Windows,
    *,
    method: str = "",
    route: str = "",
    environment: str = "",
) -> list[Measured]:
    scope = {"side": side, "method": method, "route": like(route), "environment": environment}
    asked = {**_span(project_id, level, windows), **scope}
    return _measured(warehouse.rows(sql.query(OF_ENDPOINTS), asked), windows)


def like(pattern: str) -> str:
    """The LIKE pattern of a text in which `*` matches anything; LIKE's own wildcards are escaped."""
    escaped = pattern.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return escaped.replace("*", "%")


def matches(pattern: str, name: str) -> bool:
    """Whether the LIKE pattern of `like` would match."""
    first, *others = pattern.split("*")
    if not others:
        return name == first
    if not name.startswith(first):
        return False
    at = len(first)
    for part in others[:-1]:
        found = name.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return name.endswith(others[-1]) and len(name) - len(others[-1]) >= at


def _span(project_id: int, level: float, windows: Windows) -> dict[str, object]:
    return {
        "projects": [project_id],
        "level": level,
        **{f"lower_{number}": lower for number, lower in enumerate(lower_levels(level), 1)},
        "since": windows.read_since,
        "until": windows.until,
        "step_seconds": int(windows.step.total_seconds()),
        "reach_seconds": int((windows.length - windows.step).total_seconds()),
    }


def _measured(rows: Sequence[Row], windows: Windows) -> list[Measured]:
    """The measured windows. Windows that would begin before the rows read are left out."""
    ends = [(utc(row["step_start"]) + windows.step, row) for row in rows]
    return [_of_row(end, row) for end, row in ends if end >= windows.first]


def _of_row(end: datetime, row: Row) -> Measured:
    percentile, *lower = row["percentiles"] or [math.nan]
    return Measured(
        end,
        row["sample_count"],
        row["value_sum"],
        row["square_sum"],
        None if math.isnan(percentile) else percentile,
        tuple(lower),
        row["source_squares"],
        row["unidentified_count"],
        row["largest_count"],
        row["error_count"],
    )
