"""One real page load in time."""

from datetime import date
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from dashboards.performance.waterfall.view import KINDS, chart
from dashboards.performance.waterfall.waited import waited_for
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import CACHE
from dashboards.shared.performance_view import performance_view
from dashboards.shared.rendering import render
from errata.warehouse.queries.performance.waterfall import NO_TRACE, waterfall

router = APIRouter()


@router.get("/projects/{slug}/performance/waterfall/{view_id}")
def waterfall_page(
    slug: str, view_id: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    """`on` (the day of receipt) and `trace` spare a search; `resource` is the URL to point out."""
    project = user.project(slug)
    page = user.framed(request, f"Waterfall of {view_id}", "performance", project)
    # A backend is often a project of its own.
    projects = [one.id for one in user.projects]
    parameters = request.query_params
    received_on, trace_id = _day(parameters.get("on", "")), _trace(parameters.get("trace", ""))
    found = waterfall(warehouse, projects, view_id, received_on, trace_id, project.id)
    body = render(
        "performance/waterfall/waterfall.html",
        page,
        found=found,
        chart=chart(found, parameters.get("resource", "")),
        types=KINDS,
        waited=list(waited_for(found)),
        view=performance_view(request),
    )
    return HTMLResponse(body, headers=CACHE)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _trace(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return NO_TRACE
