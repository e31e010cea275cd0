"""Whether two things occur together more often than chance would have it."""

import math

# Hundreds of issues are looked at: one in a thousand would be too many to be wrong about.
DEVIATIONS = 3.3


def least_lift(count: int, expected: float) -> float:
    """How many times as often as expected, at least: the lower end of what the count allows.

    Wilson and Hilferty's approximation of the lower limit of a Poisson mean.
    """
    if count <= 0 or expected <= 0:
        return 0.0
    root = 1 - 1 / (9 * count) - DEVIATIONS / (3 * math.sqrt(count))
    return count * max(0.0, root) ** 3 / expected
