"""Addresses fit to be stored: no query, no fragment, no credentials, no secret in the path."""

import re
import string
from functools import lru_cache
from urllib.parse import urlsplit

from errata.routes import UUID, is_token

SECRET = "{token}"
MAX_LENGTH = 1000
WORD = re.compile(r"[^\s\"'<>]+")
IN_SCHEMES = string.ascii_letters + string.digits + "+.-"
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
    return WORD.sub(_with_storable_end, text)


def _with_storable_end(match: re.Match[str]) -> str:
    word = match[0]
    start = _start_of_address(word)
    return word[:start] + storable(word[start:]) if start < len(word) else word


def _start_of_address(word: str) -> int:
    """The position where `https://…`, `//host…` or `/path?query` begins, up to the word's end; else its
    length."""
    path, authority = word.find("/"), word.find("//", 0, len(word) - 1)
    has_query = path >= 0 and max(word.rfind("?"), word.rfind("#")) > path
    start = path if has_query else len(word)
    if authority < 0:
        return start
    if word[authority - 1 : authority] == ":":
        before = word[: authority - 1]
        scheme = before[len(before.rstrip(IN_SCHEMES)) :].lstrip(string.digits + "+.-")
        authority -= len(scheme) + 1 if scheme else 0
    return min(start, authority)


def _without_secrets(path: str) -> str:
    # Most paths are short words: only candidates for a reset link or a signed token are examined.
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
