"""Version 4 of the rules: which parts of a shape decide its issue. Changes go into a version 5.

What is not said here is decided as in version 3, with the same fingerprints.
"""

from __future__ import annotations

from msgspec import structs

from errata.grouping import version_3
from errata.grouping.details import MODULE, PAGE
from errata.grouping.shape import ExceptionShape, VariantShape
from errata.grouping.version_2 import Explanation, Place

# Whose stack follows the engine, the router and the SDK: the detail says all.
_WITHOUT_STACK = {MODULE: "module not loaded", PAGE: "script error"}


def default(
    shape: VariantShape, decided: frozenset[Place] = frozenset()
) -> tuple[tuple[str, ...], Explanation]:
    if not shape.details or shape.is_overflow:
        return version_3.default(shape, decided)
    kinds = dict(shape.details)
    judged = structs.replace(shape, template=shape.message)
    for kind, type_ in _WITHOUT_STACK.items():
        if kind in kinds:
            raised = (ExceptionShape(type=type_),)
            judged = structs.replace(judged, exceptions=raised, frames=(), evaluated="")
    fingerprint, why = version_3.default(judged, decided)
    # Also where a stack is told without its message.
    return (*fingerprint, *(value for _, value in shape.details)), why | {"template": shape.message}
