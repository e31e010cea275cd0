"""The envelope of every response: a request id, strict headers, and a page for an unforeseen failure."""

import logging
from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboards.shared import failures
from errata.process_log.request_name import name_request

log = logging.getLogger("dashboards")

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Envelope:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_page = not scope["path"].startswith("/api/")
        if is_page:
            # The API gives its own answers their ids.
            scope.setdefault("state", {})["request_id"] = uuid4().hex
            name_request(scope["state"]["request_id"])
        has_started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if is_page:
                    headers["X-Request-Id"] = scope["state"]["request_id"]
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception:
            request_id = scope["state"].get("request_id", "")
            path = failures.logged_path(scope["path"])
            log.exception("Request %s to %s failed unexpectedly", request_id, path)
            if has_started:
                raise
            await failures.page(Request(scope), 500)(scope, receive, send_with_headers)
