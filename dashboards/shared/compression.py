"""Pages compressed, unless another site may have asked for them."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# A site that chooses an address could otherwise guess tokens of the page by its length (BREACH). On https and
# loopback, browsers say whose request it is.
OWN = ("same-origin", "none")
# A higher level costs twice the time for a few percent.
LEVEL = 5
# All but text/html.
NO_PAGES = (
    *("application/*", "audio/*", "font/*", "image/*", "video/*"),
    *("text/css", "text/csv", "text/event-stream", "text/javascript", "text/plain"),
)


class Compression:
    """Each part of a page is sent on as it comes, so that what is read first is shown first."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._packing = GZipMiddleware(app, 1, LEVEL, exclude_content_types=NO_PAGES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or Headers(scope=scope).get("Sec-Fetch-Site") not in OWN:
            await self._app(scope, receive, send)
            return

        async def varied(message: Message) -> None:
            if message["type"] == "http.response.start" and "content-encoding" in Headers(scope=message):
                MutableHeaders(scope=message).add_vary_header("Sec-Fetch-Site")
            await send(message)

        await self._packing(scope, receive, varied)
