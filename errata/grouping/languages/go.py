from __future__ import annotations

import re

from errata.grouping.languages.language import Language
from errata.grouping.shape import FrameShape

_GENERIC = re.compile(r"\[[^\]]*\]+")
# Closures are numbered in order, by the compiler: `load.func1.2`, `load.gowrap1`, `load-fm`, `init.0`.
_CLOSURE = re.compile(r"(?:\.(?:func|gowrap|deferwrap)?\d+)+$|-fm$|\.func\d+(?=\.)")
_RECEIVER = re.compile(r"\(\*?([^()]*)\)")
_MAJOR = re.compile(r"/v\d+(?=/|$)")
_PATH_VERSION = re.compile(r"@v[\w.+-]+")
_STANDARD = re.compile(
    r"(?:archive|bufio|bytes|cmp|compress|container|context|crypto|database/sql|debug|embed|encoding|errors|expvar"
    r"|flag|fmt|go|hash|html|image|index|internal|io|iter|log|maps|math|mime|net|os|path|plugin|reflect|regexp|runtime"
    r"|slices|sort|strconv|strings|structs|sync|syscall|testing|text|time|unicode|unique|unsafe)(?:/|$)"
)


def place(frame: FrameShape) -> str:
    module, function = _names(frame)
    return f"{module or frame.file.rpartition('/')[2]} {_cleaned(function)}".strip()


def _names(frame: FrameShape) -> tuple[str, str]:
    """Package and function; some SDKs send both in one: `github.com/acme/shop.(*Cart).Total`."""
    module, function = frame.module, frame.function
    if not module and "/" in function.partition("(")[0]:
        folder, _, last = function.rpartition("/")
        package, _, function = last.partition(".")
        module = f"{folder}/{package}"
    module = module.rpartition("/vendor/")[2] or module
    return _MAJOR.sub("", _PATH_VERSION.sub("", module)).replace("%2e", "."), function


def _cleaned(function: str) -> str:
    name = _RECEIVER.sub(r"\1", _GENERIC.sub("", function))
    return _CLOSURE.sub("", name).replace("glob.", "").strip(".")


def is_generated(frame: FrameShape) -> bool:
    module, function = _names(frame)
    return module == "runtime" or module.startswith("runtime/") or function.startswith("runtime.")


def is_library(frame: FrameShape) -> bool:
    return (
        "/vendor/" in frame.module
        or "@v" in frame.file
        or "/pkg/mod/" in frame.file
        or _STANDARD.match(_names(frame)[0]) is not None
    )


GO = Language(
    place=place,
    is_generated=is_generated,
    is_library=is_library,
    # What errors.New and fmt.Errorf make: the stack is of who reported it, the message is all it says.
    spoken_types=("*errors.*", "*fmt.*", "*status.*", "runtime.*", "string", "error"),
)
