"""Addresses fit to be stored: no query, no fragment, no credentials, no secret in the path."""

import re
from functools import lru_cache
from urllib.parse import urlsplit

from errata.routes import UUID, is_token

SECRET = "{token}"
MAX_LENGTH = 1000
IN_TEXT = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//[^\s\"'<>]+|/[^\s\"'<>]*[?#][^\s\"'<>]*")
ENCODED = re.compile(r"[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]{10,}){0,2}")


@lru_cache(maxsize=8192)
def storable(address: str) -> str:
    """`https://anna:pw@shop.example/a?token=1#b` as `https://shop.example/a`."""
    if address.startswith(("data:", "blob:")):
        return address.partition(":")[0] + ":"
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2]
    start = f"{parts.scheme}://{host}" if parts.scheme and host else (f"//{host}" if host else "")
    return (start + _without_secrets(parts.path))[:MAX_LENGTH]


@lru_cache(maxsize=8192)
def host_and_path(address: str) -> tuple[str, str]:
    """Host (with its port) and storable path of a URL; the host of a mere path is empty."""
    cleaned = storable(address)
    try:
        parts = urlsplit(cleaned)
    except ValueError:
        return "", "/"
    return parts.netloc, parts.path or "/"


def without_queries(text: str) -> str:
    """Free text with each URL in it made storable."""
    if "//" not in text and "?" not in text and "#" not in text:
        return text
    return IN_TEXT.sub(lambda match: storable(match[0]), text)


def _without_secrets(path: str) -> str:
    # Most paths are short words: only what could be a reset link or a signed token is looked at.
    if len(path) < 20 or not any(len(segment) >= 20 for segment in path.split("/")):
        return path
    return "/".join(SECRET if _is_secret(segment) else segment for segment in path.split("/"))


def _is_secret(segment: str) -> bool:
    return (
        len(segment) >= 20
        and ENCODED.fullmatch(segment) is not None
        and UUID.fullmatch(segment) is None
        and is_token(segment)
    )
