"""Text as it may enter a shape: a bounded string that every encoder and every page can take."""

from __future__ import annotations


def text_of(value: object, limit: int) -> str:
    """The string, cut and free of lone surrogates; a number's digits; nothing for anything else."""
    if not isinstance(value, str):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return ""
        # Digits of a huge integer cost quadratic time (and Python refuses them).
        value = repr(value) if isinstance(value, float) or -(1 << 63) < value < 1 << 63 else "1e19"
    if len(value) > limit:
        value = value[:limit]
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
