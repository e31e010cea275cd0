"""Version 3 of the rules: which parts of a shape decide its issue. Changes go into a version 4.

What is not said here is decided as in version 2, so issues of other languages keep their fingerprints.
"""

from __future__ import annotations

from msgspec import structs

from errata.grouping import engine_stack, jvm_stack, native_stack, version_2
from errata.grouping.languages import language_of
from errata.grouping.languages.java import JAVA
from errata.grouping.languages.native import NATIVE
from errata.grouping.message import without_values
from errata.grouping.shape import VariantShape
from errata.grouping.version_2 import Explanation, Place


def default(
    shape: VariantShape, decided: frozenset[Place] = frozenset()
) -> tuple[tuple[str, ...], Explanation]:
    if shape.is_overflow:
        return version_2.default(shape, decided)
    if shape.exceptions and shape.platform == "javascript":
        return engine_stack.fingerprint(shape, decided)
    if not any(item.frames for item in shape.exceptions):
        # A name in quotes is a value where a program logs, and code where an engine complains.
        template = without_values(shape.template, quoted=not shape.exceptions)
        if template != shape.template:
            shape = structs.replace(shape, template=template)
        return version_2.default(shape, decided)
    language = language_of(shape.platform)
    if language is NATIVE:
        return native_stack.fingerprint(shape, decided) or version_2.default(shape, decided)
    if language is JAVA:
        return jvm_stack.fingerprint(shape, decided) or version_2.default(shape, decided)
    return version_2.default(shape, decided)
