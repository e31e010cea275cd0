"""One page: its figures, their trend, what it loads, and real loads that stand for it."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dashboards.performance.filters import filter_choices, performance_filters
from dashboards.performance.metrics import TREND_METRICS
from dashboards.performance.no_figures import first_build_page
from dashboards.performance.page_detail.view import DEFAULT_METRIC, DEFAULT_TAB, TABS, detail_of
from dashboards.performance.resource_tables import IMPACT_WORDS
from dashboards.performance.resource_types import TYPES
from dashboards.performance.scripts import PART_WORDS, element_name, script_name
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import CACHE, live_answer, version
from dashboards.shared.performance_nav import table_address
from dashboards.shared.performance_view import performance_view
from dashboards.shared.rendering import render
from errata.performance.metric import SHOWN
from errata.reports.chart_template import templates
from errata.warehouse.at_once import both
from errata.warehouse.published import ages_read
from errata.warehouse.queries.performance.facets import facets
from errata.warehouse.queries.performance.resources import question_of

router = APIRouter()

DEFAULTS = {"period": "14d", "metric": DEFAULT_METRIC, "tab": DEFAULT_TAB}


@router.get("/projects/{slug}/performance/page")
def page_detail_page(
    slug: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    project = user.project(slug)
    view = performance_view(request, "page", "metric", "compare", "tab", defaults=DEFAULTS)
    view = view.restricted("metric", TREND_METRICS).restricted("tab", TABS)
    name = view["page"]
    if not name:
        return RedirectResponse(f"/projects/{slug}/performance", status_code=303)
    page = user.framed(request, f"{name} · Performance", "performance", project)
    if (first := first_build_page(warehouse, page, view, "pages", project.id)) is not None:
        return HTMLResponse(first, headers=CACHE)
    filters = performance_filters(view, project.id, page.now)
    annotations = user.annotations(project)
    shown, offered = both(
        lambda: detail_of(warehouse, filters, name, view, annotations),
        lambda: facets(warehouse, filters.projects, filters.range.since),
    )
    state = version(shown, ages_read())

    def body() -> bytes:
        return render(
            "performance/page_detail/page_detail.html",
            page,
            view=view,
            name=name,
            **filter_choices(view, filters, offered),
            metrics=TREND_METRICS,
            shown_metrics=SHOWN,
            shown=shown,
            type_words=TYPES,
            impact_words=IMPACT_WORDS,
            tabs=TABS,
            chart_templates=templates(),
            causes_address=table_address(slug, "causes", view, page=name),
            part_words=PART_WORDS,
            metric_titles={one.name: one.title for one in SHOWN},
            element_name=element_name,
            script_name=script_name,
            loads_address=table_address(slug, "loads", view, page=name),
            types_address=table_address(slug, "resources", view, page=name, by="type"),
            calls_address=table_address(slug, "resources", view, page=name, by="url", type="api"),
            images_address=table_address(slug, "resources", view, page=name, by="url", type="image"),
            urls_address=table_address(slug, "resources", view, page=name, by="url"),
            version=state,
            resource_question=question_of(filters),
        )

    return live_answer(request, state, body)
