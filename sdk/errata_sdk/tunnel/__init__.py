"""A route of the application that takes the envelopes of browsers and writes them to the log file.

In the browser: `Sentry.init({dsn: "https://errata@errata.invalid/1", tunnel: "/tunnel"})`.
"""

from errata_wire.limits import TUNNEL_BODY_MAX_BYTES as MAX_BODY_BYTES
from errata_wire.limits import TUNNEL_REQUESTS_PER_SECOND as REQUESTS_PER_SECOND

from errata_sdk.tunnel.asgi_tunnel import AsgiTunnel
from errata_sdk.tunnel.lines import append_envelope
from errata_sdk.tunnel.routes import asgi, wsgi
from errata_sdk.tunnel.rules import Rules
from errata_sdk.tunnel.tunnel import Tunnel
from errata_sdk.tunnel.wsgi_tunnel import WsgiTunnel

__all__ = [
    "MAX_BODY_BYTES",
    "REQUESTS_PER_SECOND",
    "AsgiTunnel",
    "Rules",
    "Tunnel",
    "WsgiTunnel",
    "append_envelope",
    "asgi",
    "wsgi",
]
