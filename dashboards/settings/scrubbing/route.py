"""Filtering of a project: its rules, and a preview of other rules."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from errata.places import FILTERING
from errata.scrubbing.preview import EVENTS
from errata.scrubbing.project_rules import LONGEST_RULE, MOST_RULES
from errata.state.users import Role

router = APIRouter()


@router.get("/projects/{slug}/settings/filtering")
def scrubbing_page(
    slug: str, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    project = user.project(slug)
    body = render(
        "settings/scrubbing/scrubbing.html",
        user.framed(request, f"Filtering of {project.name}", "settings", project),
        **navigation(FILTERING, project),
        stored=context.state.scrubbing.get(user.session.organization_id, project.slug),
        event_limit=EVENTS,
        most_rules=MOST_RULES,
        longest_rule=LONGEST_RULE,
        can_change=user.session.role is Role.OWNER,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
