"""A browser's stack under version 3: decided as in version 2, once all engines say the same."""

from __future__ import annotations

from msgspec import structs

from errata.grouping import version_2
from errata.grouping.languages import engines, minified
from errata.grouping.shape import ExceptionShape, VariantShape
from errata.grouping.version_2 import Explanation, Place


def fingerprint(shape: VariantShape, decided: frozenset[Place]) -> tuple[tuple[str, ...], Explanation]:
    left_out: list[Explanation] = []
    kept = tuple(_shared(item, left_out) for item in shape.exceptions)
    judged = structs.replace(shape, exceptions=kept) if left_out else shape
    template = engines.reworded(shape.template, shape.evaluated, minified=minified.is_minified(judged))
    if template != shape.template:
        judged = structs.replace(judged, template=template)
    fingerprint, why = version_2.default(judged, decided)
    if left_out:
        why["frames"] = [*left_out, *why.get("frames", ())]
    return fingerprint, why


def _shared(item: ExceptionShape, left_out: list[Explanation]) -> ExceptionShape:
    """With the frames that every engine lists, apart from its own functions."""
    end = engines.evaluated_from(item.frames)
    kept = []
    for number, frame in enumerate(item.frames):
        reason = ""
        if number >= end:
            reason = "evaluated code"
        elif number < end - 1 and minified.is_awaiting(frame):
            reason = "waited for the rest"
        if not reason:
            kept.append(frame)
            continue
        one = {"exception": item.type, "module": frame.module, "function": frame.function, "file": frame.file}
        left_out.append(one | {"used_as": "", "left_out": reason})
    return structs.replace(item, frames=tuple(kept)) if len(kept) < len(item.frames) else item
