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
    template = engines.reworded(shape.template, shape.evaluated, lambda: minified.is_minified(judged))
    if template != shape.template:
        judged = structs.replace(judged, template=template)
    fingerprint, why = version_2.default(judged, decided)
    if left_out:
        why["frames"] = [*left_out, *why.get("frames", ())]
    return fingerprint, why


def _shared(item: ExceptionShape, left_out: list[Explanation]) -> ExceptionShape:
    """With the frames that every engine lists, apart from its own functions."""
    end = engines.evaluated_from(item.frames)
    waits = [number for number, frame in enumerate(item.frames[: end - 1]) if minified.is_awaiting(frame)]
    if end == len(item.frames) and not waits:
        return item
    for number in [*waits, *range(end, len(item.frames))]:
        frame = item.frames[number]
        one = {"exception": item.type, "module": frame.module, "function": frame.function, "file": frame.file}
        left_out.append(
            one | {"used_as": "", "left_out": "evaluated code" if number >= end else "waited for the rest"}
        )
    kept = [frame for number, frame in enumerate(item.frames[:end]) if number not in waits]
    return structs.replace(item, frames=tuple(kept))
