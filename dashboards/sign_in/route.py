"""The sign-in page; its form goes to the API, which answers with the session's cookie."""

from urllib.parse import unquote

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.authentication import EMAIL_COOKIE, SIGN_IN_PAGE, session_of
from api.context import ContextDependency
from api.local_path import local_path
from dashboards.shared.current_user import bare_page
from dashboards.shared.rendering import render
from dashboards.sign_in.sentences import sentence_of

router = APIRouter()


@router.get("/sign-in")
def sign_in(
    request: Request,
    context: ContextDependency,
    next: str = "/",  # noqa: A002 - the address's word
    error: str = "",
    reason: str = "",
) -> Response:
    destination = local_path(next)
    if not error and session_of(request, context) is not None:
        return RedirectResponse(destination, status_code=303)
    page = bare_page(request)
    sentence = sentence_of(error, reason) if error else ""
    email = unquote(request.cookies.get(EMAIL_COOKIE, "")) if error else ""
    body = render(
        "sign_in/sign_in.html",
        page,
        next=destination,
        error=sentence,
        email=email,
        has_mail=context.mail is not None,
        provider=context.single_sign_on.label if context.single_sign_on else "",
    )
    answer = HTMLResponse(body, headers={"Cache-Control": "no-store"})
    if EMAIL_COOKIE in request.cookies:
        answer.delete_cookie(EMAIL_COOKIE, path=SIGN_IN_PAGE)
    return answer
