"""Page views, as of the last build."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Generic, NamedTuple, TypeVar

from errata.clock import utc
from errata.performance.filters import Filters
from errata.performance.metric import BOUNDS_OF_LOAD, LOAD, SHOWN, TIMINGS
from errata.period import TREND_STEPS, Period
from errata.statistics.weekly_change import MOST_EARLIER, WEEK
from errata.warehouse import sql
from errata.warehouse.at_once import both
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.performance.unended import Unended, unended_of
from errata.warehouse.queries.progress import last_build

NAVIGATE = "navigate"
DAYS, LOADS = "page_metrics_daily", "page_loads"
# A percentile of fewer says more about chance than about the page.
FEWEST_TO_COMPARE = 20
METRICS = tuple(metric.name for metric in TIMINGS)
# A cell with as many samples keeps a digest of them, not the samples.
FEWEST_OF_A_DIGEST = 1_000

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Result(Generic[Kind]):
    """A result with the build it is from; `as_of` is None before the first one."""

    rows: list[Kind]
    as_of: datetime | None


class Percentiles(NamedTuple):
    """None if nothing was measured."""

    p50: float | None = None
    p75: float | None = None
    p95: float | None = None


@dataclass(frozen=True, slots=True)
class PageRow:
    """One page and kind of navigation. `resources_ms` is the median over views, `api_ms` the mean of
    calls."""

    page: str
    navigation_type: str
    view_count: int
    percentiles: Mapping[str, Percentiles]
    """The percentiles of each metric that pages show by percentiles."""
    resources_ms: float | None
    api_ms: float | None
    api_call_count: int
    changes: Mapping[str, float | None]
    """The p75 of compared metrics vs the previous period, 0.1: a tenth more; None under 20 samples on either
    side, of the load time under 20 views."""
    view_count_before: int = 0
    """Views in the previous period; 0 if not compared."""
    unended: Unended = field(default_factory=Unended)
    """Loads whose end was not reported: percentiles of the load time are at least what they say."""

    def __getitem__(self, metric: str) -> Percentiles:
        return self.percentiles[metric]

    def unended_of(self, metric: str) -> Unended:
        """None of metrics other than the load time."""
        return self.unended if metric == LOAD else Unended()

    def is_estimated(self, filters: Filters) -> bool:
        """Whether its percentiles are a digest's because of the filters: with those that days do not tell
        apart, the period is one cell."""
        return filters.is_of_loads and self.view_count >= FEWEST_OF_A_DIGEST

    @property
    def change_ratio(self) -> float | None:
        """Of the load time."""
        return self.changes.get("load_ms")


@dataclass(frozen=True, slots=True)
class TrendRow:
    """One week (by its Monday), UTC day or hour of one metric; the start of an hour is a datetime."""

    start: date
    view_count: int
    sample_count: int
    p50: float | None
    p75: float | None
    p95: float | None
    change_ratio: float | None
    """p75 compared with the week, day or hour before; of a week that is not over, its whole hours with the
    same hours of the week before. None under 20 samples on either side."""
    unended: Unended = field(default_factory=Unended)
    """Of the load time alone."""


def pages(warehouse: Warehouse, filters: Filters, *, is_compared: bool = True) -> Result[PageRow]:
    """Pages, the busiest first; `change_ratio` only if compared with the previous period."""
    result = _page_metrics(warehouse, filters, has_pages=True, is_compared=is_compared)
    return Result(_busiest_first(result.rows), result.as_of)


def pages_and_overview(warehouse: Warehouse, filters: Filters) -> tuple[Result[PageRow], list[PageRow]]:
    """Pages, and all of them together: one row a kind of navigation, page loads first. Both are of one
    moment."""
    result = _page_metrics(warehouse, filters, has_pages=True, has_whole=True, is_compared=True)
    whole = [row for row in result.rows if row["is_whole"]]
    pages = _busiest_first([row for row in result.rows if not row["is_whole"]])
    return Result(pages, result.as_of), _loads_first(whole)


def all_pages(warehouse: Warehouse, filters: Filters, compared: Sequence[str]) -> Result[PageRow]:
    """All pages together: a row a kind of navigation, page loads first, with changes of these metrics."""
    result = _page_metrics(warehouse, filters, has_whole=True, is_compared=True, compared=compared)
    return Result(_loads_first(result.rows), result.as_of)


def page_rows(warehouse: Warehouse, filters: Filters, page: str) -> Result[PageRow]:
    """One page: a row a kind of navigation, page loads first."""
    result = _page_metrics(warehouse, filters, has_pages=True, is_compared=True, page=page)
    return Result(_loads_first(result.rows), result.as_of)


def load_of_page(warehouse: Warehouse, filters: Filters, page: str) -> Percentiles:
    """The load time of a page's loads; None without any."""
    return percentiles_of_loads(page_rows(warehouse, filters, page).rows, LOAD)


