"""Who may write, and how much."""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from errata_sdk.tunnel.refusal import Refused

# A recording of 10 MiB with its description.
MAX_BODY_BYTES = 11 << 20
# Of one address, behind which a whole office may sit.
REQUESTS_PER_SECOND = 20

_ALLOWED_HEADERS = "content-type, content-encoding, x-sentry-auth, baggage, sentry-trace"
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Rules:
    """`origins` may write beside the pages of the route's own host; `*` stands for names below a domain."""

    max_body_bytes: int = MAX_BODY_BYTES
    origins: Iterable[str] = ()
    requests_per_second: float = REQUESTS_PER_SECOND
    # How many proxies of ours stand before the application: only what they say of the client is believed.
    trusted_proxies: int = 0
    _patterns: tuple[re.Pattern[str], ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.origins, str):
            raise TypeError("origins must be a list of strings, such as ['https://shop.example.com']")
        patterns = tuple(re.compile(_pattern(origin), re.IGNORECASE) for origin in self.origins)
        object.__setattr__(self, "_patterns", patterns)

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """Refuse what a page of another site has a browser send."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is None:
            if site == "cross-site":
                raise Refused(403, "cross-site pages are not allowed")
        elif not (site == "same-origin" or self._is_own(origin, headers) or self._is_listed(origin)):
            raise Refused(
                403, f"pages from {origin[:200]} are not allowed; add the origin to the tunnel's origins"
            )

    def cors_headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """What lets a page of another origin that is listed read the answer."""
        origin = headers.get("origin")
        if origin is None or not self._is_listed(origin):
            return {}
        answer = {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Expose-Headers": "Retry-After",
            "Vary": "Origin",
        }
        if "access-control-request-method" in headers:
            answer |= {
                "Access-Control-Allow-Methods": "POST",
                "Access-Control-Allow-Headers": _ALLOWED_HEADERS,
                "Access-Control-Max-Age": "3600",
            }
        return answer

    def client_address(self, peer: str, headers: Mapping[str, str]) -> str:
        """The visitor's address; empty where it is not known.

        Each proxy adds the address it was reached from at the end of X-Forwarded-For; what stands before
        those of the proxies that are ours anyone may have written.
        """
        if self.trusted_proxies:
            hops = [hop.strip() for hop in headers.get("x-forwarded-for", "").split(",")]
            peer = hops[-self.trusted_proxies] if len(hops) >= self.trusted_proxies else ""
        address = _address(peer)
        if address is None or self._is_proxy(address, headers):
            return ""
        return str(address)

    def _is_proxy(
        self, address: "ipaddress.IPv4Address | ipaddress.IPv6Address", headers: Mapping[str, str]
    ) -> bool:
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

    def _is_listed(self, origin: str) -> bool:
        return any(pattern.fullmatch(origin) for pattern in self._patterns)


def _address(text: str) -> "ipaddress.IPv4Address | ipaddress.IPv6Address | None":
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None


def _pattern(origin: str) -> str:
    if origin == "*":
        return ".+"
    return re.escape(origin.rstrip("/")).replace(r"\*", r"[a-z0-9-]+(?:\.[a-z0-9-]+)*")
