from __future__ import annotations

import re

from errata.grouping.languages.file import below_install
from errata.grouping.languages.language import Language
from errata.grouping.shape import FrameShape

# PHP 8.4 names where a closure was written: `{closure:Shop\Cart::total():12}`.
_CLOSURE_OF = re.compile(r"(?:[\w\\]*(?:::)?)?\{closure:(?:([\w\\]+)::)?[^}]*\}+")
_ANONYMOUS = re.compile(r"@anonymous.*?(?=::|$)", re.DOTALL)
# Doctrine's proxies, Symfony's containers and lazy objects.
# Version 4: any closure of a class, or of a file, whatever numbers it.
_CLOSURE = re.compile(
    r"(?:([\w\\@]+)::)?[\w\\@]*\{closure(?:#|:(?:\{closure:)*(?:([\w\\@]+)::)?)?[^{}]*\}.*", re.DOTALL
)
_PROXY = re.compile(r"Proxies\\__CG__\\|(?<=Container)\w{7}(?=\\)|(?:Ghost|Proxy)[0-9a-f]{7}(?=::|$)")
_ROOTS = (re.compile(r".*/(?=(?:app|src|lib|public|routes|storage|config)/)"),)


def place(frame: FrameShape) -> str:
    function = _function(frame.function)
    # A class name stays when its file moves; a closure or a plain function needs its file.
    if "::" in function and not function.startswith("class@anonymous"):
        return function
    file = below_install(frame.file, in_app=frame.in_app, roots=_ROOTS)
    return f"{file or frame.module} {function}".strip()


def _function(function: str) -> str:
    def closure(match: re.Match[str]) -> str:
        return f"{match[1]}::{{closure}}" if match[1] else "{closure}"

    name = _CLOSURE_OF.sub(closure, function)
    return _PROXY.sub("", _ANONYMOUS.sub("@anonymous", name))


def unnumbered(function: str) -> str:
    """A closure's class alone: versions of PHP and its SDK number closures, and name places around them."""
    if "{closure" not in function or not (
        match := _CLOSURE.fullmatch(_ANONYMOUS.sub("@anonymous", function))
    ):
        return function
    owner = match[1] or match[2]
    return f"{owner}::{{closure}}" if owner else "{closure}"


def is_library(frame: FrameShape) -> bool:
    return "/vendor/" in frame.file or frame.file.startswith("vendor/")


PHP = Language(
    place=place,
    is_library=is_library,
    # What PHP itself raises: every warning is an ErrorException.
    spoken_types=("ErrorException", "Error", "TypeError", "ArgumentCountError", "ValueError"),
)
