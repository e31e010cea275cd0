"""The activity log of the organization."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from api.parameters import LARGEST_ID
from dashboards.shared.current_user import WholeUserDependency
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from errata.places import ACTIVITY
from errata.state.activity_actions import KINDS

router = APIRouter()


MOST = 100


@router.get(ACTIVITY.path)
def activity_page(
    request: Request,
    context: ContextDependency,
    user: WholeUserDependency,
    kind: str = "",
    before: Annotated[int | None, Query(ge=1, le=LARGEST_ID)] = None,
) -> Response:
    """Newest first; an unknown kind shows all."""
    kind = kind if kind in KINDS else ""
    found = context.state.activity.entries(
        user.session.organization_id, kind=kind, limit=MOST + 1, before_id=before
    )
    body = render(
        "organization/activity/activity.html",
        user.framed(request, "Activity", "organization"),
        **navigation(ACTIVITY),
        actions=found[:MOST],
        kinds=KINDS,
        kind=kind,
        older=found[MOST - 1].id if len(found) > MOST else None,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
