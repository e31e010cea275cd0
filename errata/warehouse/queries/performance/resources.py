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
from errata.warehouse.queries.progress import LastBuild, last_build, once_a_build

Impact = Literal["high", "medium", "low"]
BUILT, OF_LOADS = "resource_metrics_built", "resource_metrics"
ALL = 2**32 - 1
TYPES = ("script", "style", "image", "font", "api", "media", "document", "other")
# Mean delay of the first paint by one blocking load.
HIGH_IMPACT_MS = 300
MEDIUM_IMPACT_MS = 100
# Who blocks for less, such as a file from the cache, has nothing to save.
LEAST_DELAY_MS = 1


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
        return self._per_view(self.body_bytes)

    @property
    def decoded_bytes_per_view(self) -> float | None:
        """Decompressed bytes of the same files."""
        return self._per_view(self.decoded_bytes)

    def _per_view(self, mean: float | None) -> float | None:
        return mean * self.sized_count / self.view_count if mean is not None and self.view_count else None

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
    told, as_of = _told(warehouse, filters, page, Choice(urls=0))
    return Result(told.types, as_of)


def by_url(
    warehouse: Warehouse, filters: Filters, page: str = "", resource_type: str = ""
) -> Result[ResourceRow]:
    """URLs, the most loaded first; `(other)` stands for those beyond the 100 most loaded of a page, day and
    type."""
    told, as_of = _told(warehouse, filters, page, Choice(type=resource_type, urls=ALL), has_types=False)
    return Result(told.urls, as_of)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which URLs are told: of a type (empty: all), the first `urls` by a column of ResourceRow, and the first
    `blocking` of those that block the first paint for a millisecond or more, by their mean delay. URLs with
    an unknown value and `(other)` come last. Without a sort the most loaded come first."""

    urls: int
    blocking: int = 0
    type: str = ""
    sort: str = ""
    is_descending: bool = True

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "has_urls": bool(self.urls or self.blocking),
            "type": self.type,
            "sort": self.sort,
            "is_descending": self.is_descending,
            "url_limit": self.urls,
            "blocking_limit": self.blocking,
        }


@dataclass(frozen=True, slots=True)
class Told:
    """Types in the order of TYPES, and the URLs chosen; `url_count`: all there are of the chosen type."""

    types: list[ResourceRow]
    urls: list[ResourceRow]
    blocking: list[ResourceRow]
    url_count: int


@dataclass(frozen=True, slots=True)
class Breakdown(Told):
    as_of: datetime | None
    question: str
    """The file of the question."""


def breakdown(warehouse: Warehouse, filters: Filters, page: str, choice: Choice) -> Breakdown:
    """All of one moment."""
    told, as_of = _told(warehouse, filters, page, choice)
    return Breakdown(told.types, told.urls, told.blocking, told.url_count, as_of, question_of(filters))


def told_of(rows: Iterable[Row], choice: Choice) -> Told:
    """What rows of `resources_told` say."""
    found = list(rows)
    urls = [row for row in found if row["resource_url"]]
    held = sorted((row for row in urls if row["blocking_place"]), key=lambda row: row["blocking_place"])
    blocking = [resource_row(row) for row in held[: choice.blocking]]
    return Told(
        sorted(
            (resource_row(row) for row in found if not row["resource_url"]),
            key=lambda row: TYPES.index(row.type),
        ),
        [resource_row(row) for row in urls if row["place"] <= choice.urls],
        [row for row in blocking if row.delay_ms is not None and row.delay_ms >= LEAST_DELAY_MS],
        urls[0]["url_count"] if urls else 0,
    )


def _told(
    warehouse: Warehouse, filters: Filters, page: str, choice: Choice, has_types: bool = True
) -> tuple[Told, datetime | None]:
    question = question_of(filters)
    is_of_loads = question == OF_LOADS
    parameters = {
        **(filters.parameters if is_of_loads else filters.parameters_of_days),
        **choice.parameters,
        "since": filters.range.since,
        "until": filters.range.until,
        "has_types": has_types,
        "navigation_type": NAVIGATE,
        "page": page,
    }

    def ask(read: Warehouse, _: LastBuild) -> list[Row]:
        return read.rows(sql.query(question), parameters)

    marts = marts_of(question)
    if not is_of_loads:
        # The client keeps results of marts alone; the other question reads raw rows, too.
        build = last_build(warehouse, parameters, *marts)
        return told_of(ask(warehouse, build), choice), build.as_of
    rows, build = once_a_build(warehouse, (question, repr(parameters)), parameters, marts, ask)
    return told_of(rows, choice), build.as_of


def marts_of(question: str) -> Sequence[str]:
    return ("resource_metrics_daily", *([LOADS] if question == OF_LOADS else []))


def question_of(filters: Filters) -> str:
    """The file of the question: the daily mart lacks hours and some filters."""
    is_of_loads = filters.is_of_loads or begun_days(filters.range.since, filters.range.until)
    return OF_LOADS if is_of_loads else BUILT


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
