"""One real page load in time."""

from datetime import date
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from dashboards.performance_view import performance_view
from dashboards.shared.current_user import VisitorDependency, WarehouseDependency
from dashboards.shared.live import CACHE
from dashboards.shared.rendering import render
from dashboards.waterfall import TYPES, chart
from errata.warehouse.queries.performance.waterfall import NO_TRACE, PageViewNotFound, waterfall

router = APIRouter()


@router.get("/projects/{slug}/performance/waterfall/{view_id}")
def waterfall_page(
    slug: str, view_id: str, request: Request, visitor: VisitorDependency, warehouse: WarehouseDependency
) -> Response:
    """`on`, the day it was received, and `trace` spare looking for them; `resource`: what is meant."""
    project = visitor.project(slug)
    page = visitor.framed(request, f"Waterfall of {view_id}", "performance", project)
    # A backend is often a project of its own.
    projects = [one.id for one in visitor.projects]
    asked = request.query_params
    received_on, trace_id = _day(asked.get("on", "")), _trace(asked.get("trace", ""))
    found = waterfall(warehouse, projects, view_id, received_on, trace_id)
    if found.view.project_id != project.id:
        raise PageViewNotFound(view_id)
    view = performance_view(request)
    bars = chart(found, asked.get("resource", ""))
    body = render("waterfall.html", page, found=found, chart=bars, types=TYPES, view=view)
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
