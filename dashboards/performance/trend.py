"""The steps of a trend, and the releases that began in its time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from markupsafe import Markup

from dashboards.performance.metrics import TREND_METRICS
from dashboards.shared.addresses import View
from dashboards.shared.chart_json import chart_json
from dashboards.shared.metrics import figure, unit_of
from dashboards.shared.periods import is_compared
from errata.performance.filters import Filters
from errata.period import HOUR, TREND_STEPS, TimeRange
from errata.reports import charts
from errata.reports.chart_marks import with_annotations, with_deploys
from errata.reports.unended import steps_note
from errata.state.annotations import Annotation
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import page_views, release_starts
from errata.warehouse.queries.performance.page_views import TrendRow

UNIT_WORDS = {"hour": "hour", "day": "UTC day", "week": "ISO week, UTC"}


@dataclass(frozen=True)
class Trend:
    """`words` are for whom the figure is not drawn; no figure where nothing was measured."""

    figure: Markup | None
    title: str
    note: str
    words: str


def drawn_trend(
    rows: Sequence[TrendRow],
    chosen: TimeRange,
    metric: str,
    title: str,
    deploys: Sequence[tuple[datetime, str]],
    annotations: Sequence[Annotation],
    before: Sequence[TrendRow] | None = None,
) -> Trend:
    """`before`: the rows of the period before, where it is compared."""
    by = chosen.trend_step
    steps = every_step(rows, chosen, by)
    last = next((one for one in reversed(steps) if one.sample_count), None)
    partial = f"; current {by} is partial" if chosen.is_open else ""
    note = f"by {UNIT_WORDS[by]}{partial}; dotted lines mark releases{least_note(steps)}"
    if last is None:
        return Trend(None, title, note, "No data yet")
    figure_of_steps = charts.trend(steps, TREND_STEPS[by], TREND_METRICS[metric], unit_of(metric))
    if before is not None:
        earlier = [row.p75 for row in every_step(before, chosen.previous, by)]
        figure_of_steps = charts.with_before(figure_of_steps, earlier, unit_of(metric), "p75,")
    words = f"{title} by {by}: latest p75 is {figure(metric, last.p75)}"
    marked = with_annotations(with_deploys(figure_of_steps, deploys), annotations)
    return Trend(chart_json(marked), title, note, words)


def least_note(steps: Sequence[TrendRow]) -> str:
    """For the load time, where loads that had not ended may raise it."""
    note = steps_note([step.unended for step in steps])
    return f"; {note}" if note else ""


def every_step(rows: Sequence[TrendRow], chosen: TimeRange, by: str) -> list[TrendRow]:
    """Steps without views are part of the picture."""
    if by == "hour":
        last = chosen.shown_until - timedelta(microseconds=1)
        return _filled(rows, _starts(chosen.since, _with_ahead(last, rows, chosen), HOUR))
    if by == "day":
        last_day = _with_ahead(chosen.last_day, rows, chosen)
        return _filled(rows, _starts(chosen.since.date(), last_day, TREND_STEPS["day"]))
    return every_week(rows, chosen.since.date(), _with_ahead(chosen.last_day, rows, chosen))


def _with_ahead(last: date, rows: Sequence[TrendRow], chosen: TimeRange) -> date:
    """With the step that a client's clock, up to an hour ahead, has dated views in."""
    return max([last, *(row.start for row in rows)]) if chosen.is_open else last


def every_week(weeks: Sequence[TrendRow], since: date, last_day: date) -> list[TrendRow]:
    """Weeks without views are part of the picture."""
    monday = since - timedelta(days=since.weekday())
    return _filled(weeks, _starts(monday, last_day, TREND_STEPS["week"]))


def _starts(first: date, last: date, step: timedelta) -> list[date]:
    return [first + number * step for number in range((last - first) // step + 1)]


def _filled(rows: Sequence[TrendRow], starts: Sequence[date]) -> list[TrendRow]:
    known = {row.start: row for row in rows}
    return [known.get(start) or TrendRow(start, 0, 0, None, None, None, None) for start in starts]


def rows_before(
    warehouse: Warehouse, filters: Filters, metric: str, page: str, view: View
) -> list[TrendRow] | None:
    """The steps of the period before, if the address asks for them."""
    if not is_compared(view):
        return None
    earlier = replace(filters, period=filters.range.previous.period)
    return page_views.trend(warehouse, earlier, metric, page, filters.range.trend_step).rows


def deploys(warehouse: Warehouse, filters: Filters) -> list[tuple[datetime, str]]:
    return release_starts.deploys(warehouse, filters.projects, filters.range.since, filters.environment)
