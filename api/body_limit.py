"""Refuses bodies over a limit, by their announced length or while they are read."""

from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimit:
    """Middleware; FastAPI's own limit has another response shape, and counts its exceptions as unforeseen."""

    def __init__(self, app: ASGIApp, limit_bytes_of: Callable[[str], int]) -> None:
        self._app = app
        self._limit_bytes_of = limit_bytes_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit_bytes_of(scope["path"])
        scope.setdefault("state", {})["body_limit_bytes"] = limit
        announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        received = int(announced) if announced.isdigit() else 0

        async def limited_receive() -> Message:
            nonlocal received
            # Raised where the endpoint reads, so that authentication responds first.
            if received > limit:
                raise HTTPException(413)
            message = await receive()
            if message["type"] == "http.request" and not announced.strip(b"0"):
                received += len(message.get("body", b""))
                if received > limit:
                    raise HTTPException(413)
            return message

        await self._app(scope, limited_receive, send)
