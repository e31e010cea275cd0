"""The patterns of project rules: `*` and `?`, and in paths `**` for any number of folders.

Each compiles to expressions that never go back over what they have passed, so a text costs no more than its
length times the pattern's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

ANY_FOLDERS = "**"

Glob = Callable[[str], bool]

_PIECE = re.compile(r"\\(.)|(\*+)|(\?)|([^\\*?]+|\\$)", re.DOTALL)


@lru_cache(maxsize=4096)
def glob(pattern: str, *, ignore_case: bool = False) -> Glob:
    found = re.compile(_expression(pattern), re.DOTALL | (re.IGNORECASE if ignore_case else 0)).fullmatch

    def matches(text: str) -> bool:
        return found(text) is not None

    return matches


@lru_cache(maxsize=4096)
def path_glob(pattern: str) -> Glob:
    """In a path `*` stays within its folder. Case, kind of slash and a leading one do not matter."""
    folders = tuple(
        None if folder == ANY_FOLDERS else glob(folder, ignore_case=True)
        for folder in pattern.replace("\\", "/").strip("/").split("/")
    )

    def matches(path: str) -> bool:
        return _folders_match(folders, path.replace("\\", "/").strip("/").split("/"))

    return matches


def _folders_match(folders: tuple[Glob | None, ...], parts: list[str]) -> bool:
    # reachable[n]: the folders so far can stand for the first n parts.
    reachable = [True] + [False] * len(parts)
    for folder in folders:
        if folder is None:
            for position in range(1, len(reachable)):
                reachable[position] |= reachable[position - 1]
        else:
            reachable = [False] + [
                so_far and folder(part) for so_far, part in zip(reachable, parts, strict=False)
            ]
        if not any(reachable):
            return False
    return reachable[-1]


def _expression(pattern: str) -> str:
    """A star takes as little as it can, for good: what follows it cannot fit better further on."""
    fixed = [""]
    for escaped, star, one, plain in _PIECE.findall(pattern):
        if star:
            fixed.append("")
        else:
            fixed[-1] += "." if one else re.escape(escaped or plain)
    if len(fixed) == 1:
        return fixed[0]
    first, *middle, last = fixed
    return first + "".join(f"(?>.*?{piece})" for piece in middle if piece) + f".*{last}"
