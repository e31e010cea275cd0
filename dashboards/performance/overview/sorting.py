"""Rows of pages and endpoints in the order of a column."""

from collections.abc import Sequence
from typing import TypeVar

from dashboards.performance.metrics import TABLE_METRICS
from errata.warehouse.queries.performance.endpoints import EndpointRow
from errata.warehouse.queries.performance.page_views import PageRow

PAGE_SORTS = (
    "page",
    "view_count",
    *(one.name for one in TABLE_METRICS),
    "resources_ms",
    "api_ms",
    "change_ratio",
)
ENDPOINT_SORTS = (
    "route",
    "avg_ms",
    "p95_ms",
    "call_count",
    "success_count",
    "client_error_count",
    "server_error_count",
    "error_ratio",
)

Row = TypeVar("Row", PageRow, EndpointRow)


def in_order(rows: Sequence[Row], sort: str, allowed: Sequence[str]) -> list[Row]:
    """By one column, `-` before its name for the largest first; rows without a value come last either way."""
    name, is_descending = sort.removeprefix("-"), sort.startswith("-")
    if name not in allowed:
        return list(rows)
    known = [row for row in rows if _key(row, name) is not None]
    unknown = [row for row in rows if _key(row, name) is None]
    return sorted(known, key=lambda row: _sortable(_key(row, name)), reverse=is_descending) + unknown


def _key(row: PageRow | EndpointRow, name: str) -> float | str | None:
    """Metrics with percentiles are sorted by p75."""
    if isinstance(row, PageRow) and name in row.percentiles:
        return row[name].p75
    value: float | str | None = getattr(row, name)
    return value


def _sortable(value: float | str | None) -> tuple[float, str]:
    return (0, value) if isinstance(value, str) else (value or 0, "")
