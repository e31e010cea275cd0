"""The application key a request names, wherever its SDK puts it."""

import re
from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

from errata_wire.refusal import Refused

_APP_KEY = re.compile(r"errata_(?:app|public)_[A-Za-z0-9_-]{1,128}")
_SENTRY_KEY = re.compile(r"(?:^|[\s,])sentry_key\s*=\s*([^,\s]*)", re.IGNORECASE)
# What docs give pages to write into their DSN: the key of the configuration holds.
PLACEHOLDER = "errata"


def named_key(headers: Mapping[str, str], path: str, query: str, dsn: object = None) -> str:
    """The application key or public key of a request; empty if it names none. Raises Refused for another kind
    of key, and for two keys."""
    keys = {_in_header(headers), _in_query(query), _in_dsn(dsn)} - {"", PLACEHOLDER}
    if not keys:
        return _in_path(path)
    if len(keys) > 1:
        raise Refused(403, "the request contains different keys in its header, address and envelope")
    key = keys.pop()
    if key.startswith("errata_api_"):
        raise Refused(
            403,
            "the DSN contains the secret API key; use the project's application key (errata_app_…) instead",
        )
    if not _APP_KEY.fullmatch(key):
        raise Refused(
            403, "the DSN's key is not an application key; it starts with errata_public_ or errata_app_"
        )
    return key


def _in_header(headers: Mapping[str, str]) -> str:
    for name in ("x-sentry-auth", "authorization"):
        value = headers.get(name, "")
        if value[:7].lower() == "sentry ":
            match = _SENTRY_KEY.search(value[6:])
            if match:
                return match[1]
    # As OpenTelemetry's exporters send it. Another token is for something in between.
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.startswith("errata_") else ""


def _in_query(query: str) -> str:
    return parse_qs(query).get("sentry_key", [""])[0]


def _in_path(path: str) -> str:
    """For keys with a hyphen, which JavaScript's SDKs do not take in a DSN's usual place."""
    return next((part for part in path.split("/") if _APP_KEY.fullmatch(part)), "")


def _in_dsn(dsn: object) -> str:
    if not isinstance(dsn, str):
        return ""
    try:
        return urlsplit(dsn).username or ""
    except ValueError:
        return ""
