"""Who may write, and how much."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from errata_wire.address import Address, sender
from errata_wire.limits import TUNNEL_BODY_MAX_BYTES, TUNNEL_REQUESTS_PER_SECOND
from errata_wire.origin import Origins, cross_site

_ALLOWED_HEADERS = "content-type, content-encoding, x-sentry-auth, baggage, sentry-trace"
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Rules:
    """`origins` may write beside the pages of the route's own host; `*` stands for names below a domain."""

    max_body_bytes: int = TUNNEL_BODY_MAX_BYTES
    origins: Iterable[str] = ()
    requests_per_second: float = TUNNEL_REQUESTS_PER_SECOND
    # How many proxies of ours stand before the application: only what they say of the client is believed.
    trusted_proxies: int = 0
    _listed: Origins = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.origins, str):
            raise TypeError("origins must be a list of strings, such as ['https://shop.example.com']")
        listed = Origins(
            self.origins,
            allowed_headers=_ALLOWED_HEADERS,
            exposed_headers="Retry-After",
            remedy="add the origin to the tunnel's origins",
        )
        object.__setattr__(self, "_listed", listed)

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """Refuse what a page of another site has a browser send."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is None:
            if site == "cross-site":
                raise cross_site()
        elif not (site == "same-origin" or self._is_own(origin, headers) or origin in self._listed):
            raise self._listed.refusal(origin)

    def cors_headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """What lets a page of another origin that is listed read the answer."""
        return self._listed.cors_headers(headers)

    def client_address(self, peer: str, headers: Mapping[str, str]) -> str:
        """The visitor's address; empty where it is not known."""
        address = sender(peer, headers, self.trusted_proxies)
        if address is None or self._is_proxy(address, headers):
            return ""
        return str(address)

    def _is_proxy(self, address: Address, headers: Mapping[str, str]) -> bool:
        """Whether the request plainly came through a proxy that we were not told of."""
        return not self.trusted_proxies and address.is_private and "x-forwarded-for" in headers

    def _is_own(self, origin: str, headers: Mapping[str, str]) -> bool:
        hosts = [headers.get("host", "")]
        if self.trusted_proxies:
            hosts += [host.strip() for host in headers.get("x-forwarded-host", "").split(",")]
        try:
            parts = urlsplit(origin)
            if not parts.hostname:
                return False
            own = [urlsplit(f"{parts.scheme}://{host}") for host in hosts if host]
            port = _DEFAULT_PORTS.get(parts.scheme)
            return any(
                (each.hostname, each.port or port) == (parts.hostname, parts.port or port) for each in own
            )
        except ValueError:
            return False
