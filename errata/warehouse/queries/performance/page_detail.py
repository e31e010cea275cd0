"""Real loads of one page, and the shares of devices, browsers and countries."""

import math
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from errata.performance.filters import Filters
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.performance.page_views import DAYS, LOADS, Percentiles, load_of_page
from errata.warehouse.typed_rows import typed

LOADS_SHOWN = 10
# Among this many loads one is close to any percentile: older loads need not be read.
ENOUGH_LOADS = 200
STRETCHES = (timedelta(days=1), timedelta(days=3))


@dataclass(frozen=True, slots=True)
class LoadRow:
    """One real page load; `view_id` finds its waterfall, fastest with day and trace."""

    view_id: str
    trace_id: str
    """Empty: the SDK named none."""
    occurred_at: datetime
    received_at: datetime
    environment: str
    release: str
    device: str
    browser: str
    load_ms: float
    lcp_ms: float | None
    is_near_p50: bool
    is_near_p95: bool
    place: int
    """Rank by load time; 1: the slowest."""
    resource_count: int
    """Resources and calls sent with the load; 0: only its timings are known."""


@dataclass(frozen=True, slots=True)
class Loads:
    """Loads to show; `counted` loads were read, since `since`."""

    rows: list[LoadRow]
    counted: int
    since: datetime

    @property
    def near_p50(self) -> LoadRow | None:
        return next((row for row in self.rows if row.is_near_p50), None)

    @property
    def near_p95(self) -> LoadRow | None:
        return next((row for row in self.rows if row.is_near_p95), None)

    @property
    def slowest(self) -> list[LoadRow]:
        return [row for row in self.rows if row.place <= LOADS_SHOWN]


@dataclass(frozen=True, slots=True)
class Share:
    name: str
    view_count: int
    ratio: float


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of page loads; a name is empty if the user agent does not tell."""

    devices: list[Share]
    browsers: list[Share]
    countries: list[Share]
    """Codes of ISO 3166-1; no shares where no country is known."""


def loads_of_page(warehouse: Warehouse, filters: Filters, page: str) -> Loads:
    """The slowest loads, and those nearest to the page's p50 and p95, rather with resources: of the last
    days if these have enough."""
    whole = warehouse.noted(
        (loads_of_page, filters.chosen, page),
        lambda read: loads_of_page(read, filters, page),
        [f"errata_mart.{mart}" for mart in (LOADS, DAYS)],
    )
    with whole:
        load, since = load_of_page(warehouse, filters, page), filters.range.since
        hour = filters.range.shown_until.replace(minute=0, second=0, microsecond=0)
        for begin in (hour - stretch for stretch in STRETCHES):
            found = _loads(warehouse, filters, page, load, max(begin, since))
            if found.counted >= ENOUGH_LOADS or begin <= since:
                return found
        return _loads(warehouse, filters, page, load, since)


def shares(warehouse: Warehouse, filters: Filters, page: str = "") -> Shares:
    # Shares are of all loads, without the filter they divide by.
    shared = replace(filters, device="", browser="", country="")
    parameters = {
        **shared.parameters,
        "since": filters.range.since,
        "until": filters.range.until,
        "page": page,
    }
    rows = warehouse.rows(sql.query("shares_of_views"), parameters)
    countries = _shares(rows, "country") if any(row["country"] for row in rows) else []
    return Shares(_shares(rows, "device"), _shares(rows, "browser"), countries)


def _loads(warehouse: Warehouse, filters: Filters, page: str, load: Percentiles, since: datetime) -> Loads:
    rows = warehouse.rows(
        sql.query("loads_of_page"),
        {
            **filters.parameters,
            "since": since,
            "until": filters.range.until,
            "page": page,
            "p50": math.nan if load.p50 is None else load.p50,
            "p95": math.nan if load.p95 is None else load.p95,
            "limit": LOADS_SHOWN,
        },
    )
    return Loads([typed(LoadRow, row) for row in rows], rows[0]["counted"] if rows else 0, since)


def _shares(rows: list[Row], column: str) -> list[Share]:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row[column]] = counts.get(row[column], 0) + row["views"]
    total = sum(counts.values())
    found = [Share(name, count, count / total) for name, count in counts.items()]
    return sorted(found, key=lambda share: (-share.view_count, share.name))


def page_names(warehouse: Warehouse, filters: Filters) -> list[str]:
    """Pages viewed in the period, as of the last build, the most viewed first."""
    since = filters.range.since.replace(hour=0)
    scope = {"projects": list(filters.projects), "since": since}
    return [row["page_name"] for row in warehouse.rows(sql.query("pages_of_projects"), scope)]
