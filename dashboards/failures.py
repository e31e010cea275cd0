"""What went wrong, as a page in the dress of the others."""

import logging
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.problems import request_id_of, status_of
from dashboards.rendering import Page, render
from dashboards.visitor import SignInNeeded, bare_page, visitor
from errata.errors import ErrataError

log = logging.getLogger("dashboards")

RETRY_AFTER_SECONDS = 5
# Title, sentence and advice by status.
WORDS = {
    400: (
        "The address holds a value that cannot be used",
        "A filter, period or cursor in it is not one we know.",
        "",
    ),
    403: (
        "Not allowed",
        "Your account may not see this, or the page is out of date.",
        "Load the page before again, then repeat what you did.",
    ),
    404: ("Nothing here", "There is no such page, or it belongs to a project that is not yours.", ""),
    405: ("Not like this", "This address cannot be asked in this way.", ""),
    422: (
        "Too much to look at",
        "This page cannot be made in the time, or the memory, that a page may take.",
        "Narrow its filter, or ask about fewer days. "
        "While tables are built anew after an upgrade, wait until they are.",
    ),
    429: (
        "Too many pages at once",
        "Your earlier pages are still loading.",
        "Wait for them, then reload.",
    ),
    500: (
        "Something went wrong on our side",
        "The page could not be made. What happened stands in the log under the request id.",
        "",
    ),
    503: (
        "The figures are away for a moment",
        "The warehouse or the account store does not answer. "
        "Nothing is lost: what applications send waits in their log files.",
        "It may be starting. If this stays, `errata doctor` says what is wrong and how to mend it.",
    ),
}


def install(app: FastAPI) -> None:
    async def known(request: Request, error: Exception) -> Response:
        assert isinstance(error, ErrataError)
        status = status_of(error.code)
        if status >= 500:
            facts = {"request_id": request_id_of(request), "path": logged_path(request.url.path)}
            log.error("A page failed with %s: %s", error.code, error, extra=facts)
        return await framed(request, status)

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        # Without words of ours Starlette says what the status is called.
        own = error.detail if error.detail != HTTPStatus(error.status_code).phrase else ""
        return await framed(request, error.status_code, own)

    async def invalid(request: Request, error: Exception) -> Response:
        return await framed(request, 400)

    async def sign_in(request: Request, error: Exception) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        wanted = quote(request.url.path + query, safe="/")
        return RedirectResponse(f"/sign-in?next={wanted}" if wanted != "/" else "/sign-in", status_code=303)

    app.add_exception_handler(ErrataError, known)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(SignInNeeded, sign_in)


def logged_path(path: str) -> str:
    """Whoever has a public link's token may read what was shared, so it stays out of the log."""
    return "/shared/…" if path.startswith("/shared/") else path


async def refuse(request: Request, error: ErrataError) -> HTMLResponse:
    """In the frame as far as it was made: this needs no thread."""
    return page(request, status_of(error.code))


async def framed(request: Request, status: int, sentence: str = "") -> HTMLResponse:
    """With the frame of who is signed in, where that can be found out."""
    if getattr(request.state, "page", None) is None:
        with suppress(ErrataError, SignInNeeded):
            await run_in_threadpool(visitor, request, request.app.state.context)
    return page(request, status, sentence)


def page(request: Request, status: int, sentence: str = "") -> HTMLResponse:
    title, usual_sentence, advice = WORDS.get(status, WORDS[500 if status >= 500 else 404])
    # The frame as far as it was known when it failed, so that people can go elsewhere from here.
    frame: Page = getattr(request.state, "page", None) or bare_page(request)
    body = render(
        "failure.html",
        replace(frame, title=title),
        status=status,
        sentence=sentence or usual_sentence,
        advice=advice,
    )
    headers = {"Cache-Control": "no-store"}
    if status in (429, 503):
        headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return HTMLResponse(body, status_code=status, headers=headers)
