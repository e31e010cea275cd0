"""The page of a one-time link: whoever has the link chooses a password; its form goes to the API."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.client_address import client_of
from api.context import ContextDependency
from dashboards.shared.current_user import bare_page
from dashboards.shared.rendering import render
from errata.errors import RateLimited
from errata.state.one_time_link import LinkKind
from errata.state.password_hashes import LONGEST, SHORTEST

router = APIRouter()

HEADERS = {
    "Cache-Control": "no-store",
    # With no-referrer the form would name no origin, and be refused as another site's.
    "Referrer-Policy": "same-origin",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
SENTENCES = {
    "weak_password": f"Use a password of {SHORTEST} to {LONGEST} characters.",
    "rate_limited": "Too many attempts. Wait a minute, then try again.",
    "state_unavailable": "The account store isn't responding. Try again shortly.",
    "csrf_failed": "The page has expired. Try again.",
    "user_exists": "You're already in the organization. Sign in instead.",
    "invalid_credentials": "Wrong password.",
}


@router.get("/link/{token}")
def one_time_link(token: str, request: Request, context: ContextDependency, error: str = "") -> Response:
    page, headers = bare_page(request), dict(HEADERS)
    try:
        context.one_time_link_rate.take(client_of(request))
    except RateLimited as refused:
        headers["Retry-After"] = str(refused.retry_after_seconds)
        body = render("one_time_link/ended.html", page, is_limited=True)
        return HTMLResponse(body, 429, headers)
    link = context.state.one_time_links.find(token)
    if link is None:
        return HTMLResponse(render("one_time_link/ended.html", page, is_limited=False), 410, headers)
    body = render(
        "one_time_link/link.html",
        page,
        link=link,
        is_invitation=link.kind is LinkKind.INVITATION,
        has_password=link.kind is LinkKind.INVITATION and link.has_account,
        token=token,
        error=SENTENCES.get(error, "It didn't work. Try again.") if error else "",
        shortest=SHORTEST,
        longest=LONGEST,
    )
    return HTMLResponse(body, headers=headers)
