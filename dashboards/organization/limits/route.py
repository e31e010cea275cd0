"""Limits in force, their use by hour, and what was refused."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from api.limits import limits
from api.line_limits import limited_lines
from dashboards.organization.limits.backups import shown_backups
from dashboards.organization.limits.view import SCOPE_WORDS
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.delivery_verdict import REASON_WORDS
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from errata.period import Period
from errata.places import LIMITS
from errata.state.line_limits import MOST_LINES_PER_MINUTE
from errata.state.users import Role
from errata.warehouse.queries.delivery.usage import LineSources, line_sources, refusals, usage

router = APIRouter()

HOURS = 24
# The default of the page of delivery.
FILE_DAYS = 14
FILES = Period(f"{FILE_DAYS}d")


@router.get(LIMITS.path)
def limits_page(
    request: Request, context: ContextDependency, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    page = user.framed(request, "Limits", "organization")
    projects = [project.id for project in user.projects]
    refused = refusals(warehouse, projects, page.now, HOURS)
    sources = line_sources(warehouse, projects, page.now, HOURS, FILES.of_days(page.now))
    used = usage(warehouse, projects, page.now, HOURS)
    body = render(
        "organization/limits/limits.html",
        page,
        **navigation(LIMITS),
        limits=list(limits(context.settings)),
        lines_per_minute=context.settings.lines_per_minute,
        used=used,
        line_sources=[(project, sources.get(project.id, LineSources())) for project in user.projects],
        file_days=FILE_DAYS,
        refusals=refused,
        project_names={project.id: project.name for project in user.projects},
        line_limits=limited_lines(context.state, user.session.organization_id, user.projects, used, refused),
        most_lines=MOST_LINES_PER_MINUTE,
        can_change=user.session.role is Role.OWNER,
        reason_words=REASON_WORDS,
        scope_words=SCOPE_WORDS,
        backups=shown_backups(
            context.backups, context.state.backup_runs.last(context.backups.destination), page.now
        ),
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
