"""The address that a request comes from, by which visits are limited and the activity log names it."""

from collections.abc import Sequence

from errata_wire.address import Address, network, parsed
from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from errata.outgoing.policy import Network

FORWARDED_FOR, FORWARDED_PROTO = b"x-forwarded-for", b"x-forwarded-proto"


def client_of(request: Request) -> str:
    """The network that limits of visits count as one client."""
    return network(address_of(request.scope))


def address_of(scope: Scope) -> str:
    """Empty where the server knows none."""
    client = scope.get("client")
    return str(parsed(client[0]) or "") if client else ""


class TrustedProxies:
    """Middleware that takes the client and the scheme of a request from the headers of proxies in these
    networks. Anyone else's headers say nothing. A mounted application gets what the outer one found."""

    def __init__(self, app: ASGIApp, networks: Sequence[Network]) -> None:
        self._app = app
        self._networks = networks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._networks and scope["type"] == "http" and "app_root_path" not in scope:
            peer = parsed(address_of(scope))
            if self._trusts(peer):
                client, scheme = self._client(scope, peer), _last(scope, FORWARDED_PROTO).lower()
                scope = {**scope, "client": (str(client), 0)}
                if scheme in ("http", "https"):
                    scope["scheme"] = scheme
        await self._app(scope, receive, send)

    def _client(self, scope: Scope, peer: Address | None) -> Address | None:
        """The last address that no trusted proxy has. Each proxy appends the one that it was called from, so
        that whatever stands before may be the client's invention."""
        client = peer
        for hop in reversed(_parts(scope, FORWARDED_FOR)):
            if not self._trusts(client) or (address := parsed(hop)) is None:
                break
            client = address
        return client

    def _trusts(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self._networks)


def _parts(scope: Scope, name: bytes) -> list[str]:
    """Those of every header of this name, in order."""
    values = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
    return [part.strip() for value in values for part in value.split(",")]


def _last(scope: Scope, name: bytes) -> str:
    return (_parts(scope, name) or [""])[-1]
