from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from errata_wire.content_encoding import too_large
from errata_wire.refusal import Refused

from errata_sdk.tunnel.tunnel import Request, Tunnel
from errata_sdk.tunnel.untraced import leave_untraced

StartResponse = Callable[[str, list[tuple[str, str]]], Any]

_CHUNK_BYTES = 64 << 10


class WsgiTunnel:
    def __init__(self, tunnel: Tunnel) -> None:
        self.tunnel = tunnel

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        leave_untraced()
        request = _wsgi_request(environ)
        answer = self.tunnel.early_answer(request)
        if answer is None:
            try:
                answer = self.tunnel.answer(request, self._body(environ))
            except Refused as refusal:
                answer = self.tunnel.refuse(request, refusal)
        headers = {**answer.headers, "Content-Length": str(len(answer.body))}
        start_response(f"{answer.status} {HTTPStatus(answer.status).phrase}", list(headers.items()))
        return [answer.body]

    def _body(self, environ: dict[str, Any]) -> bytes:
        limit = self.tunnel.rules.max_body_bytes
        length, body = environ.get("CONTENT_LENGTH") or "", environ["wsgi.input"]
        if length:
            return _exactly(body, length, limit)
        # In chunks: only a server that ends the stream itself may be read without knowing the length.
        if not environ.get("wsgi.input_terminated"):
            raise Refused(411, "missing Content-Length; chunked bodies aren't supported")
        content = bytearray()
        while part := body.read(_CHUNK_BYTES):
            content += part
            if len(content) > limit:
                raise too_large(limit)
        return bytes(content)


def _exactly(body: Any, length: str, limit: int) -> bytes:
    if not length.isascii() or not length.isdigit():
        raise Refused(400, "Content-Length is not a number")
    if int(length) > limit:
        raise too_large(limit)
    content: bytes = body.read(int(length))
    if len(content) != int(length):
        raise Refused(400, "the body was truncated")
    return content


def _wsgi_request(environ: dict[str, Any]) -> Request:
    headers = {
        name[5:].replace("_", "-").lower(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }
    return Request(environ.get("REQUEST_METHOD", ""), environ.get("REMOTE_ADDR", ""), headers)
