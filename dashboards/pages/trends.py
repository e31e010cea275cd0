"""Trends: weeks, the days on which a level changed, and the releases that lie near."""

from dataclasses import replace
from datetime import date, datetime, timedelta

from fastapi import APIRouter, Request
from starlette.responses import Response

from dashboards import periods
from dashboards.chart_json import chart_json
from dashboards.live import live_answer, version
from dashboards.performance import TREND_METRICS, every_week, unit_of
from dashboards.performance_nav import table_address
from dashboards.performance_view import performance_filters, performance_view
from dashboards.rendering import render
from dashboards.trends import change_words, level_words, votes, weeks_with_changes
from dashboards.visitor import VisitorDependency, WarehouseDependency
from errata.reports import charts
from errata.reports.chart_marks import with_changes, with_deploys
from errata.reports.chart_template import templates
from errata.warehouse.at_once import all_three
from errata.warehouse.queries.performance import page_views
from errata.warehouse.queries.performance.facets import facets
from errata.warehouse.queries.performance.page_detail import page_names
from errata.warehouse.queries.performance.release_starts import ReleaseStart, release_starts
from errata.warehouse.queries.performance.shifts import shifts
from errata.warehouse.queries.period import since_of

router = APIRouter()

DEFAULTS = {"period": "26w", "metric": "load_ms"}
CHOICES = (("4w", "4 weeks"), ("12w", "12 weeks"), ("26w", "26 weeks"), ("52w", "52 weeks"))
USUAL_ENVIRONMENT = "production"


@router.get("/projects/{slug}/performance/trends")
def trends_page(
    slug: str, request: Request, visitor: VisitorDependency, warehouse: WarehouseDependency
) -> Response:
    project = visitor.project(slug)
    page = visitor.framed(request, f"Trends of {project.name}", "performance", project)
    view = performance_view(request, "metric", "page", defaults=DEFAULTS)
    metric = view["metric"] if view["metric"] in TREND_METRICS else DEFAULTS["metric"]
    chosen = periods.period(view["period"], DEFAULTS["period"])
    offered = facets(warehouse, [project.id], since_of(chosen, page.now))
    # Levels are those of one environment: mixed ones would change with the mix.
    environment = view["environment"] or _usual(offered.environments)
    asked = performance_filters(view, project.id, page.now)
    filters = replace(asked, period=chosen, environment=environment, release="")
    since = since_of(chosen, page.now)
    monday = since - timedelta(days=since.weekday())
    weekly, (days, changes, starts), names = all_three(
        lambda: page_views.trend(warehouse, filters, metric, view["page"]),
        lambda: (
            page_views.daily_p75(warehouse, filters, metric, view["page"]),
            shifts(warehouse, project.id, environment, metric, view["page"]),
            release_starts(warehouse, project.id, monday, environment),
        ),
        lambda: page_names(warehouse, replace(filters, period="4w")),
    )
    first = min((row.start for row in weekly.rows), default=since.date())
    weeks = every_week(weekly.rows, max(first, monday.date()), page.now.date())
    shown = [change for change in changes.rows if change.day >= monday.date()]
    has_samples = any(week.sample_count for week in weeks)
    drawn = charts.weekly_trend(weeks, TREND_METRICS[metric], unit_of(metric))
    drawn = with_deploys(drawn, _deploys(starts, weeks[0].start))
    drawn = with_changes(drawn, [(change.day, change_words(change)) for change in shown])
    state = version(weeks, shown, starts)

    def body() -> bytes:
        return render(
            "trends.html",
            page,
            view=view,
            environments=offered.environments,
            environment=environment,
            periods=periods.choices(chosen, CHOICES),
            metrics=TREND_METRICS,
            metric=metric,
            subjects=sorted({*names, view["page"]} - {""}),
            weeks=weeks_with_changes(weeks, days, page.now.date()) if has_samples else [],
            changes=[(change, level_words(change), votes(change)) for change in shown],
            looked_at=changes.as_of,
            figure=chart_json(drawn) if has_samples else None,
            chart_templates=templates(),
            table_address=table_address(slug, "trends", view, metric=metric, **_page(view["page"])),
            changes_address=table_address(
                slug, "change-points", view, metric=metric, environment=environment, **_page(view["page"])
            ),
            version=state,
            as_of=weekly.as_of,
        )

    return live_answer(request, state, body)


def _usual(environments: list[str]) -> str:
    if USUAL_ENVIRONMENT in environments or not environments:
        return USUAL_ENVIRONMENT
    return environments[0]


def _page(chosen: str) -> dict[str, str]:
    return {"page": chosen} if chosen else {}


def _deploys(starts: list[ReleaseStart], since: date) -> list[tuple[datetime, str]]:
    return [(start.began_at, start.release) for start in starts if start.began_at.date() >= since]
