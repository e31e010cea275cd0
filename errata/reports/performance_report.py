"""A report of how pages and endpoints did, fit to be printed and sent: one document, nothing to fetch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from errata.budgets.history import History
from errata.budgets.wording import measure
from errata.performance.filters import Filters
from errata.period import Period
from errata.reports import formats
from errata.reports.chart_marks import MOST_DEPLOYS
from errata.reports.figures import figure
from errata.reports.line_chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, LineChart, line_chart
from errata.reports.release_headline import reasons
from errata.reports.unended import least, steps_note, unended_words
from errata.state.annotations import Annotation
from errata.state.budgets import Budget
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import page_views, releases, resources
from errata.warehouse.queries.performance.endpoints import EndpointRow, endpoints
from errata.warehouse.queries.performance.page_views import NAVIGATE, PageRow, TrendRow
from errata.warehouse.queries.performance.release_starts import deploys
from errata.warehouse.queries.performance.releases import LOAD, Effect, ReleaseRow
from errata.warehouse.queries.performance.resources import Choice, ResourceRow

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
METRIC_WORDS = {
    "load_ms": "Load time",
    "ttfb_ms": "TTFB",
    "fcp_ms": "FCP",
    "lcp_ms": "LCP",
    "inp_ms": "INP",
    "cls": "CLS",
    "api_ms": "API call",
    "js_bytes": "JavaScript",
}
VERDICT_WORDS = {
    "worse": "worse",
    "better": "better",
    "no_change": "no change",
    "not_enough_data": "not enough data",
}


@dataclass(frozen=True)
class PerformanceReport:
    """`as_of`: the last build; None before the first. `days`: the first and the last one."""

    project: str
    title: str
    days: tuple[date, date]
    environment: str
    release: str
    as_of: datetime | None
    together: PageRow | None
    pages: Sequence[PageRow]
    endpoints: Sequence[EndpointRow]
    steps: Sequence[TrendRow]
    """Load time by week; of a release by day."""
    types: Sequence[ResourceRow]
    blocking: Sequence[ResourceRow]
    releases: Sequence[ReleaseRow]
    budgets: Sequence[tuple[Budget, History]]
    step_days: int = 7
    is_past: bool = False
    """Of days that are over: budgets stand as at their end."""
    judged: ReleaseRow | None = None
    """The release it is about."""
    changed_pages: Sequence[Effect] = ()
    deploys: Sequence[tuple[datetime, str]] = ()
    """Where releases began."""
    annotations: Sequence[Annotation] = ()

    @property
    def chart(self) -> LineChart | None:
        """Load time of weeks or days, and where releases began; one without loads is a gap."""
        known = {step.start: step.p75 for step in self.steps}
        if not known:
            return None
        first, last, step = min(known), max(known), timedelta(days=self.step_days)
        starts = (first + number * step for number in range((last - first) // step + 1))
        return line_chart([(start, known.get(start)) for start in starts], self.deploys, self.annotations)

    @property
    def chart_note(self) -> str:
        """Where loads that had not ended may raise the line. Empty: nowhere."""
        note = steps_note([step.unended for step in self.steps])
        return f"{note[:1].upper()}{note[1:]}." if note else ""


def performance_report(
    warehouse: Warehouse, project: str, filters: Filters, budgets: Sequence[tuple[Budget, History]]
) -> PerformanceReport:
    pages, together = page_views.pages_and_overview(warehouse, filters)
    loads = resources.breakdown(warehouse, filters, "", Choice(urls=0, blocking=MOST_ROWS))
    # The trend leads up to the range.
    end = filters.range.shown_until
    weeks = replace(filters, period=Period(f"{TREND_WEEKS}w"), now=end)
    since = weeks.range.since
    judged = releases.releases(warehouse, filters.projects[0], since, filters.environment)
    return PerformanceReport(
        project=project,
        title=f"Performance of {project}",
        days=(filters.range.since.date(), filters.range.last_day),
        environment=filters.environment,
        release=filters.release,
        as_of=pages.as_of,
        together=next((row for row in together if row.navigation_type == NAVIGATE), None),
        pages=[row for row in pages.rows if row.navigation_type == NAVIGATE][:MOST_ROWS],
        endpoints=endpoints(warehouse, filters).rows[:MOST_ROWS],
        steps=page_views.trend(warehouse, weeks).rows,
        types=loads.types,
        blocking=loads.blocking,
        releases=judged[:MOST_RELEASES],
        budgets=budgets,
        deploys=deploys(warehouse, filters.projects, since, filters.environment),
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
            reasons=reasons,
            metric_words=METRIC_WORDS,
            figure=figure,
            measure=measure,
            width=WIDTH,
            height=HEIGHT,
            left=LEFT,
            right=WIDTH - RIGHT,
            top=TOP,
            bottom=HEIGHT - BOTTOM,
            most_deploys=MOST_DEPLOYS,
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
    named = (
        "count",
        "compact",
        "size",
        "duration",
        "score",
        "ratio",
        "change",
        "exact",
        "plural",
        "day",
        "short_day",
        "score_change",
        "decimal",
    )
    jinja.filters.update({name: getattr(formats, name) for name in named}, least=least)
    jinja.globals["unended_words"] = unended_words
    return jinja