def percentiles_of_loads(rows: Sequence[PageRow], metric: str) -> Percentiles:
    """Those of page loads, among the kinds of navigation of one page; None without any."""
    loads = (row for row in rows if row.navigation_type == NAVIGATE)
    return next((row[metric] for row in loads), Percentiles())


def trend(
    warehouse: Warehouse,
    filters: Filters,
    metric: str = "load_ms",
    page: str = "",
    by: str = "week",
    navigation_type: str = NAVIGATE,
) -> Result[TrendRow]:
    """The trend, oldest first; weeks are whole, so the first may begin before the period. None without
    views."""
    result = _page_metrics(warehouse, filters, has_whole=True, page=page, bucket=by, metrics=(metric,))
    starts: dict[date, dict[str, Row]] = {}
    for row in result.rows:
        if row["navigation_type"] == navigation_type:
            moment = utc(row["bucket_start"])
            start = moment if by == "hour" else moment.date()
            starts.setdefault(start, {})[row["metric"]] = row
    step = TREND_STEPS[by]
    found = [
        _trend_row(start, metrics, starts.get(start - step, {}), metric)
        for start, metrics in sorted(starts.items())
    ]
    today = filters.now.astimezone(UTC).date()
    running = today - timedelta(days=today.weekday())
    # Loads of clocks ahead may lie in the week after it.
    for number, week in enumerate(found):
        if by == "week" and week.start == running:
            change = _change_so_far(warehouse, filters, running, metric, page, navigation_type)
            found[number] = replace(week, change_ratio=change)
    return Result(found, result.as_of)


def vitals_over_time(
    warehouse: Warehouse, filters: Filters, metrics: Sequence[str]
) -> dict[datetime, dict[str, Row]]:
    """Rows of page loads by metric, and `view`, by the start of each step of the period that has any."""
    step = filters.range.trend_step
    found: dict[datetime, dict[str, Row]] = {}
    for row in _page_metrics(warehouse, filters, has_whole=True, bucket=step, metrics=metrics).rows:
        if row["navigation_type"] == NAVIGATE:
            found.setdefault(utc(row["bucket_start"]), {})[row["metric"]] = row
    return found


def _change_so_far(
    warehouse: Warehouse, filters: Filters, monday: date, metric: str, page: str, navigation_type: str
) -> float | None:
    """Of the p75 of this week's whole hours compared with the same hours of the week before."""
    since = datetime.combine(monday, time(), UTC)
    until = filters.now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    if until <= since:
        return None

    def rows_of(back: timedelta) -> dict[str, Row]:
        period = Period.between(since - back, until - back, filters.now)
        of_period = replace(filters, period=period)
        rows = _page_metrics(warehouse, of_period, has_whole=True, page=page, metrics=(metric,)).rows
        return {row["metric"]: row for row in rows if row["navigation_type"] == navigation_type}

    own, before = both(lambda: rows_of(timedelta()), lambda: rows_of(TREND_STEPS["week"]))
    return _change(own, before, metric, counted_by=metric)


def daily_p75(warehouse: Warehouse, filters: Filters, metric: str, page: str = "") -> dict[date, float]:
    """The p75 of days with enough samples to compare, to yesterday: from as many weeks before the period as
    tell how much weeks vary. Filters that daily marts lack are answered from page loads of the period."""
    since, today = filters.range.since.date(), filters.range.shown_until.date()
    if filters.is_of_loads:
        days = trend(warehouse, filters, metric, page, by="day").rows
        enough = (day for day in days if day.sample_count >= FEWEST_TO_COMPARE and day.start < today)
        return {day.start: day.p75 for day in enough if day.p75 is not None}
    parameters = {
        **filters.parameters_of_days,
        "page": page,
        "metric": metric,
        "since": since - timedelta(days=since.weekday()) - (MOST_EARLIER + 1) * WEEK,
        "until": today,
        "fewest_samples": FEWEST_TO_COMPARE,
    }
    return {row["day"]: row["p75"] for row in warehouse.rows(sql.query("days_of_metric"), parameters)}


