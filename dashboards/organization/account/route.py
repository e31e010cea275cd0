"""The signed-in user's own password, two-factor authentication and sessions."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from dashboards.shared.two_steps import two_steps_view
from errata.places import ACCOUNT
from errata.time_zone import time_zones

router = APIRouter()


@router.get(ACCOUNT.path)
def account_page(request: Request, context: ContextDependency, user: CurrentUserDependency) -> Response:
    body = render(
        "organization/account/account.html",
        user.framed(request, "Your account", "organization"),
        **navigation(ACCOUNT),
        email=user.session.email,
        role=user.session.role.value,
        time_zone=user.session.time_zone,
        time_zones=time_zones(),
        organizations=context.state.members.organizations_of(user.session.user_id),
        organization_id=user.session.organization_id,
        sessions=context.state.sessions.of_user(user.session),
        two_steps=two_steps_view(context.state, user.session),
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
