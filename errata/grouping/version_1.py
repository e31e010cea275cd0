"""Version 1 of the rules: which parts of a shape decide its issue. Changes go into a version 2."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from errata.grouping.browser_1 import (
    is_failed_fetch,
    is_minified,
    is_vendor_bundle,
    message_1,
    minified_place,
)
from errata.grouping.frame import is_native
from errata.grouping.names_1 import file_1, function_1, is_inlined, module_1
from errata.grouping.shape import ExceptionShape, FrameShape, VariantShape, hash_of

_OVERFLOW_TYPES = ("RecursionError", "StackOverflowError", "SystemStackError", "StackOverflowException")
_OVERFLOW_TEXTS = ("Maximum call stack size exceeded", "too much recursion")

# Their messages are made by the engine from the code itself: they name the attribute, not what a user typed.
_ENGINE_TYPES = frozenset({"TypeError", "ReferenceError", "AttributeError", "NameError", "UnboundLocalError"})

Explanation = dict[str, Any]


class _Piece(NamedTuple):
    """What counts of one exception of a chain."""

    type: str
    places: list[str]
    line: str


def default(shape: VariantShape) -> tuple[tuple[str, ...], Explanation]:
    if shape.is_overflow:
        type_ = shape.exceptions[-1].type if shape.exceptions else ""
        why = {
            "rule": "exception type and message template",
            "types": [type_],
            "past_limit_of_variants": True,
        }
        return ("past the limit of variants", type_), why
    if not shape.exceptions:
        return _message(shape)
    return _stack(shape, in_app_only=True) or _stack(shape, in_app_only=False) or _type_and_template(shape)


def _message(shape: VariantShape) -> tuple[tuple[str, ...], Explanation]:
    why: Explanation = {"rule": "message", "template": shape.template, "logger": shape.logger}
    # "%s" says nothing; the place it was sent from does.
    if _has_words(shape.template) or not shape.frames:
        return ("message", shape.logger, shape.template), why
    seen: list[Explanation] = []
    in_app_only = any(frame.in_app and not is_native(frame) for frame in shape.frames)
    places = _places(shape.frames, in_app_only, shape.platform, False, seen)
    why |= {"rule": "in-app frames" if in_app_only else "all frames", "frames": seen}
    return ("message", shape.logger, _digest(places)), why


def _type_and_template(shape: VariantShape) -> tuple[tuple[str, ...], Explanation]:
    types = _types(shape)
    template = message_1(shape.template)
    why = {"rule": "exception type and message template", "types": types, "template": template}
    return ("type and template", *types, template), why


def _stack(shape: VariantShape, in_app_only: bool) -> tuple[tuple[str, ...], Explanation] | None:
    """By the frames of the whole chain; None where no frame of it says anything."""
    minified = is_minified(shape)
    is_group = any(item.is_group for item in shape.exceptions)
    seen: list[Explanation] = []
    pieces: list[_Piece] = []
    for item in shape.exceptions:
        piece = _piece(item, shape, in_app_only, minified, seen)
        # Raised and caught inside a library: as little ours as its frames are.
        is_internal = item.frames and not piece.places and not is_group and item is not shape.exceptions[-1]
        # A retry that fails the same way again makes the chain longer, not another one.
        if piece not in pieces and not is_internal:
            pieces.append(piece)
    if not any(item.places for item in pieces):
        return None
    template = _template_beside(piece, shape, minified)
    if is_group:
        pieces[:-1] = sorted(pieces[:-1])
    types = [item.type for item in pieces]
    why: Explanation = {
        "rule": "in-app frames" if in_app_only else "all frames",
        "types": types,
        "frames": seen,
        "source_lines": [item.line for item in pieces if item.line],
        "template": template,
        "minified": minified,
    }
    return ("app" if in_app_only else "system", *types, _digest([pieces, template])), why


def _piece(
    item: ExceptionShape, shape: VariantShape, in_app_only: bool, minified: bool, seen: list[Explanation]
) -> _Piece:
    overflow = _is_overflow(shape)
    frames = _recursion(item.frames) if overflow and item is shape.exceptions[-1] else item.frames
    explained: list[Explanation] = []
    places = _places(frames, in_app_only, shape.platform, minified, explained)
    if minified and is_failed_fetch(shape.template):
        places = sorted(set(places))  # the innermost is the SDK's own wrapper, in some versions of it
    seen += [{"exception": item.type, **frame} for frame in explained]
    has_line = in_app_only and places and not minified and not overflow
    return _Piece(_type(item, overflow), places, item.line if has_line else "")


def _template_beside(raised: _Piece, shape: VariantShape, minified: bool) -> str:
    """The message, where frames alone would mix the bugs of a function, and nobody wrote it by hand."""
    if _is_overflow(shape):
        return ""
    if minified or (raised.places and not raised.line and raised.type in _ENGINE_TYPES):
        return message_1(shape.template)
    return ""


def _types(shape: VariantShape) -> list[str]:
    return list(dict.fromkeys(_type(item, False) for item in shape.exceptions))


def _type(item: ExceptionShape, overflow: bool) -> str:
    # The engines call it RangeError and InternalError.
    if overflow and item.type in ("RangeError", "InternalError"):
        return "stack overflow"
    return module_1(item.type)


def _is_overflow(shape: VariantShape) -> bool:
    type_ = shape.exceptions[-1].type.rpartition(".")[2]
    return type_ in _OVERFLOW_TYPES or shape.template.startswith(_OVERFLOW_TEXTS)


def _recursion(frames: Iterable[FrameShape]) -> tuple[FrameShape, ...]:
    """The functions that called each other, in no order: SDKs cut the start, and the end is chance."""
    frames = tuple(frames)
    cycle = {(frame.module, frame.file, frame.function): frame for frame in frames if frame.repeats}
    if not any(frame.in_app for frame in cycle.values()):  # a library went round: who called it tells the bug
        return frames
    return tuple(cycle[key] for key in sorted(cycle))


def _places(
    frames: Iterable[FrameShape], in_app_only: bool, platform: str, minified: bool, seen: list[Explanation]
) -> list[str]:
    """Each place once, in order of its first call, and at the end the place the stack ended in."""
    places: dict[str, None] = {}
    innermost = ""
    for frame in frames:
        place, why_not = "", _why_not(frame, in_app_only, minified)
        if not why_not:
            place = minified_place(frame) if minified else _place(frame, platform)
            why_not = "" if place else "nothing in it that lasts"
            why_not = "the same place as a frame before" if place in places else why_not
        seen.append(_explained(frame, place, why_not))
        if place:
            places[place] = None
            innermost = place
    # In which order a page's bundles call each other follows the framework's scheduler.
    listed = sorted(places) if minified else list(places)
    return listed if not listed or listed[-1] == innermost else [*listed, innermost]


def _why_not(frame: FrameShape, in_app_only: bool, minified: bool) -> str:
    if is_native(frame):
        return "native function"
    if in_app_only and not frame.in_app:
        return "not in-app"
    if in_app_only and minified and is_vendor_bundle(frame):
        return "vendor bundle"
    if is_inlined(frame.function):
        return "inlined by newer Python versions"
    return ""


def _place(frame: FrameShape, platform: str) -> str:
    module = module_1(frame.module)
    if module in ("", "__main__"):
        module = file_1(frame.file, in_app=frame.in_app)
        if frame.module:  # a script, told by the name it has when imported
            module = (module if frame.file[:1] != "/" else module.rpartition("/")[2]).removesuffix(".py")
            module = module.replace("/", ".")
    return f"{module} {function_1(frame.function, platform)}".strip()


def _explained(frame: FrameShape, place: str, why_not: str) -> Explanation:
    explained: Explanation = {"module": frame.module, "function": frame.function, "file": frame.file}
    explained["used_as"] = place if not why_not else ""
    if why_not:
        explained["left_out"] = why_not
    return explained


def _has_words(template: str) -> bool:
    bare = template
    while "⟨" in bare:
        head, _, rest = bare.partition("⟨")
        bare = head + " " + rest.partition("⟩")[2]
    return any(character.isalpha() for character in bare)


def _digest(value: object) -> str:
    return f"{hash_of(msgspec.json.encode(value)):016x}"
