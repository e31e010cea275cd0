"""Browsers and Node: engines differ in how they name functions and word mistakes."""

from __future__ import annotations

import re

from errata.grouping.languages.file import below_install
from errata.grouping.languages.language import Language
from errata.grouping.shape import FrameShape

_ALIAS = re.compile(r"\[as ([\w$.<>]{1,128})\]")
_ANONYMOUS = re.compile(
    r"(?:<anonymous>|anonymous|\?|<unknown>|\(anonymous\)|(?:global|module|eval) code|_callee\d*\$?)"
)
_PREFIXES = re.compile(r"(?:async |new |get |set |static |bound )+")
_NUMBERED = re.compile(r"((?:anonymous|closure|func|fn)[$_]?)\d+\b")
_ENDING = re.compile(r"\.[cm]?[jt]sx?$")
# Where sources and what is made of them lie; webpack's layers stand before.
_ROOTS = (
    re.compile(r"(?:^|.*?/)src/"),
    re.compile(r"(?:^|.*?/)(?:dist|build|out)/"),
    re.compile(r"(?:webpack/|\[project\]/)?(?:\([\w-]{1,40}\)/)?\./"),
)
_BUILT = re.compile(r"(?:src|dist|build|out)[.:]")
# What tsc, Babel and esbuild put between an async function and its caller.
_HELPERS = frozenset(
    "__awaiter __generator __async fulfilled rejected asyncGeneratorStep _asyncToGenerator _next _throw "
    "Generator.next Generator.throw Generator._invoke Generator.<anonymous>".split()
)
_LIBRARY = re.compile(
    r"(?:.*/)?node_modules/|node:|internal/|extension:|webpack/(?:bootstrap|runtime)|hidden/|self-hosted"
    r"|(?:.*/)?(?:jquery|zone|react-dom|angular|vue|lodash|gtm|gtag|analytics|fbevents)(?:[.-][\w.-]*)?\.js$"
)


def own_name(function: str) -> str:
    """Without receiver, `async`, `new` and Firefox's marks: engines differ in all of them."""
    alias = _ALIAS.search(function)
    name = alias[1] if alias else function.rpartition("*")[2]  # Firefox: `promise callback*run`
    if name.endswith("/<"):  # Firefox: a function without a name within this one
        return ""
    name = _PREFIXES.sub("", name, count=1).rstrip("/<").rpartition("/")[2].rpartition(".")[2].strip()
    return "" if _ANONYMOUS.fullmatch(name) else name.removesuffix("$")


def place(frame: FrameShape) -> str:
    name = _NUMBERED.sub(r"\1", own_name(frame.function))
    return f"{_module(frame)} {name}".strip()


def _module(frame: FrameShape) -> str:
    if frame.module and frame.module != "<anonymous>":
        return _BUILT.sub("", frame.module, count=1) if frame.in_app else frame.module
    file = below_install(frame.file, in_app=frame.in_app, roots=_ROOTS)
    return _ENDING.sub("", file) if frame.in_app else file


def is_generated(frame: FrameShape) -> bool:
    return frame.function in _HELPERS or own_name(frame.function) in _HELPERS


def is_library(frame: FrameShape) -> bool:
    return _LIBRARY.match(frame.file) is not None


_FETCH = re.compile(
    r"(?:Failed to fetch|Load failed|Network request failed|fetch failed"
    r"|NetworkError when attempting to fetch resource\.?)"
    r"(?: \([^()]{0,256}\))?"
)
_NAME = r"(?P<name>[\w$-]+)"
_NOTHING = r"(?P<nothing>null|undefined)"
# Chromium (also before 2021), Firefox and Safari on the same mistake.
_READ = (
    re.compile(rf"Cannot read propert(?:y|ies) of {_NOTHING} \(reading '{_NAME}'\)"),
    re.compile(rf"Cannot read property '{_NAME}' of {_NOTHING}"),
    re.compile(rf"Cannot set propert(?:y|ies) of {_NOTHING} \(setting '{_NAME}'\)"),
    re.compile(rf"Cannot set property '{_NAME}' of {_NOTHING}"),
    re.compile(rf"can't access property \"?{_NAME}\"?, .{{1,200}} is {_NOTHING}"),
    re.compile(rf"{_NOTHING} is not an object \(evaluating '(?:[^']{{0,200}}\.)?{_NAME}'\)"),
)
_SAID_OTHERWISE = (
    (re.compile(r"([\w$]+) is not defined"), r"\1 is not defined"),
    (re.compile(r"Can't find variable: ([\w$]+)"), r"\1 is not defined"),
    (re.compile(r"([\w$.⟨⟩]{1,128}) is not a function\.? \(In .*"), r"\1 is not a function"),
    (
        re.compile(
            r"Unexpected token .*(?:is not valid JSON|in JSON at .*)|JSON\.parse: unexpected char.*"
            r"|JSON Parse error: Unrecognized token.*"
        ),
        "invalid JSON",
    ),
    (
        re.compile(
            r"Unexpected end of JSON input.*|JSON\.parse: unexpected end.*|JSON Parse error: Unexpected EOF"
        ),
        "JSON ended too early",
    ),
    (
        re.compile(
            r"(?:Failed to fetch|error loading) dynamically imported module.*"
            r"|Importing a module script failed\.?|Loading (?:CSS )?chunk .* failed.*"
        ),
        "a part of the program was not loaded",
    ),
    (
        re.compile(r"ResizeObserver loop (?:limit exceeded|completed with undelivered notifications)\.?"),
        "ResizeObserver loop",
    ),
)


def is_failed_fetch(template: str) -> bool:
    return _FETCH.fullmatch(template) is not None


def reworded(template: str) -> str:
    """The template without what browser and SDK versions add or word in their own way."""
    if is_failed_fetch(template):
        return "fetch failed"
    for pattern in _READ:
        if match := pattern.fullmatch(template):
            return f"{match['name']} of {match['nothing']}"
    for pattern, said in _SAID_OTHERWISE:
        if match := pattern.fullmatch(template):
            return match.expand(said)
    return template


JAVASCRIPT = Language(
    place=place,
    is_generated=is_generated,
    is_library=is_library,
    spoken_types=("TypeError", "ReferenceError"),
    reworded=reworded,
)
