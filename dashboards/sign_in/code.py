"""The page of the second step; its form goes to the API."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.authentication import STEP_COOKIE
from api.context import ContextDependency
from api.local_path import local_path
from dashboards.shared.current_user import bare_page
from dashboards.shared.rendering import render

router = APIRouter()

SENTENCES = {
    "invalid_code": "This code is wrong or already used. Wait for the next one.",
    "rate_limited": "Too many attempts. Wait five minutes, then try again.",
    "state_unavailable": "The account store isn't responding. Try again shortly.",
    "csrf_failed": "The page has expired. Try again.",
    "secret_unreadable": "Your code can't be checked: the secret of the service has changed. Ask an owner to "
    "turn off two-factor authentication for you.",
}


@router.get("/sign-in/code")
def code_page(request: Request, context: ContextDependency, next: str = "/", error: str = "") -> Response:  # noqa: A002 - the address's word
    destination = local_path(next)
    is_awaited = context.state.second_step.is_awaited(request.cookies.get(STEP_COOKIE, ""))
    sentence = SENTENCES.get(error, "It didn't work. Try again.") if error else ""
    body = render(
        "sign_in/code.html", bare_page(request), next=destination, error=sentence, is_awaited=is_awaited
    )
    return HTMLResponse(body, 200 if is_awaited else 410, {"Cache-Control": "no-store"})
