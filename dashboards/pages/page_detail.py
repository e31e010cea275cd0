"""One page: its figures, their trend, what it loads, and real loads that stand for it."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.parameters import Period
from dashboards import periods
from dashboards.live import live_answer, version
from dashboards.performance import TREND_METRICS, every_day, every_week, figure
from dashboards.performance_nav import table_address
from dashboards.performance_view import BROWSERS, DEVICES, performance_filters, performance_view
from dashboards.rendering import render
from dashboards.resources import IMPACT_WORDS, in_order
from dashboards.visitor import VisitorDependency, WarehouseDependency
from dashboards.waterfall import TYPES
from errata.reports import charts
from errata.reports.chart_template import templates
from errata.warehouse.at_once import asked
from errata.warehouse.queries import page_detail, performance, resources
from errata.warehouse.queries.facets import facets
from errata.warehouse.queries.performance import NAVIGATE, Percentiles, since_of

router = APIRouter()

DEFAULTS = {"period": "14d", "metric": "load_ms"}
# More days than this are read by the week.
MOST_DAYS = Period("6w")
MOST_URLS = 12


@router.get("/projects/{slug}/performance/page")
def page_detail_page(
    slug: str, request: Request, visitor: VisitorDependency, warehouse: WarehouseDependency
) -> Response:
    project = visitor.project(slug)
    view = performance_view(request, "page", "metric", defaults=DEFAULTS)
    if not view["page"]:
        return RedirectResponse(f"/projects/{slug}/performance", status_code=303)
    page = visitor.framed(request, f"{view['page']} · Performance", "performance", project)
    filters = performance_filters(view, project.id, page.now)
    name = view["page"]
    metric = view["metric"] if view["metric"] in TREND_METRICS else DEFAULTS["metric"]
    by = "day" if Period(filters.period).length <= MOST_DAYS.length else "week"

    def real_loads() -> tuple[performance.Answer[performance.PageRow], page_detail.Loads]:
        answer = performance.page_rows(warehouse, filters, name)
        first = answer.rows[0] if answer.rows else None
        known = first.load_ms if first and first.navigation_type == NAVIGATE else Percentiles()
        return answer, page_detail.loads_of_page(warehouse, filters, name, known)

    later_trend = asked(lambda: performance.trend(warehouse, filters, metric, name, by).rows)
    later_resources = asked(lambda: resources.breakdown(warehouse, filters, name))
    later_shares = asked(lambda: page_detail.shares(warehouse, filters, name))
    later_facets = asked(lambda: facets(warehouse, filters.projects, since_of(filters.period, page.now)))
    answer, loads = real_loads()
    trend, loaded = later_trend.result(), later_resources.result()
    shares, offered = later_shares.result(), later_facets.result()
    since = since_of(filters.period, page.now).date()
    spans = (every_day if by == "day" else every_week)(trend, since, page.now.date())
    draw = charts.daily_trend if by == "day" else charts.weekly_trend
    has_samples = any(span.sample_count for span in spans)
    rows = answer.rows
    state = version(rows, loads.rows, loaded, shares, trend)

    def body() -> bytes:
        last = next((span for span in reversed(spans) if span.sample_count), None)
        return render(
            "page_detail.html",
            page,
            view=view,
            name=name,
            environments=offered.environments,
            releases=offered.releases,
            periods=periods.choices(periods.period(filters.period, "14d"), periods.TREND_CHOICES),
            period_words=periods.words(periods.period(filters.period, "14d")),
            devices=DEVICES,
            browsers=BROWSERS,
            metrics=TREND_METRICS,
            rows=rows,
            loads=loads,
            types=loaded.types,
            type_words=TYPES,
            impact_words=IMPACT_WORDS,
            held=resources.blocking(loaded.urls)[:MOST_URLS],
            urls=in_order(loaded.urls, "")[:MOST_URLS],
            shares=shares,
            figure=draw(spans, TREND_METRICS[metric], "" if metric == "cls" else "ms")
            if has_samples
            else None,
            trend_title=TREND_METRICS[metric],
            trend_note=f"by {'UTC day' if by == 'day' else 'ISO week, UTC'}; the current one is not over",
            trend_words=f"{TREND_METRICS[metric]} by {by}: p75 of the latest is {figure(metric, last.p75)}"
            if last
            else "Nothing was measured of this yet.",
            chart_templates=templates(),
            loads_address=table_address(slug, "loads", view, page=name),
            types_address=table_address(slug, "resources", view, page=name, by="type"),
            urls_address=table_address(slug, "resources", view, page=name, by="url"),
            version=state,
            as_of=answer.as_of or page.now,
        )

    return live_answer(request, state, body)
