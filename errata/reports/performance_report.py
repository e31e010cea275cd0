"""A report of how pages and endpoints did, fit to be printed and sent: one document, nothing to fetch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from errata.budgets.history import History
from errata.budgets.wording import measure
from errata.reports import formats
from errata.reports.figures import figure
from errata.reports.line_chart import HEIGHT, WIDTH, LineChart, line_chart
from errata.state.budgets import Budget
from errata.warehouse.client import Warehouse
from errata.warehouse.queries import performance, releases, resources
from errata.warehouse.queries.performance import NAVIGATE, EndpointRow, Filters, PageRow, TrendRow
from errata.warehouse.queries.releases import LOAD, ReleaseRow
from errata.warehouse.queries.resources import ResourceRow

TEMPLATES = Path(__file__).parent / "templates"
MOST_ROWS = 15
MOST_RELEASES = 8
TREND_WEEKS = 12
TYPE_WORDS = {
    "script": "JavaScript",
    "style": "CSS",
    "image": "Images",
    "font": "Fonts",
    "api": "API",
    "media": "Media",
    "document": "Documents",
    "other": "Other",
}
VERDICT_WORDS = {
    "worse": "worse",
    "better": "better",
    "no_change": "no change",
    "not_enough_data": "not enough data",
}


@dataclass(frozen=True)
class PerformanceReport:
    """`as_of`: the last build; None before the first."""

    project: str
    filters: Filters
    as_of: datetime | None
    together: PageRow | None
    pages: Sequence[PageRow]
    endpoints: Sequence[EndpointRow]
    weeks: Sequence[TrendRow]
    types: Sequence[ResourceRow]
    blocking: Sequence[ResourceRow]
    releases: Sequence[ReleaseRow]
    budgets: Sequence[tuple[Budget, History]]

    @property
    def chart(self) -> LineChart | None:
        """Load time of whole weeks; one without loads is a gap."""
        known = {week.start: week.p75 for week in self.weeks}
        if not known:
            return None
        first, last = min(known), max(known)
        weeks = (first + timedelta(weeks=number) for number in range((last - first).days // 7 + 1))
        return line_chart([(week, known.get(week)) for week in weeks])

    @property
    def days(self) -> tuple[date, date]:
        """The first and the last one."""
        since = performance.since_of(self.filters.period, self.filters.now)
        return since.date(), self.filters.now.date()


def performance_report(
    warehouse: Warehouse, project: str, filters: Filters, budgets: Sequence[tuple[Budget, History]]
) -> PerformanceReport:
    pages, together = performance.pages_and_overview(warehouse, filters)
    loads = resources.breakdown(warehouse, filters)
    weeks = replace(filters, period=f"{TREND_WEEKS}w")
    since = performance.since_of(weeks.period, filters.now)
    judged = releases.releases(warehouse, filters.projects[0], since, filters.environment)
    return PerformanceReport(
        project=project,
        filters=filters,
        as_of=pages.as_of,
        together=next((row for row in together if row.navigation_type == NAVIGATE), None),
        pages=[row for row in pages.rows if row.navigation_type == NAVIGATE][:MOST_ROWS],
        endpoints=performance.endpoints(warehouse, filters).rows[:MOST_ROWS],
        weeks=performance.trend(warehouse, weeks).rows,
        types=loads.types,
        blocking=resources.blocking(loads.urls)[:MOST_ROWS],
        releases=judged[:MOST_RELEASES],
        budgets=budgets,
    )


def document_of(report: PerformanceReport) -> str:
    """As HTML."""
    return (
        _environment()
        .get_template("performance_report.html")
        .render(
            report=report,
            load=LOAD,
            type_words=TYPE_WORDS,
            verdict_words=VERDICT_WORDS,
            figure=figure,
            measure=measure,
            width=WIDTH,
            height=HEIGHT,
        )
    )


@cache
def _environment() -> Environment:
    jinja = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    named = ("count", "compact", "size", "duration", "score", "ratio", "change", "exact", "plural")
    jinja.filters.update({name: getattr(formats, name) for name in named})
    return jinja
