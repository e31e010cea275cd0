"""Integrations and share links of a project."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from errata.places import INTEGRATIONS
from errata.state.users import Role
from errata.trackers import TRACKERS

router = APIRouter()


@router.get("/projects/{slug}/settings/integrations")
def integrations_page(
    slug: str, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Settings of {project.name}", "settings", project)
    links = context.state.share_links.of_project(user.session.organization_id, project.id)
    body = render(
        "settings/integrations/integrations.html",
        page,
        **navigation(INTEGRATIONS, project),
        integrations=context.state.integrations.of_project(
            user.session.organization_id, project.id, user.session
        ),
        trackers=TRACKERS,
        is_owner=user.session.role is Role.OWNER,
        links=[(link, link.state(page.now)) for link in links],
        are_links_on=context.settings.share_links,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
