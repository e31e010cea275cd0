"""Limits in force, their use by hour, and what was refused."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from api.limits import limits
from dashboards.organization.limits.view import REASON_WORDS, SCOPE_WORDS
from dashboards.organization.navigation import navigation
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.rendering import render
from errata.places import LIMITS
from errata.warehouse.queries.delivery.usage import refusals, usage

router = APIRouter()


HOURS = 24


@router.get(LIMITS.path)
def limits_page(
    request: Request, context: ContextDependency, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    page = user.framed(request, "Limits", "organization")
    projects = [project.id for project in user.projects]
    used = usage(warehouse, projects, page.now, HOURS)
    body = render(
        "organization/limits/limits.html",
        page,
        **navigation(LIMITS),
        limits=list(limits(context.settings)),
        lines_per_minute=context.settings.lines_per_minute,
        used=used,
        refusals=refusals(warehouse, projects, page.now, HOURS),
        reason_words=REASON_WORDS,
        scope_words=SCOPE_WORDS,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
