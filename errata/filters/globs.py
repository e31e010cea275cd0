"""Patterns of filters: `*` stands for any text, and `\\*` for a star. A text is searched once for each part
between stars, so it takes no longer than its length and that of the pattern together."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

LONGEST_ENTRY = 200
STARS = re.compile(r"(?<!\\)\*+")


@lru_cache(maxsize=1024)
def any_glob(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether one of the patterns matches all of a text; upper and lower case are the same."""
    each = [[part.replace(r"\*", "*").lower() for part in STARS.split(pattern)] for pattern in patterns]

    def matches(text: str) -> bool:
        lowered = text.lower()
        return any(_is_made_of(lowered, parts) for parts in each)

    return matches


def _is_made_of(text: str, parts: Sequence[str]) -> bool:
    """Whether the text begins with the first part, ends with the last and has the others between in order."""
    first, *others = parts
    if not others:
        return text == first
    *middle, last = others
    at, end = len(first), len(text) - len(last)
    if end < at or not text.startswith(first) or not text.endswith(last):
        return False
    for part in middle:
        # The first place leaves most room for the next part.
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True


def problem_of_glob(pattern: str) -> str:
    """Why the pattern cannot be used; empty: it can."""
    if not pattern.isprintable():
        return "a pattern can't contain line breaks or control characters"
    if not STARS.sub("", pattern).strip():
        return "this pattern matches everything"
    return ""
