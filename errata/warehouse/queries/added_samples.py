"""Percentiles of what a build counted with samples added that came since."""

import math
from bisect import bisect_right
from collections.abc import Sequence

PROBABILITIES = (0.5, 0.75, 0.95)
# Of these a digest is told: many are close to what is asked for, since few samples move that little.
LEVELS = (
    *(0.0, 0.1, 0.25, 0.4, 0.45, 0.48, 0.5, 0.52, 0.55, 0.6, 0.7),
    *(0.73, 0.75, 0.77, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.99, 1.0),
)
# A digest with more added to it is asked for anew.
MOST_OF_A_DIGEST = 0.25


def with_added(
    count: int, is_exact: bool, around: Sequence[Sequence[float]], reach: int, added: list[float]
) -> list[float] | None:
    """None: more was added than what is known of the others can tell."""
    if is_exact:
        return exact_percentiles(count, around, reach, added)
    if len(added) > MOST_OF_A_DIGEST * count:
        return None
    return digested_percentiles(count, around[0], added)


def exact_percentiles(
    count: int, around: Sequence[Sequence[float]], reach: int, added: list[float]
) -> list[float]:
    """Linear, of all values; `around`: of `count` ascending ones those up to `reach` from each percentile."""
    return [
        _exact(count, values, _begins(count, probability, reach), probability, added)
        for probability, values in zip(PROBABILITIES, around, strict=True)
    ]


def digested_percentiles(count: int, quantiles: Sequence[float], added: list[float]) -> list[float]:
    """Of a digest that is known at LEVELS: where as many samples lie below as the percentile says."""
    ordered = sorted(added)
    return [_digested(count, quantiles, ordered, probability) for probability in PROBABILITIES]


def _begins(count: int, probability: float, reach: int) -> int:
    """The place of the first value that is told about a percentile."""
    return max(0, math.floor((count - 1) * probability) - reach)


def _exact(count: int, values: Sequence[float], begins: int, probability: float, added: list[float]) -> float:
    together = sorted([*values, *added])
    place = (count + len(added) - 1) * probability
    below = math.floor(place)
    lower = together[below - begins]
    upper = together[min(math.ceil(place), count + len(added) - 1) - begins]
    return lower + (upper - lower) * (place - below)


def _digested(count: int, quantiles: Sequence[float], ordered: list[float], probability: float) -> float:
    wanted = probability * (count + len(ordered))

    def samples_below(value: float) -> float:
        return count * _level(quantiles, value) + bisect_right(ordered, value)

    low, high = min(quantiles[0], ordered[0]), max(quantiles[-1], ordered[-1])
    for _ in range(40):
        middle = (low + high) / 2
        if samples_below(middle) < wanted:
            low = middle
        else:
            high = middle
    return high


def _level(quantiles: Sequence[float], value: float) -> float:
    place = bisect_right(quantiles, value)
    if place == 0:
        return 0.0
    if place == len(quantiles):
        return 1.0
    low, high = quantiles[place - 1], quantiles[place]
    return LEVELS[place - 1] + (LEVELS[place] - LEVELS[place - 1]) * (value - low) / (high - low)
