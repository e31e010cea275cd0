"""Which of many p-values count, so that few of those that do are chance."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Discovery:
    """`threshold` is the largest p-value that counts; 0 where none does."""

    indices: tuple[int, ...]
    threshold: float


def benjamini_yekutieli(p_values: Sequence[float], level: float) -> Discovery:
    """The share of false ones among those found is expected to be at most `level`, however they depend.

    Benjamini and Yekutieli (2001). The plain procedure of Benjamini and Hochberg wants tests that do not
    work against each other; the values of one tag do: where one has more, the others have less.
    """
    count = len(p_values)
    harmonic = sum(1 / rank for rank in range(1, count + 1))
    ordered = sorted(range(count), key=lambda index: p_values[index])
    found = 0
    for rank, index in enumerate(ordered, start=1):
        if p_values[index] <= level * rank / (count * harmonic):
            found = rank
    threshold = level * found / (count * harmonic) if found else 0.0
    return Discovery(tuple(ordered[:found]), threshold)
