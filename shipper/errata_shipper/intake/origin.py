"""Which pages may write: the intake trusts every program of its host, but not the pages its browsers show."""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from errata_shipper.intake.refusal import Refused

_ALLOWED_HEADERS = (
    "x-sentry-auth, content-type, content-encoding, authorization, baggage, sentry-trace, x-requested-with"
)
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[^:\[\]/@\s]+)(?::\d{1,5})?")


class OriginPolicy:
    """`origins` such as `https://shop.example.com` or `https://*.example.com`; `hosts` the intake goes by."""

    def __init__(self, origins: Sequence[str], hosts: Sequence[str]) -> None:
        self._origins = [re.compile(_pattern(origin), re.IGNORECASE) for origin in origins]
        named = {urlsplit(origin).hostname for origin in origins if "*" not in origin}
        self._hosts = {host.lower() for host in [*hosts, *filter(None, named)]}

    def check(self, headers: Mapping[str, str]) -> None:
        """Refuse a request that a page which is not allowed has a browser make."""
        origin = headers.get("origin")
        if origin is not None and not self._allows(origin):
            raise Refused(
                403,
                f"pages from {origin[:200]} are not allowed; add the origin to intake.origins to allow them",
            )
        if origin is None and headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            raise Refused(403, "cross-site pages are not allowed")
        self._check_host(headers.get("host", ""))

    def cors_headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """What lets an allowed page's script read the answer."""
        origin = headers.get("origin")
        if origin is None or not self._allows(origin):
            return {}
        answer = {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Expose-Headers": "X-Sentry-Error, X-Sentry-Rate-Limits, Retry-After",
            "Vary": "Origin",
        }
        if "access-control-request-method" in headers:
            answer |= {
                "Access-Control-Allow-Methods": "POST",
                "Access-Control-Allow-Headers": _ALLOWED_HEADERS,
                "Access-Control-Max-Age": "3600",
            }
        if headers.get("access-control-request-private-network") == "true":
            answer["Access-Control-Allow-Private-Network"] = "true"
        return answer

    def _allows(self, origin: str) -> bool:
        return any(pattern.fullmatch(origin) for pattern in self._origins)

    def _check_host(self, host: str) -> None:
        """A page can have its own name lead to this host; it then looks like this host's own page."""
        match = _HOST.fullmatch(host)
        name = match["name"].lower() if match else ""
        if name in self._hosts or name == "localhost" or name.endswith(".localhost") or _is_address(name):
            return
        raise Refused(403, f"unknown host name {host[:200]!r}; add it to intake.hosts to allow it")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _pattern(origin: str) -> str:
    if origin == "*":
        return ".+"
    return re.escape(origin).replace(r"\*", r"[a-z0-9-]+(?:\.[a-z0-9-]+)*")
