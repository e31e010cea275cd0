"""Middleware that tells the activity log the address of each request's client."""

from starlette.types import ASGIApp, Receive, Scope, Send

from errata.state.origin import request_from


class Origin:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        with request_from(str(client[0]) if client else ""):
            await self._app(scope, receive, send)
