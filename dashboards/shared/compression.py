"""Pages compressed, unless another site may have asked for them."""

import zlib

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# A site that chooses an address could otherwise guess tokens of the page by its length (BREACH). On https and
# loopback, browsers say whose request it is.
OWN = ("same-origin", "none")
# A higher level costs twice the time for a few percent.
LEVEL = 5
WITH_GZIP_HEADER = 31
BODILESS = (204, 304)


class Compression:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _is_wanted(Headers(scope=scope)):
            send = _Compressor(send).send
        await self._app(scope, receive, send)


class _Compressor:
    """Sends on each part of a page as it comes, so that what is read first is shown first."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._packer: zlib._Compress | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] not in BODILESS:
            headers = MutableHeaders(scope=message)
            if headers.get("Content-Type", "").startswith("text/html"):
                self._packer = zlib.compressobj(LEVEL, wbits=WITH_GZIP_HEADER)
                headers["Content-Encoding"] = "gzip"
                headers.add_vary_header("Accept-Encoding, Sec-Fetch-Site")
                del headers["Content-Length"]
        elif message["type"] == "http.response.body" and self._packer:
            until = zlib.Z_SYNC_FLUSH if message.get("more_body") else zlib.Z_FINISH
            packed = self._packer.compress(message.get("body", b"")) + self._packer.flush(until)
            message = {**message, "body": packed}
        await self._send(message)


def _is_wanted(headers: Headers) -> bool:
    return "gzip" in headers.get("Accept-Encoding", "") and headers.get("Sec-Fetch-Site") in OWN
