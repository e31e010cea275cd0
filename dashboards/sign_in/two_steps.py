"""Where people without two-factor authentication are led, in an organization that requires it."""

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.authentication import SIGN_IN_PAGE, session_of
from api.context import ContextDependency
from api.local_path import local_path
from dashboards.shared.current_user import SecondStepNeeded, bare_page
from dashboards.shared.rendering import render
from dashboards.shared.two_steps import two_steps_view

router = APIRouter()


@router.get(SecondStepNeeded.page)
def two_steps_page(request: Request, context: ContextDependency, next: str = "/") -> Response:  # noqa: A002 - the address's word
    destination = local_path(next)
    session = session_of(request, context)
    if session is None:
        return RedirectResponse(SIGN_IN_PAGE, status_code=303)
    if not session.lacks_second_step:
        return RedirectResponse(destination, status_code=303)
    body = render(
        "sign_in/two_steps.html",
        replace(bare_page(request), csrf_token=session.csrf_token),
        organization=session.organization,
        others=[
            each
            for each in context.state.members.organizations_of(session.user_id)
            if each.organization_id != session.organization_id
        ],
        email=session.email,
        two_steps=two_steps_view(context.state, session),
        then=destination,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
