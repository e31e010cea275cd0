"""Web origins whose pages may write, and the headers that let their scripts read the response."""

import re
from collections.abc import Iterable, Mapping

from errata_wire.refusal import Refused

# What a setting may name.
ORIGIN = re.compile(r"\*|[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s?#@]+")


class Origins:
    """Origins such as `https://shop.example.com` or `https://*.example.com`; `*` alone is any origin."""

    def __init__(
        self, origins: Iterable[str], *, allowed_headers: str, exposed_headers: str, remedy: str
    ) -> None:
        self._patterns = [re.compile(_pattern(origin), re.IGNORECASE) for origin in origins]
        self._allowed_headers = allowed_headers
        self._exposed_headers = exposed_headers
        self._remedy = remedy

    def __contains__(self, origin: str) -> bool:
        return any(pattern.fullmatch(origin) for pattern in self._patterns)

    def refusal(self, origin: str) -> Refused:
        """The response to a page of an origin that is not listed."""
        return Refused(403, f"pages from {origin[:200]} are not allowed; {self._remedy}")

    def cors_headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """What lets a listed page's script read the response; `headers` are the request's, in lower case."""
        origin = headers.get("origin")
        if origin is None or origin not in self:
            return {}
        answer = {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Expose-Headers": self._exposed_headers,
            "Vary": "Origin",
        }
        if "access-control-request-method" in headers:
            answer |= {
                "Access-Control-Allow-Methods": "POST",
                "Access-Control-Allow-Headers": self._allowed_headers,
                "Access-Control-Max-Age": "3600",
            }
        return answer


def cross_site() -> Refused:
    """The response to a request without an origin that a page of another site made."""
    return Refused(403, "cross-site pages are not allowed")


def _pattern(origin: str) -> str:
    if origin == "*":
        return ".+"
    return re.escape(origin.rstrip("/")).replace(r"\*", r"[a-z0-9-]+(?:\.[a-z0-9-]+)*")
