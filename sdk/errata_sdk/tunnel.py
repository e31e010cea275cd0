"""A route of the application that takes the envelopes of browsers and writes them to the log file.

In the browser: `Sentry.init({dsn: "https://errata@errata.invalid/1", tunnel: "/tunnel"})`.
"""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from os import PathLike
from pathlib import Path
from typing import Any

import sentry_sdk

from errata_sdk import envelope
from errata_sdk.line import binary_line_of, line_of
from errata_sdk.log_file import LogFile

MAX_BODY_BYTES = 10 << 20

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
StartResponse = Callable[[str, list[tuple[str, str]]], Any]


class BodyTooLargeError(ValueError):
    """A body over the tunnel's limit."""


class Tunnel:
    """Where browsers' envelopes go."""

    def __init__(
        self, app_key: str, storage_path: str | PathLike[str], max_body_bytes: int = MAX_BODY_BYTES
    ) -> None:
        self.app_key = app_key
        self.log_file = LogFile(Path(storage_path).absolute())
        self.max_body_bytes = max_body_bytes

    def answer(self, body: bytes, client_address: str = "") -> int:
        """Write a body's items; the HTTP status to answer with."""
        try:
            append_envelope(body, self.app_key, self.log_file, client_address)
        except envelope.EnvelopeError:
            return 400
        # Also when the disk is full: a browser that tries again would only make it worse.
        return 200


def append_envelope(body: bytes, app_key: str, log_file: LogFile, client_address: str = "") -> int:
    """Write the items of a browser's envelope to the log; how many were written.

    Nothing is written of a body that is not an envelope.
    """
    header = envelope.header(body)
    items = list(envelope.items(body))
    return sum(log_file.append(_line(item, header, app_key, client_address)) for item in items)


def _line(item: envelope.EnvelopeItem, header: dict[str, Any], app_key: str, client_address: str) -> bytes:
    headers = dict(item.headers)
    # The items of some SDKs name their release, environment and sample rate nowhere else.
    if header.get("trace") and item.type != "event":
        headers["trace"] = header["trace"]
    # A recording's bytes name their segment, but only the envelope names the recording.
    if item.type == "replay_recording" and header.get("event_id"):
        headers["event_id"] = header["event_id"]
    try:
        payload = item.json()
    except (ValueError, RecursionError):
        return binary_line_of(item.type, app_key, headers, item.payload)
    _name_address(payload, client_address)
    return line_of(item.type, app_key, headers, payload)


def _name_address(payload: Any, client_address: str) -> None:
    """A browser does not know its address: where the page names its user, the place is left free or open."""
    user = payload.get("user") if isinstance(payload, dict) else None
    if not isinstance(user, dict) or not user:
        return
    asked = user.get("ip_address") == "{{auto}}"
    sdk = payload.get("sdk")
    settings = sdk.get("settings") if isinstance(sdk, dict) else None
    inferred = isinstance(settings, dict) and settings.get("infer_ip") == "auto"
    if client_address and (asked or (inferred and "ip_address" not in user)):
        user["ip_address"] = client_address
    elif asked:
        del user["ip_address"]


class AsgiTunnel:
    """An object, not a function: frameworks take functions for handlers of their own kind."""

    def __init__(self, tunnel: Tunnel) -> None:
        self.tunnel = tunnel

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        _leave_untraced()
        status = 405
        if scope["method"] == "POST":
            try:
                body = await _body(receive, self.tunnel.max_body_bytes)
                status = self.tunnel.answer(body, (scope.get("client") or ("",))[0])
            except BodyTooLargeError:
                status = 413
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})


def asgi(app_key: str, storage_path: str | PathLike[str], max_body_bytes: int = MAX_BODY_BYTES) -> AsgiTunnel:
    """The tunnel as an ASGI application, to be put at a path of one's own."""
    return AsgiTunnel(Tunnel(app_key, storage_path, max_body_bytes))


def _leave_untraced() -> None:
    """Envelopes are no traffic of the application."""
    transaction = sentry_sdk.get_current_scope().transaction
    if transaction is not None:
        transaction.sampled = False


async def _body(receive: Receive, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            raise BodyTooLargeError(f"over {limit} bytes")
        if not message.get("more_body"):
            return b"".join(parts)


_STATUS = {
    200: "200 OK",
    400: "400 Bad Request",
    405: "405 Method Not Allowed",
    413: "413 Content Too Large",
}


def wsgi(
    app_key: str, storage_path: str | PathLike[str], max_body_bytes: int = MAX_BODY_BYTES
) -> Callable[[dict[str, Any], StartResponse], Iterable[bytes]]:
    """The tunnel as a WSGI application, to be put at a path of one's own."""
    tunnel = Tunnel(app_key, storage_path, max_body_bytes)

    def application(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        _leave_untraced()
        length = environ.get("CONTENT_LENGTH") or "0"
        if environ.get("REQUEST_METHOD") != "POST":
            status = 405
        elif not length.isdigit():
            status = 400
        elif int(length) > max_body_bytes:
            status = 413
        else:
            status = tunnel.answer(environ["wsgi.input"].read(int(length)), environ.get("REMOTE_ADDR", ""))
        start_response(_STATUS[status], [("Content-Length", "0")])
        return [b""]

    return application
