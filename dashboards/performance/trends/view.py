"""The trend of a metric: weeks with their changes, shifts, and the releases that began in its time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import dropwhile

import plotly.graph_objects as go

from dashboards.performance.metrics import TREND_METRICS
from dashboards.performance.trend import every_week
from dashboards.shared.metrics import figure, unit_of
from errata.performance.filters import Filters
from errata.period import Period
from errata.reports import charts, formats
from errata.reports.chart_marks import with_annotations, with_changes, with_deploys
from errata.state.annotations import Annotation
from errata.statistics.weekly_change import WeeklyChange, weekly_change
from errata.warehouse.at_once import all_three
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import page_views
from errata.warehouse.queries.performance.page_detail import page_names
from errata.warehouse.queries.performance.page_views import TrendRow
from errata.warehouse.queries.performance.release_starts import ReleaseStart, release_starts
from errata.warehouse.queries.performance.shifts import Shift, shifts

# The pages to choose from are those viewed lately.
PAGES_PERIOD = Period("4w")


@dataclass(frozen=True)
class Trend:
    """`days` are the daily values that weeks are compared by."""

    weeks: Sequence[TrendRow]
    days: Mapping[date, float]
    shifts: Sequence[Shift]
    starts: Sequence[ReleaseStart]
    page_names: Sequence[str]
    analyzed_at: datetime | None

    @property
    def has_samples(self) -> bool:
        return any(week.sample_count for week in self.weeks)


def fetch_trend(warehouse: Warehouse, project_id: int, filters: Filters, metric: str, page: str) -> Trend:
    since, last_day = filters.range.since, filters.range.last_day
    monday = since - timedelta(days=since.weekday())
    weekly, (days, found, starts), names = all_three(
        lambda: page_views.trend(warehouse, filters, metric, page),
        lambda: (
            page_views.daily_p75(warehouse, filters, metric, page),
            shifts(warehouse, project_id, filters.environment, metric, page),
            release_starts(warehouse, project_id, monday, filters.environment),
        ),
        lambda: page_names(warehouse, replace(filters, period=PAGES_PERIOD)),
    )
    return Trend(
        weeks=every_week(weekly.rows, monday.date(), last_day),
        days=days,
        shifts=[shift for shift in found.rows if monday.date() <= shift.day <= last_day],
        starts=starts,
        page_names=names,
        analyzed_at=found.as_of,
    )


def trend_figure(trend: Trend, metric: str, annotations: Sequence[Annotation]) -> go.Figure:
    deploys = [(start.began_at, start.release) for start in trend.starts]
    drawn = charts.weekly_trend(trend.weeks, TREND_METRICS[metric], unit_of(metric))
    drawn = with_annotations(with_deploys(drawn, deploys), annotations)
    changes = [
        (shift.day, formats.change(shift.change_ratio), shift.release)
        for shift in trend.shifts
        if shift.kind == "step"
    ]
    return with_changes(drawn, changes)


@dataclass(frozen=True, slots=True)
class Week:
    row: TrendRow
    change: WeeklyChange | None
    is_over: bool

    @property
    def word(self) -> str:
        """slower, faster or steady, where it is known."""
        if self.change is None or self.change.low is None or self.change.high is None:
            return ""
        if self.change.low > 0:
            return "slower"
        return "faster" if self.change.high < 0 else "steady"


def weeks_with_changes(weeks: Sequence[TrendRow], days: Mapping[date, float], today: date) -> list[Week]:
    """The latest first, from the first with samples; a partial week is compared on the days it has."""
    shown = list(dropwhile(lambda week: not week.sample_count, weeks))
    return [
        Week(row, weekly_change(days, row.start), row.start + timedelta(days=7) <= today)
        for row in reversed(shown)
    ]


def shift_words(change: Shift) -> str:
    return f"{figure(change.metric, change.level_before)} → {figure(change.metric, change.level_after)}"


def dates(change: Shift) -> str:
    """When it may have changed, or for how long it drifts; empty: the day is sure."""
    if change.first_day == change.last_day:
        return ""
    return f"{change.first_day} to {change.last_day}"
