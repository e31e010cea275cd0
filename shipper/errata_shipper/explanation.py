"""Why no answer came, in the specification's words, and what to do about it."""

import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from urllib3.exceptions import (
    ConnectTimeoutError,
    NameResolutionError,
    NewConnectionError,
    ProxyError,
    ReadTimeoutError,
)

from errata_shipper.errors import ServerUnreachable
from errata_shipper.proxy import Proxy

_UNKNOWN_AUTHORITY = (
    "update this host's CA certificates (package ca-certificates), "
    "or set caFile to the authority's certificate"
)
# OpenSSL's X509_V_ERR_ numbers.
_CERTIFICATE_REMEDIES = {
    9: "correct this host's clock, or replace the certificate on the server",
    10: "renew the certificate on the server, or correct this host's clock if it is wrong",
    62: "set baseUrl to a host name in the certificate",
    # Python 3.13 and later insist on these.
    **dict.fromkeys(
        range(80, 94),
        "reissue it, or its authority's certificate, according to RFC 5280 (key usage, key identifiers)",
    ),
}
_HANDSHAKE_EXPLANATIONS = {
    "WRONG_VERSION_NUMBER": ("the server doesn't use TLS on this port", "correct baseUrl"),
    "HTTP_REQUEST": ("the server doesn't use TLS on this port", "correct baseUrl"),
    "UNSUPPORTED_PROTOCOL": ("the server doesn't support TLS 1.2 or later", "update the server"),
    "TLSV1_ALERT_PROTOCOL_VERSION": ("the server doesn't support TLS 1.2 or later", "update the server"),
}


def unreachable(error: Exception, base_url: str, proxy: Proxy | None) -> ServerUnreachable:
    """What `error` means to an operator."""
    place = urlsplit(base_url).netloc
    causes = list(_causes(error))
    if proxy is not None and any(isinstance(cause, ProxyError) for cause in causes):
        return _proxy_explanation(causes, place, proxy)
    what, remedy = _explanation(causes, "baseUrl")
    return ServerUnreachable(f"{what} ({place})", remedy)


def not_errata(status_line: str) -> ServerUnreachable:
    """What answered is no Errata server: it says nothing about keys or lines."""
    return ServerUnreachable(
        f"A proxy or another server answered {status_line}, not Errata",
        "check baseUrl, and that proxies and firewalls in between forward requests to it",
    )


def proxy_refused(status: str, place: str, proxy: Proxy) -> ServerUnreachable:
    """The proxy answered, and will not pass us on to `place`."""
    remedy = f"check that the proxy allows connections to {place}"
    if status.startswith("407"):
        wrong = "correct ones" if proxy.credentials else "them"
        remedy = f"it requires a user and password: put {wrong} in {proxy.named_by}, http://user:password@…"
    return ServerUnreachable(f"Proxy refused the connection: {status} ({_place(proxy)})", remedy)


def _proxy_explanation(causes: list[BaseException], place: str, proxy: Proxy) -> ServerUnreachable:
    for cause in causes:
        _, is_refusal, status = str(cause).partition("Tunnel connection failed: ")
        if is_refusal and not isinstance(cause, ProxyError):
            return proxy_refused(status, place, proxy)
    what, remedy = _explanation(causes, proxy.named_by)
    return ServerUnreachable(f"{what} ({_place(proxy)})", remedy)


def _place(proxy: Proxy) -> str:
    return f"proxy {proxy.host}:{proxy.port}, from {proxy.named_by}"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and those it wraps; urllib3 keeps the wrapped one among the arguments."""
    yield error
    for argument in error.args:
        if isinstance(argument, BaseException):
            yield from _causes(argument)
            return
    if error.__cause__ is not None:
        yield from _causes(error.__cause__)


def _explanation(causes: list[BaseException], field: str) -> tuple[str, str]:
    for cause in causes:
        match cause:
            case NameResolutionError() | socket.gaierror():
                return "Host name not found", f"check {field} and the host's DNS"
            case ssl.SSLCertVerificationError():
                remedy = _CERTIFICATE_REMEDIES.get(cause.verify_code, _UNKNOWN_AUTHORITY)
                return f"SSL certificate error: {cause.verify_message.rstrip('.')}", remedy
            case ssl.SSLError():
                what, remedy = _HANDSHAKE_EXPLANATIONS.get(
                    cause.reason or "",
                    (cause.reason or str(cause), "check the network between this host and the server"),
                )
                return f"TLS failed: {what}", remedy
            case ConnectionRefusedError():
                remedy = f"check {field}, and that no firewall (outbound 443) or proxy blocks the connection"
                return "Connection refused", remedy
            case NewConnectionError():
                continue
            case ConnectTimeoutError() | ReadTimeoutError() | TimeoutError():
                return "Connection timeout", "raise timeout, or check for a slow network"
    return f"Connection failed: {_last_words(causes)}", "check the network between this host and the server"


def _last_words(causes: list[BaseException]) -> str:
    last = causes[-1]
    return (last.strerror if isinstance(last, OSError) else None) or str(last) or type(last).__name__
