"""The monitors of a project, and one of them."""

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from api.context import ContextDependency
from api.reception import reception_of
from dashboards.monitors.view import page_of, shown
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import live_answer, version
from dashboards.shared.rendering import render
from errata.warehouse.queries.monitors.monitors import monitors_of_project

router = APIRouter()

NO_MONITOR = "This monitor isn't declared, and no check-in of it is stored."


@router.get("/projects/{slug}/monitors")
def monitors_page(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    warehouse: WarehouseDependency,
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Monitors of {project.name}", "monitors", project)
    reception = reception_of(context, user.session.organization_id, project.id)
    view = View(request.url.path, {"cursor": request.query_params.get("cursor", "")}, {})
    found = page_of(warehouse, project.id, page.now, reception, view["cursor"])
    state = version(found)

    def body() -> bytes:
        return render(
            "monitors/monitors.html",
            page,
            view=view,
            monitors=found.monitors,
            next_cursor=found.next_cursor,
            export_address=f"/api/projects/{slug}/monitors",
            version=state,
        )

    return live_answer(request, state, body)


@router.get("/projects/{slug}/monitors/{monitor_slug}")
def monitor_page(
    slug: str,
    monitor_slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    warehouse: WarehouseDependency,
) -> Response:
    project = user.project(slug)
    page = user.framed(request, monitor_slug, "monitors", project)
    reception = reception_of(context, user.session.organization_id, project.id)
    found = shown(monitors_of_project(warehouse, project.id, page.now, reception, [monitor_slug]))
    if not found:
        raise HTTPException(404, NO_MONITOR)
    state = version(found)

    def body() -> bytes:
        return render(
            "monitors/monitor.html",
            page,
            view=View(request.url.path, {}, {}),
            slug=monitor_slug,
            monitors=found,
            is_same=len({(one.monitor.config, one.monitor.declared_at) for one in found}) == 1,
            export_address=f"/api/projects/{slug}/monitors/{monitor_slug}",
            version=state,
        )

    return live_answer(request, state, body)
