"""Minified browser stacks under version 2.

A minifier renames functions on every build, so such a stack is told by the bundles it passes through, the
names that survive (properties, methods) and the template of its message.
"""

from __future__ import annotations

import re

from errata.grouping.frame import is_native
from errata.grouping.languages.javascript import is_library, own_name
from errata.grouping.shape import FrameShape, VariantShape

_BUNDLE = re.compile(r".*\.(?:[cm]?js|(?:js)?bundle)")
_MINIFIED_FILE = re.compile(r".*[.-]min\.[cm]?js")
# A row of digits is gone through once: it starts where no digit is before it, and is never given back.
_NUMBERS = re.compile(r"(?:[-_.]|(?<!\d))\d++(?=[-_.]|$)")
_STYLES = re.compile(r"[.-](?:chunk|bundle|min|prod(?:uction)?|legacy|modern|esm|umd)(?=[.-]|$)")
# A name that is nothing but a hash, as Nuxt and SvelteKit give bundles.
_HASH = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Z]*[A-Z])[A-Za-z0-9_-]{7,12}|[0-9a-f]{6,}|[A-Z0-9]{8}")
# As bundlers name what comes from node_modules.
_VENDOR = re.compile(r"(?:chunk-)?(?:vendors?|framework|polyfills?|runtime)(?:[~.-].*)?\.[cm]?js")
# Ways of calling that name no place.
_CALLS = frozenset(
    "apply bind call callback catch default every fetch filter finally find forEach handler invoke listener "
    "map next reduce send some then wrapped sentryWrapped".split()
)


def is_minified(shape: VariantShape) -> bool:
    in_browser = shape.platform == "javascript"
    # Servers send source: a bundle's lines are too long to be kept.
    if not in_browser and (shape.platform != "node" or any(item.line for item in shape.exceptions)):
        return False
    frames = [
        frame
        for item in shape.exceptions
        for frame in item.frames
        if frame.in_app and not is_native(frame) and not is_library(frame) and _BUNDLE.fullmatch(frame.file)
    ]
    names = [name for frame in frames if (name := own_name(frame.function))]
    mangled = sum(map(is_mangled, names))
    if not in_browser:  # people do write `cb` and `on`
        return mangled > 0 and 2 * mangled >= len(names)
    return bool(frames) and (
        mangled > 0 or not names or any(_MINIFIED_FILE.fullmatch(frame.file) for frame in frames)
    )


def is_mangled(name: str) -> bool:
    """What hardly anyone calls a function: `r`, `qm`, `XAt`, `j_t`. People do write `run`."""
    if name in ("GET", "PUT", "Map", "Set", "URL"):
        return False
    return 0 < len(name) <= 2 or (len(name) == 3 and not (name.isalpha() and name.islower()))


def minified_place(frame: FrameShape) -> str:
    name = own_name(frame.function)
    if len(name) <= 3 or name in _CALLS:
        name = ""
    return f"{bundle(frame.file)} {name}".strip()


def bundle(file: str) -> str:
    """The bundle's own name: hosts and hashes are gone already, folders and numbers follow the build."""
    stem, dot, ending = file.rpartition("/")[2].rpartition(".")
    stem = _NUMBERS.sub("", _STYLES.sub("", stem))
    return ("" if _HASH.fullmatch(stem) else stem) + dot + ending


def is_vendor_bundle(frame: FrameShape) -> bool:
    return _VENDOR.fullmatch(bundle(frame.file)) is not None


def is_event_wrapper(frames: list[FrameShape]) -> bool:
    """The outermost is a function with a minifier's name in a bundle of its own: an SDK's or a framework's.

    Versions of an SDK differ in whether they leave it in the stack.
    """
    if len(frames) < 2 or not is_mangled(own_name(frames[0].function)):
        return False
    own = bundle(frames[0].file)
    return all(bundle(frame.file) != own for frame in frames[1:])


def is_call_wrapper(frames: list[FrameShape]) -> bool:
    """The innermost is in the bundle the stack began in, with others between: the SDK around `fetch`."""
    bundles = [bundle(frame.file) for frame in frames]
    return len(frames) > 2 and bundles[-1] == bundles[0] and any(name != bundles[0] for name in bundles)


def is_awaiting(frame: FrameShape) -> bool:
    """Waited for the rest: Safari and older engines do not list it."""
    return frame.function.startswith(("async ", "async*"))
