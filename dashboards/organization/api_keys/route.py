"""The organization's API key."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.context import Context, ContextDependency
from api.key_hosts import HostOfKey, hosts_of_keys
from dashboards.shared.current_user import CurrentUserDependency, WholeUserDependency
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from errata.places import API_KEYS, PEOPLE
from errata.state.users import Role
from errata.warehouse.client import WarehouseUnavailable

router = APIRouter()


@router.get("/settings")
def settings(user: CurrentUserDependency) -> Response:
    """The first page of the organization that the user may see."""
    first = API_KEYS if user.session.project_ids is None else PEOPLE
    return RedirectResponse(first.path, status_code=303)


@router.get(API_KEYS.path)
def api_keys_page(request: Request, context: ContextDependency, user: WholeUserDependency) -> Response:
    organization_id = user.session.organization_id
    key = context.state.keys.api.get(organization_id)
    body = render(
        "organization/api_keys/api_keys.html",
        user.framed(request, "API keys", "organization"),
        **navigation(API_KEYS),
        key=key,
        rotate_by=key.rotate_by(context.settings.key_days),
        next_key=context.state.keys.api.next(organization_id),
        hosts=_hosts(context, organization_id),
        actions=context.state.activity.entries(organization_id, kind="api_key", limit=20),
        base_url=context.base_url,
        is_owner=user.session.role is Role.OWNER,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})


@router.get("/settings/api-tokens")
def former_address(_user: CurrentUserDependency) -> Response:
    """Of bookmarks and of messages that earlier versions sent."""
    return RedirectResponse(API_KEYS.path, status_code=308)


def _hosts(context: Context, organization_id: int) -> list[HostOfKey] | None:
    """None while the warehouse is away: a leaked key must be regenerated even then."""
    try:
        return hosts_of_keys(context, organization_id)
    except WarehouseUnavailable:
        return None
