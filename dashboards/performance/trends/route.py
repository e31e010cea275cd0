"""Trends: weeks, the days of shifts, and the releases that lie near."""

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from dashboards.performance.filters import performance_filters
from dashboards.performance.metrics import TREND_METRICS
from dashboards.performance.no_figures import first_build_page
from dashboards.performance.trends.view import (
    dates,
    fetch_trend,
    shift_words,
    trend_figure,
    weeks_with_changes,
)
from dashboards.shared import periods
from dashboards.shared.chart_json import chart_json
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import CACHE, live_answer, version
from dashboards.shared.performance_nav import table_address
from dashboards.shared.performance_view import performance_view
from dashboards.shared.rendering import render
from errata.performance.filters import FILTERS
from errata.reports.chart_template import templates
from errata.warehouse.published import ages_read
from errata.warehouse.queries.performance.facets import facets

router = APIRouter()

DEFAULTS = {"period": "26w", "metric": "load_ms"}
CHOICES = (("4w", "4 weeks"), ("12w", "12 weeks"), ("26w", "26 weeks"), ("52w", "52 weeks"))
USUAL_ENVIRONMENT = "production"


@router.get("/projects/{slug}/performance/trends")
def trends_page(
    slug: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Trends of {project.name}", "performance", project)
    view = performance_view(request, "metric", "page", defaults=DEFAULTS)
    if (first := first_build_page(warehouse, page, view, "trends", project.id)) is not None:
        return HTMLResponse(first, headers=CACHE)
    metric = view["metric"] if view["metric"] in TREND_METRICS else DEFAULTS["metric"]
    # Trends are of all loads of one environment: with every other mix their level would change.
    others = {one.name: "" for one in FILTERS if one.name != "environment"}
    own = replace(view, values={**view.values, **others})
    filters = performance_filters(own, project.id, page.now)
    offered = facets(warehouse, [project.id], filters.range.since)
    environment = own["environment"] or _usual(offered.environments)
    filters = replace(filters, environment=environment)
    trend = fetch_trend(warehouse, project.id, filters, metric, view["page"])
    annotations = user.annotations(project)
    state = version(trend.weeks, trend.shifts, trend.starts, annotations, ages_read())

    def body() -> bytes:
        return render(
            "performance/trends/trends.html",
            page,
            view=view,
            environments=offered.environments,
            environment=environment,
            time_range=periods.shown(filters.range, CHOICES),
            metrics=TREND_METRICS,
            metric=metric,
            subjects=sorted({*trend.page_names, view["page"]} - {""}),
            weeks=weeks_with_changes(trend.weeks, trend.days, page.now.date()) if trend.has_samples else [],
            changes=[(shift, shift_words(shift), dates(shift)) for shift in trend.shifts],
            analyzed_at=trend.analyzed_at,
            figure=chart_json(trend_figure(trend, metric, annotations)) if trend.has_samples else None,
            chart_templates=templates(),
            is_narrowed_elsewhere=any(view[name] for name in others),
            table_address=table_address(slug, "trends", own, metric=metric, **_page(view["page"])),
            changes_address=table_address(
                slug, "change-points", own, metric=metric, environment=environment, **_page(view["page"])
            ),
            version=state,
        )

    return live_answer(request, state, body)


def _usual(environments: list[str]) -> str:
    if USUAL_ENVIRONMENT in environments or not environments:
        return USUAL_ENVIRONMENT
    return environments[0]


def _page(chosen: str) -> dict[str, str]:
    return {"page": chosen} if chosen else {}
