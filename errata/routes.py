"""Pages and endpoints by their path: what varies between two addresses of the same page is `{id}`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit

VARIABLE = "{id}"
MAX_LENGTH = 200

UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.I)
NUMBER = re.compile(r"[-+]?\d[\d.,:_-]*")
PREFIXED_NUMBER = re.compile(r"[^\W\d]{1,16}[-_:.]\d+", re.UNICODE)
HEXADECIMAL = re.compile(r"(?=.*\d)[0-9a-f]{8,}", re.I)
LETTERS_TO_DIGITS = re.compile(r"[^\W\d_]\d|\d[^\W\d_]", re.UNICODE)
FILE_NAME = re.compile(r"(.+)(\.[a-z][a-z0-9]{0,4})", re.I)
# A browser's or a framework's own way to write a variable segment is kept as it is.
PARAMETER = re.compile(r"[:{<\[(*].*")
# The same in a whole route, for comparing routes of different frameworks.
PARAMETER_OF_ROUTE = re.compile(r"[{<:][^/]*")


@lru_cache(maxsize=8192)
def template(address: str) -> str:
    """The path of a URL or path with its variable segments as `{id}`: `/products/19` is `/products/{id}`."""
    path = path_of(address)
    segments = [_segment(segment) for segment in path.split("/")]
    return "/".join(segments)[:MAX_LENGTH] or "/"


def shape(route: str) -> str:
    """A route as all frameworks would write it: /orders/:id, /orders/<int:id> and /orders/{id} are one."""
    return PARAMETER_OF_ROUTE.sub("{}", route).rstrip("/") or "/"


@dataclass(slots=True)
class RouteTree:
    """Routes by their segments, for finding one that a path fits."""

    by_text: dict[str, "RouteTree"] = field(default_factory=dict)
    by_prefix: dict[str, "RouteTree"] = field(default_factory=dict)
    """Variable segments, by what stands before the variable: mostly nothing."""
    is_end: bool = False

    @classmethod
    def of(cls, routes: Iterable[str]) -> "RouteTree":
        root = cls()
        for route in routes:
            node = root
            for segment in _segments(route):
                prefix, *variable = PARAMETER_OF_ROUTE.split(segment, maxsplit=1)
                node = (node.by_prefix if variable else node.by_text).setdefault(prefix, cls())
            node.is_end = True
        return root

    def fits(self, path: str) -> bool:
        """Whether the path, which may have variable segments itself, is one of a route."""
        return self._fits(_segments(path))

    def _fits(self, segments: Sequence[str]) -> bool:
        if not segments:
            return self.is_end
        first, *others = segments
        if first in self.by_text and self.by_text[first]._fits(others):
            return True
        return any(
            len(first) > len(prefix) and first.startswith(prefix) and node._fits(others)
            for prefix, node in self.by_prefix.items()
        )


def _segments(route: str) -> list[str]:
    return route.rstrip("/").split("/")


def path_of(address: str) -> str:
    """The path of a URL or a path, without query and fragment."""
    if "://" in address[:32] or address.startswith("//"):
        try:
            address = urlsplit(address).path
        except ValueError:
            return "/"
    path = address.partition("?")[0].partition("#")[0]
    return path if path.startswith("/") else f"/{path}"


def _segment(segment: str) -> str:
    if not segment or PARAMETER.fullmatch(segment):
        return segment
    if is_variable(segment):
        return VARIABLE
    name = FILE_NAME.fullmatch(segment)
    if name and is_variable(name[1]):
        return VARIABLE + name[2]
    return segment


def is_variable(segment: str) -> bool:
    """Whether a path segment names one thing of many: a number, an id, an address, a token."""
    if segment.isalpha() and len(segment) < 32:
        return False
    return bool(
        NUMBER.fullmatch(segment)
        or PREFIXED_NUMBER.fullmatch(segment)
        or UUID.fullmatch(segment)
        or HEXADECIMAL.fullmatch(segment)
        or "@" in segment
        or "%40" in segment
        or is_token(segment)
    )


def is_token(segment: str) -> bool:
    """Letters and digits that alternate as no word does, or more of them than a word has."""
    if len(segment) < 8 or "." in segment[:-8]:
        return segment.count(".") == 2 and len(segment) > 40
    alternations = len(LETTERS_TO_DIGITS.findall(segment))
    return alternations >= 3 or (len(segment) >= 24 and any(character.isdigit() for character in segment))
