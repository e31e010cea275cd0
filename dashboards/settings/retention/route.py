"""How long a project keeps its data, and what that takes."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.disk import shown_disk
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from errata.places import RETENTION
from errata.state.users import Role
from errata.warehouse.queries.delivery.storage import storage
from errata.warehouse.queries.delivery.stored_kinds import stored_kinds
from errata.warehouse.retention import KEPT, DataKind, most_days

router = APIRouter()


@router.get("/projects/{slug}/settings/retention")
def retention_page(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    warehouse: WarehouseDependency,
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Retention of {project.name}", "settings", project)
    stored = context.state.retention.get(user.session.organization_id, project.slug)
    today = page.now.date()
    disk = storage(warehouse, context.settings.disk_bound, today)
    body = render(
        "settings/retention/retention.html",
        page,
        **navigation(RETENTION, project),
        stored=stored,
        kinds=stored_kinds(warehouse, project.id, today),
        kept=KEPT,
        most={kind: most_days(kind) for kind in DataKind},
        disk=shown_disk(disk, today) if disk is not None else None,
        can_change=user.session.role is Role.OWNER,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
