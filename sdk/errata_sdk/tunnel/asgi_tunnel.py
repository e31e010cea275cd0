import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from errata_wire.content_encoding import too_large
from errata_wire.refusal import Refused

from errata_sdk.tunnel.tunnel import Request, Response, Tunnel
from errata_sdk.tunnel.untraced import leave_untraced

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

# Reading and scrubbing more than this takes long enough for other requests to notice.
_LARGE_BYTES = 32 << 10


class AsgiTunnel:
    """An object, not a function: frameworks take functions for handlers of their own kind."""

    def __init__(self, tunnel: Tunnel) -> None:
        self.tunnel = tunnel

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        leave_untraced()
        request = _asgi_request(scope)
        answer = self.tunnel.early_answer(request)
        if answer is None:
            try:
                answer = await self._answer(request, await self._body(receive))
            except Refused as refusal:
                answer = self.tunnel.refuse(request, refusal)
        headers = {**answer.headers, "Content-Length": str(len(answer.body))}
        encoded = [(name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers.items()]
        await send({"type": "http.response.start", "status": answer.status, "headers": encoded})
        await send({"type": "http.response.body", "body": answer.body})

    async def _answer(self, request: Request, body: bytes) -> Response:
        if len(body) > _LARGE_BYTES and _is_under_asyncio():
            return await asyncio.to_thread(self.tunnel.answer, request, body)
        return self.tunnel.answer(request, body)

    async def _body(self, receive: Receive) -> bytes:
        parts: list[bytes] = []
        size, limit = 0, self.tunnel.rules.max_body_bytes
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Refused(400, "the body was truncated")
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > limit:
                raise too_large(limit)
            if not message.get("more_body"):
                return b"".join(parts)


def _asgi_request(scope: Scope) -> Request:
    headers: dict[str, str] = {}
    for name, text in scope.get("headers") or ():
        key, value = name.decode("latin-1").lower(), text.decode("latin-1")
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return Request(scope["method"], (scope.get("client") or ("",))[0], headers)


def _is_under_asyncio() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
