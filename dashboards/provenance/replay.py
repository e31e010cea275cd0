"""The statements of a page, recorded while the page is made once more for the user who asks."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from fastapi import HTTPException, Request
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from starlette.types import Message

from dashboards.shared.rendering import Page
from errata.warehouse.asked import Asked, recorded

NO_PAGE = "The URL needs the address of a page of a project."
# Everything else in the request is about its own page.
KEPT = ("type", "asgi", "http_version", "scheme", "server", "client", "root_path", "app")


@dataclass(frozen=True)
class Replayed:
    """A page of ours at its address, and what it asked of the warehouse. `filters` are the parameters of the
    address; those of its path are among them, but for the project's."""

    address: str
    page: Page
    filters: Mapping[str, str]
    asked: Sequence[Asked]


async def replayed(request: Request, address: str) -> Replayed:
    """Makes the page at this address for whoever sent the request: what they may not see fails as there.
    Raises HTTPException for an address that is not of a page."""
    try:
        parts = urlsplit(address)
    except ValueError:
        raise HTTPException(400, NO_PAGE) from None
    path = unquote(parts.path)
    if parts.scheme or parts.netloc or not f"{path}/".startswith("/projects/"):
        raise HTTPException(400, NO_PAGE)
    status, state = 0, dict[str, object]()
    scope = {name: request.scope[name] for name in KEPT if name in request.scope} | {
        "method": "GET",
        "path": path,
        "raw_path": parts.path.encode("utf-8", "replace"),
        "query_string": parts.query.encode("utf-8", "replace"),
        "headers": [(name, value) for name, value in request.scope["headers"] if name == b"cookie"],
        "state": state,
    }

    # Whoever asks is never away: a page that is sent in pieces listens for that.
    messages: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]

    with recorded() as asked:
        # Without the handlers of failures: they pass on to the request that asks.
        await AsyncExitStackMiddleware(request.app.router)(scope, receive, send)
    page = state.get("page")
    if status != 200 or not isinstance(page, Page):
        raise HTTPException(400, NO_PAGE)
    of_path = {name: value for name, value in scope.get("path_params", {}).items() if name != "slug"}
    return Replayed(address, page, of_path | dict(parse_qsl(parts.query)), asked)
