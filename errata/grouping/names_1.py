"""Cleaned names of version 1: what of a module, function or file stays the same from build to build."""

from __future__ import annotations

import re

_PROXY = re.compile(r"\$\$.*|__(?:Enhancer|FastClass)\w*", re.DOTALL)
_NUMBERED = re.compile(r"((?:lambda|anonymous|closure|func|block|fn)[$_]?)\d+\b")
_LAMBDA = re.compile(r"lambda\$(\w*?)\$\d+|\$\$Lambda.*")
_ANONYMOUS = re.compile(r"(?:<anonymous>|anonymous|\?|<unknown>|\(anonymous\)|(?:global|module|eval) code)")
_ALIAS = re.compile(r"\[as ([\w$.<>]{1,128})\]")
_CSHARP = re.compile(r"<(\w{1,128})>[bdg]__\w{1,64}(?:\|\d+(?:_\d+)?)?")
_RUBY = re.compile(r"(?:block|rescue|ensure|else)(?: \(\d+ levels\))? in ")
_GO = re.compile(r"(?:\.func\d+|\.\d+|\.gowrap\d+)+$")
_INNER = re.compile(r"\$\d+")
_PHP = re.compile(r"class@anonymous.*|\{closure(?::[^}]{0,256})?\}")

# Python 3.12 has no frame of their own for them.
_INLINED = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>"})

_LIBRARY = re.compile(r".*/(?:site-packages|dist-packages|node_modules|gems)/")
_PYTHON = re.compile(r".*/lib(?:32|64)?/(?:python|pypy)\d(?:\.\d+)?/")
_SOURCE = re.compile(r"(?:^|.*?/)src/")
_JAVASCRIPT = frozenset({"javascript", "node"})


def is_inlined(function: str) -> bool:
    return function.rpartition(".")[2] in _INLINED


def module_1(module: str) -> str:
    return _INNER.sub("$", _PROXY.sub("", module))


def function_1(function: str, platform: str) -> str:
    """The function's own name; empty for one that has none."""
    if platform in _JAVASCRIPT:
        return javascript_function(function)
    if platform == "python":  # numbers nothing by itself: a digit in a name was written there
        return function.replace("<locals>.", "")
    name = _LAMBDA.sub(r"\1 lambda", function)
    name = _CSHARP.sub(r"\1", name)
    name = _RUBY.sub("", name)
    name = _PHP.sub("closure", name)
    name = _GO.sub(".func", name)
    name = _NUMBERED.sub(r"\1", name)
    name = name.replace("::{{closure}}", " closure")
    return _PROXY.sub("", _INNER.sub("$", name)).strip()


def javascript_function(function: str) -> str:
    """Without receiver, `async`, `new` and Firefox's marks: engines differ in all of them."""
    alias = _ALIAS.search(function)
    name = alias[1] if alias else function
    name = name.removeprefix("async ").removeprefix("new ").removeprefix("get ").removeprefix("set ")
    name = name.rstrip("/<*").rpartition("/")[2].rpartition(".")[2].strip()
    return "" if _ANONYMOUS.fullmatch(name) else name


def file_1(file: str, *, in_app: bool) -> str:
    """The path below the folder a program or library is installed in."""
    for root in (_LIBRARY, _PYTHON):
        match = root.match(file)
        if match:
            return file[match.end() :]
    match = _SOURCE.match(file)
    if match and in_app:
        return file[match.end() :]
    if file[:1] == "/" or file[1:3] == ":/":
        return "/".join(file.split("/")[-2:])
    return file
