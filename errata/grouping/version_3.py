"""Version 3 of the rules: which parts of a shape decide its issue. Changes go into a version 4.

What is not said here is decided as in version 2, so issues of other languages keep their fingerprints.
"""

from __future__ import annotations

from errata.grouping import engine_stack, jvm_stack, native_stack, version_2
from errata.grouping.languages import language_of
from errata.grouping.languages.java import JAVA
from errata.grouping.languages.native import NATIVE
from errata.grouping.shape import VariantShape
from errata.grouping.version_2 import Explanation, Place


def default(
    shape: VariantShape, decided: frozenset[Place] = frozenset()
) -> tuple[tuple[str, ...], Explanation]:
    if not shape.exceptions or shape.is_overflow:
        return version_2.default(shape, decided)
    language = language_of(shape.platform)
    if language is NATIVE:
        return native_stack.fingerprint(shape, decided) or version_2.default(shape, decided)
    if language is JAVA:
        return jvm_stack.fingerprint(shape, decided) or version_2.default(shape, decided)
    if shape.platform == "javascript":
        return engine_stack.fingerprint(shape, decided)
    return version_2.default(shape, decided)
