"""Middleware that tells the activity log the address of each request's client."""

from starlette.types import ASGIApp, Receive, Scope, Send

from api.client_address import address_of
from errata.state.origin import request_from


class Origin:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with request_from(address_of(scope)):
            await self._app(scope, receive, send)