def _page_metrics(
    warehouse: Warehouse,
    filters: Filters,
    *,
    has_pages: bool = False,
    has_whole: bool = False,
    is_compared: bool = False,
    compared: Sequence[str] = ("load_ms",),
    page: str = "",
    bucket: str = "period",
    metrics: Sequence[str] = METRICS,
) -> Result[Row]:
    chosen = filters.range
    since, until = chosen.first_monday if bucket == "week" else chosen.since, chosen.until
    before = chosen.before if is_compared else since
    own = ["view", *metrics, *(BOUNDS_OF_LOAD if LOAD in metrics else ())]
    parameters = {
        **filters.parameters,
        "before": before,
        "since": since,
        "until": until,
        "days_of_loads": days_of_loads(filters, before, since, until, is_by_hour=bucket == "hour"),
        "bucket": bucket,
        "has_pages": has_pages,
        "has_whole": has_whole,
        "metrics": own,
        "metrics_before": ["view", *compared] if bucket == "period" else own,
        "page": page,
    }
    as_of = last_build(warehouse, parameters, DAYS, LOADS).as_of
    return Result(warehouse.rows(sql.query("page_metrics"), parameters), as_of)


def days_of_loads(filters: Filters, *moments: datetime, is_by_hour: bool = False) -> list[date]:
    """The days to count from page loads: every day for hours, and for a filter that daily marts lack."""
    if not filters.is_of_loads and not is_by_hour:
        return begun_days(*moments)
    # Loads are dated an hour ahead at most.
    first, last = min(moments).date(), min(max(moments), filters.now + timedelta(days=1)).date()
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def begun_days(*moments: datetime) -> list[date]:
    """Days on which a range begins or ends in the middle: they are counted by the hour."""
    return sorted({moment.date() for moment in moments if moment.hour})


def _by_kind(rows: Iterable[Row]) -> list[PageRow]:
    """A row for each page and kind of navigation with views."""
    kinds: dict[tuple[str, str], tuple[dict[str, Row], dict[str, Row]]] = {}
    for row in rows:
        kind = kinds.setdefault((row["page_name"], row["navigation_type"]), ({}, {}))
        kind[bool(row["is_before"])][row["metric"]] = row
    return [page_row(own, before) for own, before in kinds.values() if _count(own, "view")]


def _busiest_first(rows: Iterable[Row]) -> list[PageRow]:
    return sorted(_by_kind(rows), key=lambda row: (-row.view_count, row.page, row.navigation_type))


def _loads_first(rows: Iterable[Row]) -> list[PageRow]:
    return sorted(_by_kind(rows), key=lambda row: (row.navigation_type != NAVIGATE, -row.view_count))


def page_row(metrics: Mapping[str, Row], before: Mapping[str, Row]) -> PageRow:
    """A row by metric; `before`: the same row in the previous period."""

    view, calls = metrics["view"], metrics.get("api_ms")
    return PageRow(
        page=view["page_name"],
        navigation_type=view["navigation_type"],
        view_count=view["sample_count"],
        percentiles={one.name: known_percentiles(metrics.get(one.name)) for one in SHOWN},
        resources_ms=known_percentiles(metrics.get("resources_ms")).p50,
        api_ms=calls["value_sum"] / calls["sample_count"] if calls else None,
        api_call_count=calls["sample_count"] if calls else 0,
        changes={
            metric: _change(metrics, before, metric, counted_by="view" if metric == "load_ms" else metric)
            for metric in before
        },
        view_count_before=_count(before, "view"),
        unended=unended_of(metrics),
    )


def _trend_row(start: date, metrics: Mapping[str, Row], before: Mapping[str, Row], metric: str) -> TrendRow:
    known = known_percentiles(metrics.get(metric))
    return TrendRow(
        start=start,
        view_count=_count(metrics, "view"),
        sample_count=_count(metrics, metric),
        p50=known.p50,
        p75=known.p75,
        p95=known.p95,
        change_ratio=_change(metrics, before, metric, counted_by=metric),
        unended=unended_of(metrics) if metric == LOAD else Unended(),
    )


def known_percentiles(row: Row | None) -> Percentiles:
    if row is None:
        return Percentiles()
    return Percentiles(*(None if math.isnan(value) else value for value in row["percentiles"]))


def _count(metrics: Mapping[str, Row], metric: str) -> int:
    return int(metrics[metric]["sample_count"]) if metric in metrics else 0


def _change(
    metrics: Mapping[str, Row], before: Mapping[str, Row], metric: str, counted_by: str
) -> float | None:
    """The change of the p75; None if either side has too few views."""
    own, other = known_percentiles(metrics.get(metric)).p75, known_percentiles(before.get(metric)).p75
    fewest = min(_count(metrics, counted_by), _count(before, counted_by))
    if own is None or not other or fewest < FEWEST_TO_COMPARE:
        return None
    return own / other - 1
