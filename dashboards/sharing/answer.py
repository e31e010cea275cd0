"""What every answer to a share link has, and those that show nothing."""

from starlette.responses import HTMLResponse

from dashboards.shared.rendering import Page, render

HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
NO_MORE = {
    404: ("Link not found", "This link doesn't exist. Check that you copied all of it."),
    410: (
        "Link no longer available",
        "It has expired, was revoked, or its content has been deleted. Ask the sender for a new link.",
    ),
    429: ("Too many requests", "Too many requests from your IP address. Try again in a minute."),
}


def no_more(page: Page, status: int, retry_after_seconds: int = 0) -> HTMLResponse:
    title, sentence = NO_MORE[status]
    body = render("sharing/no_more.html", page, title=title, sentence=sentence)
    retry = {"Retry-After": str(retry_after_seconds)} if retry_after_seconds else {}
    return HTMLResponse(body, status_code=status, headers=HEADERS | retry)
