"""One page: figures, trend, resources, shares and real loads."""

from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from api.parameters import Period
from dashboards.performance.metrics import TREND_METRICS
from dashboards.performance.trend import deploys, every_day, every_week
from dashboards.shared.chart_json import chart_json
from dashboards.shared.metrics import figure, unit_of
from errata.performance.filters import Filters
from errata.reports import charts
from errata.reports.chart_marks import with_deploys
from errata.warehouse.at_once import submitted
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import page_detail, page_views, resources
from errata.warehouse.queries.performance.page_detail import Loads, Shares
from errata.warehouse.queries.performance.page_views import NAVIGATE, PageRow, Percentiles, Result, TrendRow
from errata.warehouse.queries.performance.resources import Breakdown, Choice, ResourceRow
from errata.warehouse.queries.period import since_of

# More days than this are read by the week.
MOST_DAYS = Period("6w")
DEFAULT_METRIC = "load_ms"
MOST_URLS = 12
CHOICE = Choice(urls=MOST_URLS, blocking=MOST_URLS, sort="decoded_bytes")
CALLS = Choice(urls=MOST_URLS, type="api")


@dataclass(frozen=True)
class Trend:
    figure: Markup | None
    title: str
    note: str
    words: str


@dataclass(frozen=True)
class PageDetail:
    rows: list[PageRow]
    loads: Loads
    loaded: Breakdown
    calls: list[ResourceRow]
    """API calls by URL, the most frequent first."""
    shares: Shares
    trend: Trend
    as_of: datetime | None


def detail_of(warehouse: Warehouse, filters: Filters, page: str, metric: str) -> PageDetail:
    """Queries run at the same time, but for real loads, which the page's percentiles choose."""
    by = "day" if Period(filters.period).length <= MOST_DAYS.length else "week"
    metric = metric if metric in TREND_METRICS else DEFAULT_METRIC
    rows = submitted(lambda: page_views.trend(warehouse, filters, metric, page, by).rows)
    loaded = submitted(lambda: resources.breakdown(warehouse, filters, page, CHOICE))
    calls = submitted(lambda: resources.breakdown(warehouse, filters, page, CALLS).urls)
    shares = submitted(lambda: page_detail.shares(warehouse, filters, page))
    starts = submitted(lambda: deploys(warehouse, filters))
    answer, loads = _real_loads(warehouse, filters, page)
    trend = _trend(rows.result(), filters, metric, by, starts.result())
    return PageDetail(
        answer.rows, loads, loaded.result(), calls.result(), shares.result(), trend, answer.as_of
    )


def _real_loads(warehouse: Warehouse, filters: Filters, page: str) -> tuple[Result[PageRow], Loads]:
    answer = page_views.page_rows(warehouse, filters, page)
    first = answer.rows[0] if answer.rows else None
    known = first["load_ms"] if first and first.navigation_type == NAVIGATE else Percentiles()
    return answer, page_detail.loads_of_page(warehouse, filters, page, known)


def _trend(
    rows: list[TrendRow], filters: Filters, metric: str, by: str, starts: list[tuple[datetime, str]]
) -> Trend:
    name, unit = TREND_METRICS[metric], unit_of(metric)
    since, today = since_of(filters.period, filters.now).date(), filters.now.date()
    shown = every_day(rows, since, today) if by == "day" else every_week(rows, since, today)
    last = next((one for one in reversed(shown) if one.sample_count), None)
    unit_words = "UTC day" if by == "day" else "ISO week, UTC"
    note = f"by {unit_words}; current {by} is partial; dotted lines mark releases"
    if last is None:
        return Trend(None, name, note, "No data yet")
    drawn = charts.daily_trend if by == "day" else charts.weekly_trend
    words = f"{name} by {by}: latest p75 is {figure(metric, last.p75)}"
    return Trend(chart_json(with_deploys(drawn(shown, name, unit), starts)), name, note, words)
