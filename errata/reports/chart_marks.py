"""Which moments a chart marks with lines, and which of these it has room to name."""

from collections.abc import Callable, Sequence
from typing import TypeVar

MOST_DEPLOYS = 12
Place = TypeVar("Place")


def apart(
    marks: Sequence[tuple[Place, str]], is_near: Callable[[Place, Place], bool]
) -> list[tuple[Place, str]]:
    """Of lines too near each other for words on both, the later one is named."""
    named: list[tuple[Place, str]] = []
    for place, words in marks:
        if named and is_near(named[-1][0], place):
            named.pop()
        named.append((place, words))
    return named
