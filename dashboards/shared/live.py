"""Pages that refresh themselves: nothing is sent while nothing has changed."""

import hashlib
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

REFRESH_HEADER = "X-Errata-Refresh"
CACHE = {"Cache-Control": "private, no-cache", "Vary": "Cookie"}


def version(*values: object) -> str:
    """A hash of the values, which are dataclasses: equal values have equal words."""
    return hashlib.blake2b(repr(values).encode("utf-8", "replace"), digest_size=8).hexdigest()


def live_answer(request: Request, state: str, body: Callable[[], bytes]) -> Response:
    """304 for a refresh that knows this state; a person who loads the page always gets it whole."""
    tag = f'W/"{state}"'
    headers = {**CACHE, "ETag": tag}
    if REFRESH_HEADER in request.headers and request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return HTMLResponse(body(), headers=headers)


def hold_slot(request: Request, parts: Iterable[Future[Any]]) -> None:
    """Keeps the slot of the request until these are known, though its response may begin before."""
    getattr(request.state, "asked", []).extend(parts)


def live_pieces(
    request: Request, state: Callable[[], str], pieces: Callable[[], Iterable[bytes]]
) -> Response:
    """The same of a page whose parts are shown as soon as they are known. A refresh waits for all of them."""
    if REFRESH_HEADER in request.headers:
        return live_answer(request, state(), lambda: b"".join(pieces()))
    return StreamingResponse(pieces(), media_type="text/html; charset=utf-8", headers=CACHE)
