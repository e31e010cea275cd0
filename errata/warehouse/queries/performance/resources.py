"""Resources of pages: by type, by URL, and those that block the first paint."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from errata.performance.filters import Filters
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.performance.page_views import (
    LOADS,
    NAVIGATE,
    Percentiles,
    Result,
    begun_days,
    known_percentiles,
)
from errata.warehouse.queries.period import since_of
from errata.warehouse.queries.progress import last_build

Impact = Literal["high", "medium", "low"]
BUILT, OF_LOADS = "resource_metrics_built", "resource_metrics"
# The place of all URLs beyond the 100 most loaded of a page, day and type.
OTHERS = "(other)"
TYPES = ("script", "style", "image", "font", "api", "media", "document", "other")
# Mean delay of the first paint by one blocking load.
HIGH_IMPACT_MS = 300
MEDIUM_IMPACT_MS = 100


@dataclass(frozen=True, slots=True)
class ResourceRow:
    """One type, or one URL of a type. Sizes are means of the loads with a known size; None without any."""

    type: str
    url: str
    host: str
    view_count: int
    resource_count: int
    cached_count: int
    sized_count: int
    blocking_count: int
    error_count: int
    transfer_bytes: int
    """Bytes over the wire in the period; nothing from the cache."""
    body_bytes: float | None
    decoded_bytes: float | None
    duration_ms: Percentiles
    avg_ms: float | None
    delay_ms: float | None
    """For blocking ones: mean time spent loading before the first contentful paint."""

    @property
    def per_view(self) -> float:
        """Loads of it per view that has any."""
        return self.resource_count / self.view_count if self.view_count else 0.0

    @property
    def bytes_per_view(self) -> float | None:
        """Compressed bytes per view that has any, cached ones included."""
        if self.body_bytes is None or not self.view_count:
            return None
        return self.body_bytes * self.sized_count / self.view_count

    @property
    def impact(self) -> Impact | None:
        """None: it blocks nothing."""
        if self.delay_ms is None:
            return None
        if self.delay_ms >= HIGH_IMPACT_MS:
            return "high"
        return "medium" if self.delay_ms >= MEDIUM_IMPACT_MS else "low"


def by_type(warehouse: Warehouse, filters: Filters, page: str = "") -> Result[ResourceRow]:
    """Types of resources of page loads, in the order of TYPES."""
    result = _rows(warehouse, filters, page, "", has_types=True)
    return Result(in_order_of_types(result.rows), result.as_of)


def by_url(
    warehouse: Warehouse, filters: Filters, page: str = "", resource_type: str = ""
) -> Result[ResourceRow]:
    """URLs, the most loaded first; OTHERS stands for the rest on pages with many."""
    return _rows(warehouse, filters, page, resource_type, has_urls=True)


@dataclass(frozen=True, slots=True)
class Breakdown:
    types: list[ResourceRow]
    urls: list[ResourceRow]
    as_of: datetime | None
    question: str
    """The file of the question."""


def breakdown(warehouse: Warehouse, filters: Filters, page: str = "") -> Breakdown:
    """Both, of one moment."""
    result = _rows(warehouse, filters, page, "", has_types=True, has_urls=True)
    types = in_order_of_types(row for row in result.rows if not row.url)
    return Breakdown(types, [row for row in result.rows if row.url], result.as_of, question_of(filters))


def largest(rows: Sequence[ResourceRow]) -> list[ResourceRow]:
    """Single URLs with a known size, by their uncompressed bytes."""
    sized = [row for row in rows if row.decoded_bytes is not None and row.url != OTHERS and row.type != "api"]
    return sorted(sized, key=lambda row: -(row.decoded_bytes or 0))


def blocking(rows: Sequence[ResourceRow]) -> list[ResourceRow]:
    """Resources that blocked the first paint, the longest first."""
    held = [row for row in rows if row.delay_ms is not None]
    return sorted(held, key=lambda row: -(row.delay_ms or 0))


def _rows(
    warehouse: Warehouse,
    filters: Filters,
    page: str,
    resource_type: str,
    *,
    has_types: bool = False,
    has_urls: bool = False,
) -> Result[ResourceRow]:
    since = since_of(filters.period, filters.now)
    question = question_of(filters)
    is_of_loads = question == OF_LOADS
    parameters = {
        **(filters.parameters if is_of_loads else filters.parameters_of_days),
        "since": since,
        "has_types": has_types,
        "has_urls": has_urls,
        "navigation_type": NAVIGATE,
        "page": page,
        "type": resource_type,
    }
    build = last_build(warehouse, "resource_metrics_daily", *([LOADS] if is_of_loads else []))

    def ask() -> list[Row]:
        return warehouse.rows(sql.query(question), parameters)

    # The client caches results of marts alone; the other question reads raw rows, too.
    rows = ask() if not is_of_loads else warehouse.cached((question, repr(parameters), build.rows), ask)
    return Result([resource_row(row) for row in rows], build.as_of)


def question_of(filters: Filters) -> str:
    """The file of the question: the daily mart lacks hours and some filters."""
    is_of_loads = filters.is_of_loads or begun_days(since_of(filters.period, filters.now))
    return OF_LOADS if is_of_loads else BUILT


def in_order_of_types(rows: Iterable[ResourceRow]) -> list[ResourceRow]:
    return sorted(rows, key=lambda row: TYPES.index(row.type))


def resource_row(row: Row) -> ResourceRow:
    sized, blocked = row["sized"], row["blocking"]
    return ResourceRow(
        type=row["resource_type"],
        url=row["resource_url"],
        host=row["resource_host"],
        view_count=row["views"],
        resource_count=row["loads"],
        cached_count=row["cached"],
        sized_count=sized,
        blocking_count=blocked,
        error_count=row["errors"],
        transfer_bytes=row["transferred"],
        body_bytes=row["body"] / sized if sized else None,
        # No SDK reports it for calls.
        decoded_bytes=row["decoded"] / sized if sized and row["decoded"] else None,
        duration_ms=known_percentiles(row),
        avg_ms=row["spent_ms"] / row["loads"] if row["loads"] else None,
        delay_ms=row["delay_ms"] / blocked if blocked else None,
    )
