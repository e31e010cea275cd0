"""Whether two things occur together more often than chance would have it."""

import math

# One pair in two thousand, at one side of a normal distribution.
DEVIATIONS = 3.3
FALSE_PAIRS = 1 / 2000
# Thousands are compared where there are many issues: chance may add to one page in twenty at most.
FALSE_PAGES = 1 / 20


def least_likely(compared_count: int) -> float:
    """The probability up to which chance is no explanation, where that many are compared (Bonferroni)."""
    return min(FALSE_PAIRS, FALSE_PAGES / max(1, compared_count))


def least_lift(count: int, expected: float) -> float:
    """How many times as often as expected, at least: the lower end of what the count allows.

    Wilson and Hilferty's approximation of the lower limit of a Poisson mean.
    """
    if count <= 0 or expected <= 0:
        return 0.0
    root = 1 - 1 / (9 * count) - DEVIATIONS / (3 * math.sqrt(count))
    return count * max(0.0, root) ** 3 / expected
