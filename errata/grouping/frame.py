"""The frozen rule for frames: module, function and file as sent, without what changes from build to build."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from errata.grouping.shape import FrameShape
from errata.grouping.text import text_of

MAX_NAME = 256
MAX_FILE = 512
# A stack keeps so many frames from its outer and so many from its inner end.
OUTER_FRAMES, INNER_FRAMES = 64, 192
_SENT_OUTER, _SENT_INNER = 250, 1750

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{1,30}):/{2,3}([^/]*)")
_HASH = re.compile(r"(?<![0-9A-Za-z])(?=[a-f]*[0-9])[0-9a-f]{8,}(?![0-9A-Za-z])")
_RUST_HASH = re.compile(r"::h[0-9a-f]{16}$")
_LONG_NUMBER = re.compile(r"\d{5,}")
_PLACE = re.compile(r":\d+(?::\d+)?(?=$|\D)")
_VERSION = re.compile(r"v?\d+(?:\.\d+){1,3}(?:[-+][\w.]*)?|\d{5,}|[0-9a-f]{8}-[0-9a-f-]{27}")
# What bundlers put before the ending: [hash] of 8 capitals (esbuild), base64 (Vite, Rollup) or hex (webpack).
_BUNDLE_HASH = re.compile(
    r"[-._]([A-Za-z0-9_-]{8}|[0-9a-f]{8,64})(?=\.(?:[a-z]{2,12}\.)?[cm]?(?:js|jsx|ts|tsx|css)$)"
)
_CAMEL = re.compile(r"[A-Z]?[a-z]+(?:[A-Z][a-z]+)*\d?|[a-z_]+|[a-z-]+")
_VENDOR_FILE = re.compile(
    r"/(?:site-packages|dist-packages|node_modules|vendor|gems)/|/lib(?:32|64)?/(?:python|pypy)\d|/[Pp]ython[\d.]+/[Ll]ib/|/python\d+\.zip/"
    r"|^(?:node:|internal/|<frozen )|^<anonymous>$"
)


def frames_of(stacktrace: object) -> tuple[list[FrameShape], Mapping[str, Any] | None]:
    """The frames of a stack, each once, and the culprit as it was sent."""
    sent = stacktrace.get("frames") if isinstance(stacktrace, dict) else None
    if not isinstance(sent, list):
        return [], None
    if len(sent) > _SENT_OUTER + _SENT_INNER:
        sent = sent[:_SENT_OUTER] + sent[-_SENT_INNER:]
    counts: dict[_Known, int] = {}
    key: tuple[Any, Any, Any, Any, bool | None]
    known = culprit = innermost = None
    for item in sent:
        if not isinstance(item, dict):
            continue
        get = item.get
        in_app = get("in_app")
        if in_app is True or in_app is False:
            key = (get("module"), get("function"), get("filename") or get("abs_path"), None, in_app)
        else:
            key = (get("module"), get("function"), get("filename") or get("abs_path"), get("abs_path"), None)
        try:
            known = _seen[key]
        except (KeyError, TypeError):  # not seen, or a list or an object where a string belongs
            known = _known(key)
        counts[known] = counts.get(known, 0) + 1
        innermost = item
        if known.is_own:
            culprit = item
    return _collapsed(counts, known), culprit or innermost


def frame_of(sent: Mapping[str, Any]) -> FrameShape:
    """One frame by itself, as frames_of cleans each of a stack."""
    get, in_app = sent.get, sent.get("in_app")
    file = get("filename") or get("abs_path")
    if in_app is True or in_app is False:
        return _new(get("module"), get("function"), file, None, in_app).frame
    return _new(get("module"), get("function"), file, get("abs_path"), None).frame


def is_native(frame: FrameShape) -> bool:
    """A function of the engine itself (`Array.map`): it has no file, and some engines do not list it."""
    return frame.file in ("<anonymous>", "native", "[native code]", "native code")


class _Known(bytes):
    """A frame met before: its JSON, as bytes remember their hash, and what each event asks of it."""

    frame: FrameShape
    is_own: bool


def _collapsed(counts: dict[_Known, int], innermost: _Known | None) -> list[FrameShape]:
    # However deep a recursion goes, and in whatever order its functions took turns, it is one shape: the
    # first call of each, and the function it ended in.
    kept = [_repeating(known.frame) if count > 1 else known.frame for known, count in counts.items()]
    if innermost is not None and counts[innermost] > 1 and innermost != next(reversed(counts)):
        kept.append(_repeating(innermost.frame))
    if len(kept) > OUTER_FRAMES + INNER_FRAMES:
        kept = kept[:OUTER_FRAMES] + kept[-INNER_FRAMES:]
    return kept


def _repeating(frame: FrameShape) -> FrameShape:
    return FrameShape(frame.module, frame.function, frame.file, frame.in_app, True)


_seen: dict[tuple[object, ...], _Known] = {}
_SEEN_LIMIT = 16_384


def _known(key: tuple[Any, Any, Any, Any, bool | None]) -> _Known:
    known = _new(*key)
    # Only strings: 1, 1.0 and True would find each other's frames.
    if all(part is None or type(part) is str for part in key[:4]):
        if len(_seen) >= _SEEN_LIMIT:
            _seen.clear()
        _seen[key] = known
    return known


def _new(module: object, function: object, file: object, path: object, in_app: bool | None) -> _Known:
    frame = _frame(
        text_of(module, MAX_NAME),
        text_of(function, MAX_NAME),
        text_of(file, MAX_FILE),
        text_of(path, MAX_FILE),
        in_app,
    )
    known = _Known(msgspec.json.encode(frame))
    known.frame = frame
    known.is_own = frame.in_app and not is_native(frame)
    return known


def _frame(module: str, function: str, file: str, path: str, in_app: bool | None) -> FrameShape:
    if in_app is None:
        in_app = bool(file or module) and not _VENDOR_FILE.search((path or file).replace("\\", "/"))
    return FrameShape(_name(module), _name(function), file_of(file), in_app)


def _name(name: str) -> str:
    name = _RUST_HASH.sub("", name)
    name = _PLACE.sub("", _HASH.sub("", name))
    return _LONG_NUMBER.sub("", name)


def file_of(file: str) -> str:
    file = file.replace("\\", "/")
    url = _URL.match(file)
    if url:
        scheme = url[1].lower()
        rest = file[url.end() :].split("?", 1)[0].split("#", 1)[0]
        # An extension's id differs between browsers, not between users: it is a host like any other.
        file = ("extension:" if scheme.endswith("extension") else "") + rest.lstrip("/")
        if file.startswith("./"):
            file = file[2:]
    elif file.startswith(("blob:", "data:")):
        return file[:5]
    if "." in file or "/" in file:
        file = "/".join(part for part in file.split("/") if not _VERSION.fullmatch(part))
    return _LONG_NUMBER.sub("", _HASH.sub("", _BUNDLE_HASH.sub(_bundle_hash, file)))


def _bundle_hash(match: re.Match[str]) -> str:
    word = match[1]
    return match[0] if _CAMEL.fullmatch(word) else ""
