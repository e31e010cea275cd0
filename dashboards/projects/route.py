"""The projects of the current user's organization."""

import logging

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.rendering import render
from errata.state.users import Role
from errata.warehouse.client import Warehouse, WarehouseUnavailable
from errata.warehouse.queries.issues.projects import ProjectTotals, totals_of_projects

log = logging.getLogger("dashboards")

router = APIRouter()


@router.get("/")
def home(user: CurrentUserDependency) -> Response:
    """The overview of an only project, else the list of projects."""
    if len(user.projects) == 1:
        return RedirectResponse(f"/projects/{user.projects[0].slug}", status_code=303)
    return RedirectResponse("/projects", status_code=303)


@router.get("/projects")
def projects(request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency) -> Response:
    page = user.framed(request, "Projects", "projects")
    totals = _totals(warehouse.shared(), [project.id for project in user.projects])
    is_away = totals is None
    body = render(
        "projects/projects.html",
        page,
        totals=totals or {},
        is_away=is_away,
        is_owner=user.session.role is Role.OWNER,
    )
    return HTMLResponse(body, headers={"Cache-Control": "private, no-cache"})


def _totals(warehouse: Warehouse, projects: list[int]) -> dict[int, ProjectTotals] | None:
    """None while the warehouse is unavailable: projects and keys are shown without figures."""
    try:
        return totals_of_projects(warehouse, projects)
    except WarehouseUnavailable as error:
        log.warning("Projects are shown without figures: %s", error)
        return None
