"""Failures as pages with the frame of the others."""

import logging
import re
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import quote, unquote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.authentication import SAFE_METHODS
from api.problems import request_id_of, status_of
from dashboards.shared.current_user import RangeChosen, SignInNeeded, bare_page, current_user
from dashboards.shared.rendering import Page, render
from errata.errors import ErrataError

log = logging.getLogger("dashboards")

# The pages whose form has this filter.
WITH_A_PERIOD = re.compile(
    r"^/projects/[^/]+/(issues(/[^/]+)?|delivery|performance(/(page|resources|trends|releases|recommendations))?)$"
)

NO_PAGES = ("/api/", "/static/", "/v1/", "/mcp/")
RETRY_AFTER_SECONDS = 5
RETRIED = (429, 500, 502, 503, 504)
# Their errors say what to do in words for people.
SAID_BY_ERROR = (501, 502)
# What failed where only a status is known.
CODES = {400: "invalid_parameter", 404: "not_found", 405: "method_not_allowed", 500: "internal_error"}
# Title, sentence and advice by status.
WORDS = {
    400: (
        "Invalid URL",
        "It contains an unknown filter, period or cursor.",
        "",
    ),
    401: ("Not signed in", "Your session has ended.", "Sign in and try again."),
    403: (
        "Not allowed",
        "You don't have access to this page, or the page has expired.",
        "Reload the previous page and try again.",
    ),
    404: ("Page not found", "This page doesn't exist, or it belongs to a project you can't access.", ""),
    405: ("Method not allowed", "This URL doesn't support that request method.", ""),
    422: (
        "Too much data to read",
        "This page has more data to read than one page may.",
        "After an upgrade, wait until tables have been rebuilt.",
    ),
    429: (
        "Too many pages at once",
        "Your earlier pages are still loading.",
        "Wait for them to finish, then reload.",
    ),
    500: (
        "Internal error",
        "The page couldn't be loaded. Search the log for the request ID.",
        "",
    ),
    501: ("Not installed", "A package that this needs isn't installed on the server.", ""),
    502: ("Failed elsewhere", "A program or service that this needs failed.", "Try again in a minute."),
    503: (
        "Temporarily unavailable",
        "The warehouse or the account store isn't responding. "
        "No data is lost: events wait in the applications' log files.",
        "It may still be starting. If this persists, run `errata doctor` to find the cause and the fix.",
    ),
    504: (
        "This took too long",
        "The server is busy, for example while figures are being built.",
        "Try again in a minute.",
    ),
}


def install(app: FastAPI) -> None:
    async def known(request: Request, error: Exception) -> Response:
        assert isinstance(error, ErrataError)
        status = status_of(error.code)
        if status >= 500:
            facts = request_id_of(request), logged_path(request.url.path)
            log.error("Request %s to %s failed with %s: %s", *facts, error.code, error)
        return await framed(request, status, str(error) if status in SAID_BY_ERROR else "", error.code)

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        # Without words of ours Starlette says what the status is called.
        own = error.detail if error.detail != HTTPStatus(error.status_code).phrase else ""
        if error.status_code == 404 and (address := _without_slash(request)):
            return RedirectResponse(address, 308)
        return await framed(request, error.status_code, own)

    async def invalid(request: Request, error: Exception) -> Response:
        return await framed(request, 400)

    async def sign_in(request: Request, error: Exception) -> Response:
        assert isinstance(error, SignInNeeded)
        query = f"?{request.url.query}" if request.url.query else ""
        wanted = quote(request.url.path + query, safe="/")
        return RedirectResponse(f"{error.page}?next={wanted}" if wanted != "/" else error.page, 303)

    async def range_chosen(request: Request, error: Exception) -> Response:
        assert isinstance(error, RangeChosen)
        return RedirectResponse(error.address, status_code=303)

    app.add_exception_handler(RangeChosen, range_chosen)
    app.add_exception_handler(ErrataError, known)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(SignInNeeded, sign_in)


def _without_slash(request: Request) -> str:
    """The address of a page without a slash at its end; empty: there is none. A path that began with two
    slashes would lead to another host."""
    path = request.scope["path"]
    if request.method not in SAFE_METHODS or not path.endswith("/") or path.startswith(NO_PAGES):
        return ""
    query = f"?{request.url.query}" if request.url.query else ""
    shorter = path.strip("/")
    return f"/{quote(shorter)}{query}" if shorter else ""


def logged_path(path: str) -> str:
    """The path without the token of a link, which gives access to what was shared, or to an account."""
    for start in ("/shared/", "/link/"):
        if path.startswith(start):
            return f"{start}…"
    return path


async def refuse(request: Request, error: ErrataError) -> HTMLResponse:
    """In the frame as far as it was made: this needs no thread."""
    return page(request, status_of(error.code), code=error.code)


async def framed(request: Request, status: int, sentence: str = "", code: str = "") -> HTMLResponse:
    """With the frame of who is signed in, and of the project in the address, where they can be found out."""
    known: Page | None = getattr(request.state, "page", None)
    if known is None or known.project is None:
        with suppress(ErrataError, SignInNeeded):
            await run_in_threadpool(_frame, request)
    return page(request, status, sentence, code)


def _frame(request: Request) -> None:
    user = current_user(request, request.app.state.context)
    _, area, slug, section, *_ = [*request.url.path.split("/"), "", "", ""]
    if area == "projects" and slug:
        user.framed(request, "", section, user.project(unquote(slug)))


def page(request: Request, status: int, sentence: str = "", code: str = "") -> HTMLResponse:
    title, usual_sentence, advice = WORDS.get(status) or (HTTPStatus(status).phrase, "", "")
    if status == 422 and WITH_A_PERIOD.search(request.url.path):
        advice = f"Go back and choose a shorter period. {advice}"
    # The frame as far as it was known when it failed, so that people can go elsewhere from here.
    frame: Page = getattr(request.state, "page", None) or bare_page(request)
    body = render(
        "shared/failure.html",
        replace(frame, title=title),
        status=status,
        sentence=sentence or usual_sentence,
        advice=advice,
        # The log alone names what failed within.
        code=code if code and status != 500 else CODES.get(status, ""),
        # A form's address answers no GET.
        can_retry=status in RETRIED and request.method in SAFE_METHODS,
    )
    headers = {"Cache-Control": "no-store"}
    if status in (429, 503, 504):
        headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return HTMLResponse(body, status_code=status, headers=headers)
