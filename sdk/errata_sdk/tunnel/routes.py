"""The tunnel as an application of either kind, to be put at a path of one's own."""

from collections.abc import Iterable
from os import PathLike

from errata_wire.limits import TUNNEL_BODY_MAX_BYTES, TUNNEL_REQUESTS_PER_SECOND

from errata_sdk.tunnel.asgi_tunnel import AsgiTunnel
from errata_sdk.tunnel.rules import Rules
from errata_sdk.tunnel.tunnel import Tunnel
from errata_sdk.tunnel.wsgi_tunnel import WsgiTunnel


def asgi(
    app_key: str,
    storage_path: str | PathLike[str],
    max_body_bytes: int = TUNNEL_BODY_MAX_BYTES,
    *,
    origins: Iterable[str] = (),
    requests_per_second: float = TUNNEL_REQUESTS_PER_SECOND,
    trusted_proxies: int = 0,
) -> AsgiTunnel:
    """The tunnel as an ASGI application."""
    rules = Rules(max_body_bytes, origins, requests_per_second, trusted_proxies)
    return AsgiTunnel(Tunnel(app_key, storage_path, rules=rules))


def wsgi(
    app_key: str,
    storage_path: str | PathLike[str],
    max_body_bytes: int = TUNNEL_BODY_MAX_BYTES,
    *,
    origins: Iterable[str] = (),
    requests_per_second: float = TUNNEL_REQUESTS_PER_SECOND,
    trusted_proxies: int = 0,
) -> WsgiTunnel:
    """The tunnel as a WSGI application."""
    rules = Rules(max_body_bytes, origins, requests_per_second, trusted_proxies)
    return WsgiTunnel(Tunnel(app_key, storage_path, rules=rules))
