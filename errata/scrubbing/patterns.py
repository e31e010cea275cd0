"""Patterns of a project's own: RE2, whose time grows with the length of a text alone."""

from collections.abc import Sequence
from functools import lru_cache

import re2
from errata_wire.secret_text import FILTERED, Span, merged

# RE2's instructions. Each may be tried at every character of a text that is made to be slow.
MOST_INSTRUCTIONS = 2_000
# A pattern that looks to the end of a text at each match would take as many looks as there are matches.
MOST_MATCHES = 256
# Where a pattern that may match nothing at all would do so.
PROBES = ("", "a", "a b", "1", "_", "\n", "é", "-=")


class PatternNotUnderstood(Exception):
    pass


class Patterns:
    """Several patterns, each of them understood."""

    def __init__(self, expressions: Sequence[str], prefilter: Sequence[str] = ()) -> None:
        self._each = [_compiled(expression) for expression in expressions]
        together = "|".join(f"(?:{expression})" for expression in (*expressions, *prefilter))
        self._match = re2.compile(together, _options(8 << 20))._regexp.Match

    def may_be_in(self, text: str) -> bool:
        """Whether one of them is, or one of those of the prefilter."""
        encoded = text.encode()
        return bool(self._match(re2._Anchor.UNANCHORED, encoded, 0, len(encoded))[0][0] >= 0)

    def is_whole(self, text: str) -> bool:
        return any(pattern.fullmatch(text) is not None for pattern in self._each)

    def spans(self, text: str) -> list[Span]:
        """Where they match. Behind too many matches of one of them, all of the text."""
        found: list[Span] = []
        for pattern in self._each:
            for number, match in enumerate(pattern.finditer(text), 1):
                start, end = match.span()
                if number > MOST_MATCHES:
                    found.append((start, len(text)))
                    break
                if start < end and not _is_filtered(text, start, end):
                    found.append((start, end))
        return merged(found)


def instruction_count(expression: str) -> int:
    """How much RE2 makes of it. PatternNotUnderstood says why it cannot be used."""
    pattern = _compiled(expression)
    if any(match.start() == match.end() for probe in PROBES for match in pattern.finditer(probe)):
        raise PatternNotUnderstood("it also matches empty text")
    return int(pattern.programsize)


@lru_cache(maxsize=4096)
def _compiled(expression: str) -> re2._Regexp:
    if r"\C" in expression:
        # One byte of a character.
        raise PatternNotUnderstood(r"\C is not supported")
    try:
        # Not by `re2.compile`: it keeps the last 128 of all, ours among them.
        return re2._Regexp(expression, _options(64 << 10))
    except re2.error as error:
        (reason,) = error.args
        raise PatternNotUnderstood(reason.decode() if isinstance(reason, bytes) else str(reason)) from error


def _options(memory_bytes: int) -> re2.Options:
    chosen = re2.Options()
    chosen.never_capture = True
    chosen.log_errors = False
    chosen.max_mem = memory_bytes
    return chosen


def _is_filtered(text: str, start: int, end: int) -> bool:
    """Whether this is a part of what was filtered before."""
    at = text.rfind(FILTERED, max(0, start - len(FILTERED) + 1), start + len(FILTERED))
    return 0 <= at <= start and end <= at + len(FILTERED)
