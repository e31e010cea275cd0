"""Version 2 of the rules: which parts of a shape decide its issue. Changes go into a version 3."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from errata.grouping.frame import is_native
from errata.grouping.languages import Language, language_of
from errata.grouping.languages import minified as bundles
from errata.grouping.languages.javascript import is_failed_fetch
from errata.grouping.shape import ExceptionShape, FrameShape, VariantShape, hash_of

# Who called the caller of the caller: middleware, routers and loops, that change without the bug.
INNERMOST = 6

_OVERFLOW_TYPES = ("RecursionError", "StackOverflowError", "SystemStackError", "StackOverflowException")
_OVERFLOW_TEXTS = ("Maximum call stack size exceeded", "too much recursion")
# What engines call a stack overflow.
_OVERFLOW_WRAPPERS = ("RangeError", "InternalError")

Explanation = dict[str, Any]
Place = tuple[str, str, str]
"""Module, function and file of a frame."""


class _Piece(NamedTuple):
    """What counts of one exception of a chain."""

    type: str
    places: list[str]
    line: str


@dataclass(slots=True)
class _Reading:
    """One way to read a shape: by its in-app frames or by all, as minified code or not."""

    shape: VariantShape
    # Frames a project's rule has spoken about.
    decided: frozenset[Place]
    in_app_only: bool
    language: Language = field(init=False)
    minified: bool = field(init=False)
    has_own: bool = field(init=False)
    overflow: bool = field(init=False)

    def __post_init__(self) -> None:
        self.language = language_of(self.shape.platform)
        self.minified = bundles.is_minified(self.shape)
        self.overflow = _is_overflow(self.shape)
        frames = [*self.shape.frames, *(frame for item in self.shape.exceptions for frame in item.frames)]
        # Where all of it looks like a library, it is the library's own people who look at it.
        self.has_own = any(
            frame.in_app and not is_native(frame) and not self._is_library(frame) for frame in frames
        )

    def places(self, frames: Iterable[FrameShape], explained: list[Explanation]) -> list[str]:
        """The innermost places, each once in order of first call, at the end the one the stack ended in."""
        frames = tuple(frames)
        reasons = [self._why_not(frame) for frame in frames]
        self._leave_out_wrappers(frames, reasons)
        found = ["" if reason else self._place(frame) for frame, reason in zip(frames, reasons, strict=True)]
        listed = list(dict.fromkeys(place for place in found if place))
        if listed and listed[-1] != (innermost := next(place for place in reversed(found) if place)):
            listed.append(innermost)
        listed = listed[-INNERMOST:]
        explained += _explained(frames, found, reasons, set(listed))
        # In which order a page's bundles call each other follows the framework's scheduler.
        return sorted(set(listed)) if self.minified else listed

    def _why_not(self, frame: FrameShape) -> str:
        if is_native(frame) or frame.file == "self-hosted":
            return "native function"
        if self.in_app_only and not frame.in_app:
            return "not in-app"
        if self.in_app_only and self.has_own and self._is_library(frame):
            return "of a known library"
        if self.in_app_only and self.minified and bundles.is_vendor_bundle(frame):
            return "vendor bundle"
        if self.language.is_generated(frame):
            return "generated"
        return ""

    def _is_library(self, frame: FrameShape) -> bool:
        place = (frame.module, frame.function, frame.file)
        return place not in self.decided and self.language.is_library(frame)

    def _leave_out_wrappers(self, frames: tuple[FrameShape, ...], reasons: list[str]) -> None:
        """Of a minified stack the frames that only some engines and versions of an SDK list."""
        if not self.minified:
            return
        left = [number for number, reason in enumerate(reasons) if not reason]
        for number in left[:-1]:
            if bundles.is_awaiting(frames[number]):
                reasons[number] = "waited for the rest"
        left = [number for number in left if not reasons[number]]
        if is_failed_fetch(self.shape.template) and bundles.is_call_wrapper([frames[item] for item in left]):
            reasons[left.pop()] = "wrapper of fetch"
        if bundles.is_event_wrapper([frames[number] for number in left]):
            reasons[left[0]] = "wrapper of an event"

    def _place(self, frame: FrameShape) -> str:
        return bundles.minified_place(frame) if self.minified else self.language.place(frame)


def default(
    shape: VariantShape, decided: frozenset[Place] = frozenset()
) -> tuple[tuple[str, ...], Explanation]:
    if shape.is_overflow:
        return _past_limit(shape)
    if not shape.exceptions:
        return _message(shape, decided)
    return (
        _stack(_Reading(shape, decided, in_app_only=True))
        or _stack(_Reading(shape, decided, in_app_only=False))
        or _type_and_template(shape)
    )


def _past_limit(shape: VariantShape) -> tuple[tuple[str, ...], Explanation]:
    type_ = shape.exceptions[-1].type if shape.exceptions else ""
    why: Explanation = {"rule": "exception type and message template", "types": [type_]}
    return ("past the limit of variants", type_), why | {"past_limit_of_variants": True}


def _message(shape: VariantShape, decided: frozenset[Place]) -> tuple[tuple[str, ...], Explanation]:
    why: Explanation = {"rule": "message", "template": shape.template, "logger": shape.logger}
    # "%s" says nothing; the place it was sent from does.
    if _has_words(shape.template) or not shape.frames:
        return ("message", shape.logger, shape.template), why
    seen: list[Explanation] = []
    in_app_only = any(frame.in_app and not is_native(frame) for frame in shape.frames)
    places = _Reading(shape, decided, in_app_only).places(shape.frames, seen)
    why |= {"rule": "in-app frames" if in_app_only else "all frames", "frames": seen}
    return ("message", shape.logger, _digest(places)), why


def _type_and_template(shape: VariantShape) -> tuple[tuple[str, ...], Explanation]:
    types = list(dict.fromkeys(item.type for item in shape.exceptions))
    template = language_of(shape.platform).reworded(shape.template)
    why = {"rule": "exception type and message template", "types": types, "template": template}
    return ("type and template", *types, template), why


def _stack(reading: _Reading) -> tuple[tuple[str, ...], Explanation] | None:
    """By the frames of the whole chain; None where no frame of it says anything."""
    shape = reading.shape
    is_group = any(item.is_group for item in shape.exceptions)
    seen: list[Explanation] = []
    pieces: list[_Piece] = []
    for item in shape.exceptions:
        piece = _piece(item, reading, seen)
        # Raised and caught inside a library: as little ours as its frames are.
        is_internal = item.frames and not piece.places and not is_group and item is not shape.exceptions[-1]
        # A retry that fails the same way again makes the chain longer, not another one.
        if piece not in pieces and not is_internal:
            pieces.append(piece)
    if not any(item.places for item in pieces):
        return None
    template = _template_beside(piece, reading)
    if is_group:
        pieces[:-1] = sorted(pieces[:-1])
    types = [item.type for item in pieces]
    why: Explanation = {
        "rule": "in-app frames" if reading.in_app_only else "all frames",
        "types": types,
        "frames": seen,
        "source_lines": [item.line for item in pieces if item.line],
        "template": template,
        "minified": reading.minified,
    }
    return ("app" if reading.in_app_only else "system", *types, _digest([pieces, template])), why


def _piece(item: ExceptionShape, reading: _Reading, seen: list[Explanation]) -> _Piece:
    overflow = reading.overflow
    frames = _recursion(item.frames) if overflow and item is reading.shape.exceptions[-1] else item.frames
    explained: list[Explanation] = []
    places = reading.places(frames, explained)
    seen += [{"exception": item.type, **frame} for frame in explained]
    has_line = reading.in_app_only and places and not reading.minified and not overflow
    return _Piece(_type(item, reading), places, item.line if has_line else "")


def _type(item: ExceptionShape, reading: _Reading) -> str:
    if reading.overflow and item.type in _OVERFLOW_WRAPPERS:
        return "stack overflow"
    # A class of the application whose name was minified too.
    return "Error" if reading.minified and bundles.is_mangled(item.type) else item.type


def _template_beside(raised: _Piece, reading: _Reading) -> str:
    """The message, where frames alone would mix the bugs of a function, and nobody wrote it by hand."""
    if reading.overflow:
        return ""
    if reading.minified or (raised.places and not raised.line and reading.language.is_spoken(raised.type)):
        return reading.language.reworded(reading.shape.template)
    return ""


def _is_overflow(shape: VariantShape) -> bool:
    if not shape.exceptions:
        return False
    type_ = shape.exceptions[-1].type.rpartition(".")[2]
    return type_ in _OVERFLOW_TYPES or shape.template.startswith(_OVERFLOW_TEXTS)


def _recursion(frames: Iterable[FrameShape]) -> tuple[FrameShape, ...]:
    """The functions that called each other, in no order: SDKs cut the start, and the end is chance."""
    frames = tuple(frames)
    cycle = {(frame.module, frame.file, frame.function): frame for frame in frames if frame.repeats}
    if not any(frame.in_app for frame in cycle.values()):  # a library went round: who called it tells the bug
        return frames
    return tuple(cycle[key] for key in sorted(cycle))


def _explained(
    frames: Iterable[FrameShape], found: list[str], reasons: list[str], used: set[str]
) -> list[Explanation]:
    explained: list[Explanation] = []
    seen: set[str] = set()
    for frame, place, reason in zip(frames, found, reasons, strict=True):
        one: Explanation = {"module": frame.module, "function": frame.function, "file": frame.file}
        if not reason:
            reason = "" if place else "nothing in it that lasts"
            reason = "the same place as a frame before" if place in seen else reason
            reason = reason or ("" if place in used else f"further out than the innermost {INNERMOST}")
        seen.add(place)
        one["used_as"] = "" if reason else place
        explained.append(one | ({"left_out": reason} if reason else {}))
    return explained


def _has_words(template: str) -> bool:
    bare = template
    while "⟨" in bare:
        head, _, rest = bare.partition("⟨")
        bare = head + " " + rest.partition("⟩")[2]
    return any(character.isalpha() for character in bare)


def _digest(value: object) -> str:
    return f"{hash_of(msgspec.json.encode(value)):016x}"
