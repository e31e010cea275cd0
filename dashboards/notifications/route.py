"""The notifications of the signed-in user."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.authentication import require_csrf
from api.context import ContextDependency
from api.notifications import MOST_A_PAGE, address, further_detail, sentence
from api.parameters import LARGEST_ID, IdInPath
from dashboards.shared.current_user import AccountUserDependency
from dashboards.shared.form import FormDependency
from dashboards.shared.rendering import render
from errata.places import NOTIFICATIONS
from errata.state.notifications import Notification

router = APIRouter()

HERE = NOTIFICATIONS.path


@dataclass(frozen=True)
class Shown:
    one: Notification
    words: str
    detail: str

    @classmethod
    def of(cls, one: Notification) -> "Shown":
        return cls(one, sentence(one), further_detail(one))


@router.get(HERE)
def notifications_page(
    request: Request,
    context: ContextDependency,
    user: AccountUserDependency,
    before: Annotated[int | None, Query(ge=1, le=LARGEST_ID)] = None,
) -> Response:
    """The latest first."""
    found = context.state.notifications.of_user(
        user.session.organization_id, user.session.user_id, MOST_A_PAGE + 1, before
    )
    body = render(
        "notifications/notifications.html",
        user.framed(request, "Notifications", "notifications"),
        here=HERE,
        before=before or "",
        notifications=[Shown.of(one) for one in found[:MOST_A_PAGE]],
        older=found[MOST_A_PAGE - 1].id if len(found) > MOST_A_PAGE else None,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})


@router.post(HERE)
def mark_read(
    request: Request, context: ContextDependency, user: AccountUserDependency, form: FormDependency
) -> Response:
    """Marks one, or all up to the latest one that was shown."""
    require_csrf(request, user.session, form["csrf_token"])
    given = form.number("id", 0), form.number("through_id", 0)
    one, through = (min(number, LARGEST_ID) for number in given)
    context.state.notifications.mark_read(user.session.organization_id, user.session.user_id, [one], through)
    before = form.number("before", 0)
    return RedirectResponse(f"{HERE}?before={before}" if before else HERE, status_code=303)


@router.get(HERE + "/{notification_id}")
def open_notification(
    notification_id: IdInPath, context: ContextDependency, user: AccountUserDependency
) -> Response:
    """Leads to the page that the notification is about, which counts as reading it."""
    found = context.state.notifications.get(
        user.session.organization_id, user.session.user_id, notification_id
    )
    if found is None:
        raise HTTPException(404, "This notification no longer exists.")
    context.state.notifications.mark_read(user.session.organization_id, user.session.user_id, [found.id])
    return RedirectResponse(address(found), status_code=303, headers={"Cache-Control": "no-store"})
