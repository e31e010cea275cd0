"""Version 4 of the rules: which parts of a shape decide its issue. Changes go into a version 5.

What is not said here is decided as in version 3, with the same fingerprints.
"""

from __future__ import annotations

from msgspec import structs

from errata.grouping import jvm_stack, version_3
from errata.grouping.details import CODE, MODULE, PAGE
from errata.grouping.languages import language_of
from errata.grouping.languages.java import JAVA
from errata.grouping.languages.php import unnumbered
from errata.grouping.retries import without_retries
from errata.grouping.shape import ExceptionShape, FrameShape, VariantShape
from errata.grouping.version_2 import Explanation, Place

# Whose stack follows the engine, the router and the SDK: the detail says all.
_WITHOUT_STACK = {MODULE: "module not loaded", PAGE: "script error"}


def default(
    shape: VariantShape, decided: frozenset[Place] = frozenset()
) -> tuple[tuple[str, ...], Explanation]:
    if shape.is_overflow:
        return version_3.default(shape, decided)
    left_out: list[Explanation] = []
    is_java = language_of(shape.platform) is JAVA  # whose deepest cause decides anyway
    judged = shape if is_java else without_retries(shape, decided, left_out)
    if shape.platform == "php":
        judged = _without_numbers(judged)
        decided |= {(module, unnumbered(function), file) for module, function, file in decided}
    kinds = dict(shape.details)
    if kinds:
        judged = structs.replace(judged, template=shape.message)
    for kind, type_ in _WITHOUT_STACK.items():
        if kind in kinds:
            raised = (ExceptionShape(type=type_),)
            judged = structs.replace(judged, exceptions=raised, frames=(), evaluated="")
    found = jvm_stack.fingerprint(judged, decided, jvm_stack.VERSION_4) if is_java else None
    fingerprint, why = found or version_3.default(judged, decided)
    if left_out:
        why["frames"] = [*left_out, *why.get("frames", ())]
    if kinds:
        why["template"] = shape.message
    # Also where a stack is told without its message.
    return (*fingerprint, *(value for kind, value in shape.details if kind == CODE)), why


def _without_numbers(shape: VariantShape) -> VariantShape:
    def frames(sent: tuple[FrameShape, ...]) -> tuple[FrameShape, ...]:
        return tuple(structs.replace(frame, function=unnumbered(frame.function)) for frame in sent)

    exceptions = tuple(structs.replace(item, frames=frames(item.frames)) for item in shape.exceptions)
    return structs.replace(shape, exceptions=exceptions, frames=frames(shape.frames))
