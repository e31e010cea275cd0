"""Which pages may write: the intake trusts every program of its host, but not the pages its browsers show."""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from errata_wire.origin import Origins, cross_site
from errata_wire.refusal import Refused

_ALLOWED_HEADERS = (
    "x-sentry-auth, content-type, content-encoding, authorization, baggage, sentry-trace, x-requested-with"
)
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[^:\[\]/@\s]+)(?::\d{1,5})?")


class OriginPolicy:
    """`origins` such as `https://shop.example.com` or `https://*.example.com`; `hosts` the intake goes by."""

    def __init__(self, origins: Sequence[str], hosts: Sequence[str]) -> None:
        self._origins = Origins(
            origins,
            allowed_headers=_ALLOWED_HEADERS,
            exposed_headers="X-Sentry-Error, X-Sentry-Rate-Limits, Retry-After",
            remedy="add the origin to intake.origins to allow them",
        )
        named = {urlsplit(origin).hostname for origin in origins if "*" not in origin}
        self._hosts = {host.lower() for host in [*hosts, *filter(None, named)]}

    def check(self, headers: Mapping[str, str]) -> None:
        """Refuse a request that a page which is not allowed has a browser make."""
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins:
            raise self._origins.refusal(origin)
        if origin is None and headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            raise cross_site()
        self._check_host(headers.get("host", ""))

    def cors_headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """What lets an allowed page's script read the answer."""
        answer = self._origins.cors_headers(headers)
        if answer and headers.get("access-control-request-private-network") == "true":
            answer["Access-Control-Allow-Private-Network"] = "true"
        return answer

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
