"""One API endpoint: its figures, their steps, the pages that call it, its slowest calls and its issues."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dashboards.performance.endpoint.view import detail_of
from dashboards.performance.filters import filter_choices, performance_filters
from dashboards.performance.no_figures import first_build_page
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import CACHE, live_answer, version
from dashboards.shared.performance_nav import performance_address, table_address
from dashboards.shared.performance_view import performance_view
from dashboards.shared.rendering import render
from errata.reports.chart_template import templates
from errata.warehouse.at_once import both
from errata.warehouse.published import ages_read
from errata.warehouse.queries.performance.endpoint_detail import find_endpoint
from errata.warehouse.queries.performance.facets import facets

router = APIRouter()

# Of rows of the table of calling pages; downloads hold all.
MOST_PAGES = 50


@router.get("/projects/{slug}/performance/endpoint")
def endpoint_page(
    slug: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    """Without a method, the page of the most called one."""
    project = user.project(slug)
    view = performance_view(request, "method", "path", "host", "side")
    if not view["path"]:
        return RedirectResponse(performance_address(slug, view, "", tab="endpoints"), status_code=303)
    page = user.framed(request, f"{view['method']} {view['path']} · Performance", "performance", project)
    if (first := first_build_page(warehouse, page, view, "endpoints", project.id)) is not None:
        return HTMLResponse(first, headers=CACHE)
    filters = performance_filters(view, project.id, page.now)
    (endpoint, routes), offered = both(
        lambda: find_endpoint(warehouse, filters, view["method"], view["path"], view["host"]),
        lambda: facets(warehouse, filters.projects, filters.range.since),
    )
    if endpoint.method != view["method"]:
        return RedirectResponse(view.address(method=endpoint.method), status_code=303)
    shown = detail_of(warehouse, filters, endpoint, routes, view["side"], user.annotations(project))
    state = version(shown, ages_read())

    def body() -> bytes:
        named = {"method": endpoint.method, "path": endpoint.route, "host": endpoint.host}

        def address(table: str, **parameters: str) -> str:
            return table_address(slug, f"endpoint{table}", view, **named, **parameters)

        return render(
            "performance/endpoint/endpoint.html",
            page,
            view=view,
            endpoint=endpoint,
            routes=routes,
            shown=shown,
            pages=shown.pages[:MOST_PAGES],
            **filter_choices(view, filters, offered),
            chart_templates=templates(),
            sides_address=address(""),
            steps_address=address("/steps", side=shown.side),
            pages_address=address("/pages"),
            calls_address=address("/calls", side=shown.side),
            issues_address=address("/issues"),
            version=state,
        )

    return live_answer(request, state, body)
