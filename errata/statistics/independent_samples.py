"""How many independent samples those of a window are worth, and what a figure of theirs is at least.

Samples of one user are taken for wholly alike: one slow bot is one slow sample, however often it comes.
"""

from collections.abc import Sequence
from functools import cache
from math import inf, sqrt
from statistics import NormalDist

import numpy as np
from scipy.special import bdtrik, betaincinv

from errata.statistics.stratified import NOBODY_ADDS

# So many counters estimate Σ n² within √(2 / 256), 9%: Alon, Matias & Szegedy, Journal of Computer and System
# Sciences 58 (1999), with the one counter a sample of Charikar, Chen & Farach-Colton, ICALP (2002).
BUCKETS = 256
# A figure is above a limit if it is by so many standard errors. With fewer, windows that slide for 90 days
# would be above it by chance more often than docs/statistics.md promises.
SURE = 2.0
CHANCE = NormalDist().cdf(-SURE)
# Percentiles are asked for as if they were of so many independent samples; between two of these sizes the
# level is interpolated.
SIZES = (10, 20, 40, 80, 160, 640, 2560, 10240)


def independent_count(sample_count: int, squares: float, unidentified_count: int) -> float:
    """Kish's effective size, (Σ n)² / Σ n² over users, Survey Sampling (1965). `squares`: Σ n², in which
    samples of nobody known count by trace; they are taken to vary as those of stratified.NOBODY_ADDS."""
    if not sample_count:
        return 0.0
    # An estimate may be below what single samples have.
    squares = max(squares, sample_count) + NOBODY_ADDS * unidentified_count
    return float(sample_count**2 / squares)


@cache
def lower_levels(level: float) -> tuple[float, ...]:
    """Of the percentiles that `percentile_at_least` needs, for each of SIZES."""
    return tuple(_lower_level(level, size) for size in SIZES)


def percentile_at_least(level: float, value: float, lower: Sequence[float], size: float) -> float:
    """What the percentile at `level` is at least, by `value` and the percentiles at `lower_levels`: by the
    exact test of how many samples are above it. 0: no bound."""
    at = _lower_level(level, size)
    if at <= 0:
        return 0.0
    levels = [each for each in (*lower_levels(level), level) if each > 0]
    return float(np.interp(at, levels, [*lower, value][-len(levels) :]))


def mean_at_least(mean: float, square_mean: float, size: float) -> float:
    """mean − SURE · s / √size, with s the standard deviation of the samples."""
    return mean - SURE * sqrt(max(0.0, square_mean - mean * mean) / size) if size else -inf


def ratio_at_least(ratio: float, size: float) -> float:
    """The exact lower bound of Clopper & Pearson (1934), for as many independent samples."""
    count = ratio * size
    return float(betaincinv(count, size - count + 1, CHANCE)) if count else 0.0


def _lower_level(level: float, size: float) -> float:
    """The rest of the samples where so many are above the percentile that only CHANCE puts more there; the
    binomial distribution, continued between whole counts."""
    return max(0.0, 1 - (float(bdtrik(1 - CHANCE, size, 1 - level)) + 1) / size)
