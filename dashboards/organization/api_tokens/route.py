"""The organization's API key."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.context import ContextDependency
from dashboards.organization.navigation import navigation
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.rendering import render
from errata.places import API_TOKENS
from errata.state.users import Role

router = APIRouter()


@router.get("/settings")
def settings() -> Response:
    return RedirectResponse(API_TOKENS.path, status_code=303)


@router.get(API_TOKENS.path)
def api_tokens_page(request: Request, context: ContextDependency, user: CurrentUserDependency) -> Response:
    organization_id = user.session.organization_id
    body = render(
        "organization/api_tokens/api_tokens.html",
        user.framed(request, "API tokens", "organization"),
        **navigation(API_TOKENS),
        key=context.state.keys.api.get(organization_id),
        actions=context.state.activity.entries(organization_id, kind="api_key", limit=20),
        base_url=context.base_url,
        is_owner=user.session.role is Role.OWNER,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
