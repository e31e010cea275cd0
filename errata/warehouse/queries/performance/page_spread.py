"""How metrics of one page are spread over its loads: by rating, by size, and by who loaded it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from errata.performance.filters import Filters
from errata.performance.metric import PAGE_METRICS
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.page_views import (
    DAYS,
    LOADS,
    page_rows,
    percentiles_of_loads,
)
from errata.warehouse.typed_rows import typed

# The three that web.dev calls core.
CORE_VITALS = ("lcp_ms", "inp_ms", "cls")
# Of a histogram, the open one too; the last mark stands before its end.
MOST_BINS = 30
BEYOND = 1.15
# Of a threshold, or of a power of ten: spans that begin and end at round values.
PARTS = (200, 100, 50, 20, 10, 5, 4, 2, 1)


@dataclass(frozen=True, slots=True)
class Ratings:
    """Page loads that measured a vital, by rating."""

    metric: str
    good_count: int
    fair_count: int
    poor_count: int

    @property
    def load_count(self) -> int:
        return self.good_count + self.fair_count + self.poor_count


@dataclass(frozen=True, slots=True)
class Histogram:
    """Loads by spans of equal width, in the metric's unit; the last count is of all above, too."""

    metric: str
    width: float
    counts: Sequence[int]


@dataclass(frozen=True, slots=True)
class Split:
    """Loads of one device, browser or country; `p75` None: the metric was not measured."""

    split: str
    name: str
    """Empty: unknown."""
    view_count: int
    sample_count: int
    p75: float | None


def ratings(warehouse: Warehouse, filters: Filters, page: str) -> list[Ratings]:
    """Of each core web vital that loads measured, in their usual order."""
    bounds = [PAGE_METRICS[name].rating or (math.inf, math.inf) for name in CORE_VITALS]
    parameters = {
        **_loads_of(filters, page),
        "metrics": list(CORE_VITALS),
        "good_through": [good for good, _ in bounds],
        "poor_above": [poor for _, poor in bounds],
    }
    rows = warehouse.rows(sql.query("ratings_of_page"), parameters)
    found = [typed(Ratings, row) for row in rows]
    return sorted(found, key=lambda one: CORE_VITALS.index(one.metric))


def histogram(warehouse: Warehouse, filters: Filters, page: str, metric: str) -> Histogram | None:
    """In spans that the p95 is well within; None without loads that measured the metric."""
    whole = warehouse.noted(
        (histogram, filters.chosen, page, metric),
        lambda read: histogram(read, filters, page, metric),
        [f"errata_mart.{mart}" for mart in (LOADS, DAYS)],
    )
    with whole:
        p95 = percentiles_of_loads(page_rows(warehouse, filters, page).rows, metric).p95
        if p95 is None:
            return None
        width, count = spans(metric, p95)
        parameters = {**_loads_of(filters, page), "metric": metric, "width": width, "last_bin": count - 1}
        rows = warehouse.rows(sql.query("histogram_of_page"), parameters)
    counts = {row["bin"]: row["sample_count"] for row in rows}
    return Histogram(metric, width, [counts.get(number, 0) for number in range(count)]) if counts else None


def splits(warehouse: Warehouse, filters: Filters, page: str, metric: str) -> dict[str, list[Split]]:
    """By device, browser and country, the most loads first; of all loads, without the filter they split by.
    No countries where none is known."""
    shared = replace(filters, device="", browser="", country="")
    rows = warehouse.rows(sql.query("splits_of_page"), {**_loads_of(shared, page), "metric": metric})
    found: dict[str, list[Split]] = {"device": [], "browser": [], "country": []}
    for row in rows:
        p75 = None if math.isnan(row["p75"]) else row["p75"]
        found[row["split"]].append(typed(Split, row, p75=p75))
    if not any(one.name for one in found["country"]):
        found["country"] = []
    return found


def spans(metric: str, highest: float) -> tuple[float, int]:
    """Width and number of a histogram's spans: as fine as few enough allow, with thresholds between two."""
    wanted = max(highest, 0.0) * BEYOND
    bounds = PAGE_METRICS[metric].rating
    base = bounds[0] if bounds else 10.0 ** math.ceil(math.log10(wanted or 1.0))
    parts = [part for part in PARTS if bounds is None or _is_whole(bounds[1] / bounds[0] * part)]
    for part in parts:
        count = math.floor(wanted / base * part) + 1
        if count < MOST_BINS:
            return base / part, count + 1
    widest = base / parts[-1]
    return widest * math.ceil(wanted / widest / (MOST_BINS - 1)), MOST_BINS


def _is_whole(value: float) -> bool:
    return math.isclose(value, round(value))


def _loads_of(filters: Filters, page: str) -> dict[str, object]:
    return {
        **filters.parameters,
        "since": filters.range.since,
        "until": filters.range.until,
        "page": page,
    }
