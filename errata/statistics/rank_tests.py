"""Two tests of ranks, by their normal approximations with ties."""

from math import sqrt
from statistics import NormalDist

import numpy as np

from errata.statistics.stratified import Floats

NORMAL = NormalDist()


def mann_whitney(one: Floats, other: Floats) -> float:
    """Two-sided p: z = (|U − n m/2| − ½) / σ, σ² = n m/12 (N + 1 − Σ(t³ − t)/(N (N − 1))).

    Mann & Whitney, Annals of Mathematical Statistics 18 (1947).
    """
    count, together = len(one) * len(other), np.concatenate((one, other))
    below = np.searchsorted(np.sort(one), other, "left").sum()
    through = np.searchsorted(np.sort(one), other, "right").sum()
    size, ties = len(together), _ties(together)
    variance = count / 12 * (size + 1 - float(np.sum(ties**3 - ties)) / (size * (size - 1)))
    return _two_sided(abs(float(below + through) / 2 - count / 2) - 0.5, variance)


def mann_kendall(values: Floats) -> float:
    """Two-sided p: S = Σ sign(later − earlier), z = (|S| − 1)/σ, σ² = (n (n − 1)(2n + 5) − Σ t (t − 1)(2t
    + 5))/18.

    Mann, Econometrica 13 (1945); Kendall, Rank Correlation Methods (1975).
    """
    count = len(values)
    statistic = float(np.triu(np.sign(values[None, :] - values[:, None]), 1).sum())
    ties = _ties(values)
    tied = float(np.sum(ties * (ties - 1) * (2 * ties + 5)))
    variance = (count * (count - 1) * (2 * count + 5) - tied) / 18
    return _two_sided(abs(statistic) - 1, variance)


def _ties(values: Floats) -> Floats:
    return np.unique(values, return_counts=True)[1].astype(np.float64)


def _two_sided(distance: float, variance: float) -> float:
    return 1.0 if variance <= 0 or distance <= 0 else 2 * NORMAL.cdf(-distance / sqrt(variance))
