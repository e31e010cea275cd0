"""A project's name, application keys and deletion."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from api.dsns import dsns_of
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from errata.places import GENERAL
from errata.state.capability import Capability
from errata.state.users import Role

router = APIRouter()


@router.get("/projects/{slug}/settings")
def general_page(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    new_token: Capability | None = None,
) -> Response:
    """`new_token` is the capability that is chosen in the form for a new access token."""
    project, is_owner = user.project(slug), user.session.role is Role.OWNER
    organization_id = user.session.organization_id
    body = render(
        "settings/general/general.html",
        user.framed(request, f"Settings of {project.name}", "settings", project),
        **navigation(GENERAL, project),
        dsns=dsns_of(context, organization_id, project),
        origins=context.state.allowed_origins.get(organization_id, slug),
        keys=context.state.keys.app.of_project(organization_id, slug),
        tokens=context.state.project_tokens.of_project(organization_id, slug) if is_owner else [],
        capabilities=list(Capability),
        new_token=new_token,
        is_owner=is_owner,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
