"""Minified browser stacks under version 1.

A minifier renames functions on every build, so such a stack is told by the bundles it passes through, the
names that survive (properties, methods) and the template of its message.
"""

from __future__ import annotations

import re

from errata.grouping.frame import is_native
from errata.grouping.names_1 import javascript_function
from errata.grouping.shape import FrameShape, VariantShape

_BUNDLE = re.compile(r".*\.(?:[cm]?js|(?:js)?bundle)")
# A row of digits is gone through once: it starts where no digit is before it, and is never given back.
_NUMBERS = re.compile(r"(?:[-_.]|(?<!\d))\d++(?=[-_.]|$)")
# Ways of calling that name no place.
_CALLS = frozenset(
    (
        "apply",
        "bind",
        "call",
        "callback",
        "catch",
        "default",
        "every",
        "fetch",
        "filter",
        "finally",
        "find",
        "forEach",
        "handler",
        "invoke",
        "listener",
        "map",
        "next",
        "reduce",
        "send",
        "some",
        "then",
        "wrapped",
        "sentryWrapped",
    )
)
# As bundlers name what comes from node_modules.
_VENDOR = re.compile(r"(?:chunk-)?(?:vendors?|framework|polyfills?|runtime)(?:[~.-].*)?\.[cm]?js")
_FETCH = re.compile(
    r"(?:Failed to fetch|Load failed|Network request failed"
    r"|NetworkError when attempting to fetch resource\.?)"
    r"(?: \([^()]{0,256}\))?"
)
# Chromium, Firefox and Safari on the same mistake.
_NULL_PROPERTY = (
    re.compile(
        r"Cannot read propert(?:y|ies) of (?P<nothing>null|undefined) \(reading '(?P<name>[\w$-]+)'\)"
    ),
    re.compile(r"Cannot read property '(?P<name>[\w$-]+)' of (?P<nothing>null|undefined)"),
    re.compile(r"can't access property \"?(?P<name>[\w$-]+)\"?, .{1,200} is (?P<nothing>null|undefined)"),
    re.compile(
        r"(?P<nothing>null|undefined) is not an object \(evaluating '(?:[^']{0,200}\.)?(?P<name>[\w$-]+)'\)"
    ),
)
_NOT_DEFINED = (re.compile(r"([\w$]+) is not defined"), re.compile(r"Can't find variable: ([\w$]+)"))


def is_minified(shape: VariantShape) -> bool:
    in_browser = shape.platform == "javascript"
    # Servers send source: a bundle's lines are too long to be kept.
    if not in_browser and (shape.platform != "node" or any(item.line for item in shape.exceptions)):
        return False
    frames = [
        frame
        for item in shape.exceptions
        for frame in item.frames
        if frame.in_app and not is_native(frame) and _BUNDLE.fullmatch(frame.file)
    ]
    names = [javascript_function(frame.function) for frame in frames]
    return bool(frames) and (any(map(_is_mangled, names)) or (in_browser and not any(names)))


def minified_place(frame: FrameShape) -> str:
    name = javascript_function(frame.function)
    if len(name) <= 3 or name in _CALLS:
        name = ""
    return f"{bundle(frame.file)} {name}".strip()


def bundle(file: str) -> str:
    """The bundle's own name: hosts and hashes are gone already, folders and numbers follow the build."""
    stem, dot, ending = file.rpartition("/")[2].rpartition(".")
    return _NUMBERS.sub("", stem) + dot + ending


def is_vendor_bundle(frame: FrameShape) -> bool:
    return _VENDOR.fullmatch(bundle(frame.file)) is not None


def is_failed_fetch(template: str) -> bool:
    return _FETCH.fullmatch(template) is not None


def message_1(template: str) -> str:
    """The template without what browser and SDK versions add or word in their own way."""
    if is_failed_fetch(template):
        return "fetch failed"
    for pattern in _NULL_PROPERTY:
        if match := pattern.fullmatch(template):
            return f"read {match['name']} of {match['nothing']}"
    for pattern in _NOT_DEFINED:
        if match := pattern.fullmatch(template):
            return f"{match[1]} is not defined"
    return template


def _is_mangled(name: str) -> bool:
    """What hardly anyone calls a function: `r`, `qm`, `XAt`, `j_t`. People do write `run`."""
    return 0 < len(name) <= 2 or (len(name) == 3 and not (name.isalpha() and name.islower()))
