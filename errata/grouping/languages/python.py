from __future__ import annotations

import re

from errata.grouping.languages.file import below_install
from errata.grouping.languages.language import Language
from errata.grouping.shape import FrameShape

# Python 3.12 has no frame of their own for them.
_INLINED = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>"})
_SCRIPTS = frozenset({"", "__main__", "__mp_main__"})
_ROOTS = (re.compile(r"(?:^|.*?/)src/"),)


def place(frame: FrameShape) -> str:
    # Numbers nothing by itself: a digit in a name was written there.
    function = frame.function.replace("<locals>.", "")
    return f"{_module(frame)} {function}".strip()


def _module(frame: FrameShape) -> str:
    if frame.module not in _SCRIPTS:
        return frame.module
    file = below_install(frame.file, in_app=frame.in_app, roots=_ROOTS)
    if not frame.module:
        return file
    # A script, told by the name it has when imported.
    return (file if frame.file[:1] != "/" else file.rpartition("/")[2]).removesuffix(".py").replace("/", ".")


def is_generated(frame: FrameShape) -> bool:
    return frame.function.rpartition(".")[2] in _INLINED or frame.file.startswith("<frozen ")


PYTHON = Language(
    place=place,
    is_generated=is_generated,
    spoken_types=("TypeError", "AttributeError", "NameError", "UnboundLocalError"),
)
