"""Languages without rules of their own: only what most compilers do is cleaned."""

from __future__ import annotations

import re

from errata.grouping.languages.file import below_install
from errata.grouping.languages.language import Language
from errata.grouping.shape import FrameShape

_NUMBERED = re.compile(r"((?:lambda|anonymous|closure|func|block|fn)[$_#]?)\d+\b")
_UNNAMED = re.compile(r"<?(?:anonymous|unknown)>?|\?+")
_ROOTS = (re.compile(r"(?:^|.*?/)(?:src|lib)/"),)


def place(frame: FrameShape) -> str:
    function = "" if _UNNAMED.fullmatch(frame.function) else _NUMBERED.sub(r"\1", frame.function)
    module = frame.module or below_install(frame.file, in_app=frame.in_app, roots=_ROOTS)
    return f"{module} {function}".strip()


OTHER = Language(place=place)
