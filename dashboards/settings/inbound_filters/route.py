"""Inbound filters of a project: those that are on, and a preview of others."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from errata.filters import FILTERS
from errata.filters.globs import LONGEST_ENTRY
from errata.filters.inbound_filter import ERRORS, PERFORMANCE
from errata.filters.project_filters import MOST_ENTRIES
from errata.places import INBOUND_FILTERS
from errata.state.users import Role

router = APIRouter()

TYPES = {
    ERRORS: "error events",
    PERFORMANCE: "transactions",
    ERRORS | PERFORMANCE: "error events and transactions",
}


@router.get("/projects/{slug}/settings/inbound-filters")
def inbound_filters_page(
    slug: str, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    project = user.project(slug)
    body = render(
        "settings/inbound_filters/inbound_filters.html",
        user.framed(request, f"Inbound filters of {project.name}", "settings", project),
        **navigation(INBOUND_FILTERS, project),
        stored=context.state.inbound_filters.get(user.session.organization_id, project.slug),
        filters=FILTERS.values(),
        types=TYPES,
        most_entries=MOST_ENTRIES,
        longest_entry=LONGEST_ENTRY,
        can_change=user.session.role is Role.OWNER,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
