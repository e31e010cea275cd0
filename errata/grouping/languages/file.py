"""Which part of a path stays the same wherever a program is installed."""

from __future__ import annotations

import re

_LIBRARY = re.compile(r".*/(?:site-packages|dist-packages|node_modules|gems|vendor)/")
_INTERPRETER = re.compile(r".*/lib(?:32|64)?/(?:python|pypy|ruby)\d?(?:\.\d+)*/")
# Of gems and crates: `activesupport-7.1.2`.
_VERSION = re.compile(r"-\d+(?:\.\d+)+(?=/)")


def below_install(file: str, *, in_app: bool, roots: tuple[re.Pattern[str], ...]) -> str:
    """The path below the folder a library, or (at `roots`) the program itself is installed in."""
    for root in (_LIBRARY, _INTERPRETER):
        if match := root.match(file):
            return _VERSION.sub("", file[match.end() :])
    for root in roots if in_app else ():
        if match := root.match(file):
            return file[match.end() :]
    if file[:1] == "/" or file[1:3] == ":/":
        return "/".join(file.split("/")[-2:])
    return file
