"""The sign-in page; its form goes to the API, which answers with the session's cookie."""

from urllib.parse import unquote

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.authentication import EMAIL_COOKIE, SIGN_IN_PAGE, session_of
from api.context import ContextDependency
from api.local_path import local_path
from dashboards.shared.current_user import bare_page
from dashboards.shared.rendering import render

router = APIRouter()

SENTENCES = {
    "invalid_credentials": "Wrong email address or password.",
    "sign_in_expired": "The sign-in took too long. Start again.",
    "rate_limited": "Too many attempts. Wait five minutes, then try again.",
    "state_unavailable": "The account store isn't responding. Try again shortly.",
    "csrf_failed": "The page has expired. Try again.",
}


@router.get("/sign-in")
def sign_in(request: Request, context: ContextDependency, next: str = "/", error: str = "") -> Response:  # noqa: A002 - the address's word
    destination = local_path(next)
    if not error and session_of(request, context) is not None:
        return RedirectResponse(destination, status_code=303)
    page = bare_page(request)
    sentence = SENTENCES.get(error, "Sign-in failed. Try again.") if error else ""
    email = unquote(request.cookies.get(EMAIL_COOKIE, "")) if error else ""
    body = render(
        "sign_in/sign_in.html",
        page,
        next=destination,
        error=sentence,
        email=email,
        has_mail=context.mail is not None,
    )
    answer = HTMLResponse(body, headers={"Cache-Control": "no-store"})
    if EMAIL_COOKIE in request.cookies:
        answer.delete_cookie(EMAIL_COOKIE, path=SIGN_IN_PAGE)
    return answer
