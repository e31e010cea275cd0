"""Ranks of two samples within strata, for any shift of the second: the engine of `comparison`."""

from dataclasses import dataclass
from math import copysign, inf, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# Strata lie beside each other on one axis, further apart than any value or shift can reach.
REACH = 1e3
MOST_OF_A_STRATUM = 0.75


@dataclass(frozen=True)
class Side:
    """Values of one release, by stratum and then by size."""

    values: Floats
    strata: Integers
    clusters: Integers


@dataclass(frozen=True)
class Score:
    """`statistic` over `error` is standard normal if the second side is shifted as asked; `superiority` is
    the share of pairs (one of either side, the same stratum) in which the second is larger."""

    statistic: float
    error: float
    superiority: float

    freedom: float
    """Degrees of freedom of `error`; infinite where views are taken for independent."""

    @property
    def z(self) -> float:
        """Standard normal: Student's t of few clusters by Wallace's formula, Annals of Mathematical
        Statistics 30 (1959)."""
        if self.error <= 0:
            return 0.0
        t = self.statistic / self.error
        if self.freedom == inf:
            return t
        few = self.freedom
        return copysign((8 * few + 1) / (8 * few + 3) * sqrt(few * log1p(t * t / few)), t)


class Strata:
    """Only strata that both sides have; `after` and `before` hold values, a stratum and a cluster each."""

    def __init__(self, after: Side, before: Side) -> None:
        kept = np.intersect1d(after.strata, before.strata)
        self.after, self.before = _side(after, kept), _side(before, kept)
        self.count = len(kept)
        self.after_sizes = np.bincount(self.after.strata, minlength=self.count)
        self.before_sizes = np.bincount(self.before.strata, minlength=self.count)
        self._sizes = self.after_sizes + self.before_sizes
        self._after_share = self.after_sizes / self._sizes
        self._own_after = _ranks_within(self.after, self.after_sizes)
        self._own_before = _ranks_within(self.before, self.before_sizes)
        self._before_keys = self.before.values + self.before.strata * REACH
        self._after_starts = np.concatenate(([0], np.cumsum(self.after_sizes)))[self.before.strata]
        self._before_starts = np.concatenate(([0], np.cumsum(self.before_sizes)))[self.after.strata]
        cluster_names = np.unique(np.concatenate((self.after.clusters, self.before.clusters)))
        self._after_clusters = np.searchsorted(cluster_names, self.after.clusters)
        self._before_clusters = np.searchsorted(cluster_names, self.before.clusters)
        self.cluster_count = len(cluster_names)
        self._after_leverage, self._before_leverage = self._leverage()

    @property
    def information(self) -> float:
        """Σ n m / (n + m + 1): as many pairs of equal sides, four times that many values, would tell as
        much."""
        return float(np.sum(self.after_sizes * self.before_sizes / (self._sizes + 1.0)))

    def score(self, shift: float) -> Score:
        """Of the hypothesis that the second side is the first plus `shift`.

        van Elteren, Bulletin of the International Statistical Institute 37 (1960): Σ over strata of the
        rank sum by 1/(N+1), so that the test is the best there is against one shift in all. With s = (rank −
        (N+1)/2)/(N+1) and
        z = 1 on the second side, the statistic is Σ (z − m/N) s, and its variance is estimated from the
        sums of (z − m/N) s over clusters: views of one hour have more in common than chance, and a
        variance of independent views would promise too much. Rosner, Glynn & Lee, Biometrics 62 (2006)
        rank clusters in the same spirit. Where it is smaller than the exact variance of independent views,
        that one counts.
        """
        after_keys = self.after.values - shift + self.after.strata * REACH
        below = np.searchsorted(self._before_keys, after_keys, "left")
        through = np.searchsorted(self._before_keys, after_keys, "right")
        placed_after = (below + through) / 2 - self._before_starts
        below = np.searchsorted(after_keys, self._before_keys, "left")
        through = np.searchsorted(after_keys, self._before_keys, "right")
        placed_before = (below + through) / 2 - self._after_starts
        scores_after = _scores(self._own_after + placed_after, self._sizes[self.after.strata])
        scores_before = _scores(self._own_before + placed_before, self._sizes[self.before.strata])
        independent = self._independent(scores_after, scores_before)
        clustered, freedom = self._clustered(scores_after, scores_before)
        return Score(
            statistic=float(scores_after.sum()),
            error=sqrt(max(independent, clustered)),
            superiority=float(placed_after.sum() / max(1, np.sum(self.before_sizes[self.after.strata]))),
            freedom=freedom if clustered > independent else inf,
        )

    def _independent(self, after: Floats, before: Floats) -> float:
        """Σ n m / (N (N−1)) Σ s²: the variance over all ways to deal the values of a stratum to the two
        sides."""
        squares = np.bincount(self.after.strata, after**2, self.count) + np.bincount(
            self.before.strata, before**2, self.count
        )
        pairs = self.after_sizes * self.before_sizes / (self._sizes * (self._sizes - 1.0))
        return float(np.sum(pairs * squares))

    def _clustered(self, after: Floats, before: Floats) -> tuple[float, float]:
        """Scores of a stratum add up to 0, so that a cluster that is much of it varies less than it would
        elsewhere: each is divided by √(1 − its share), as in the CR2 estimator of Bell & McCaffrey, Survey
        Methodology 28 (2002). Degrees of freedom are Satterthwaite's, (Σ v)²/Σ v² with v what independent
        views of a cluster would add."""
        of_after = (1 - self._after_share)[self.after.strata] * after * self._after_leverage
        of_before = -self._after_share[self.before.strata] * before * self._before_leverage
        sums, squares = (
            np.bincount(self._after_clusters, one, self.cluster_count)
            + np.bincount(self._before_clusters, other, self.cluster_count)
            for one, other in ((of_after, of_before), (of_after**2, of_before**2))
        )
        if self.cluster_count < 2 or not squares.any():
            return 0.0, inf
        return float(np.sum(sums**2)), float(squares.sum() ** 2 / np.sum(squares**2)) - 1

    def _leverage(self) -> tuple[Floats, Floats]:
        cells_after = self.after.strata * self.cluster_count + self._after_clusters
        cells_before = self.before.strata * self.cluster_count + self._before_clusters
        cells, places, sizes = np.unique(
            np.concatenate((cells_after, cells_before)), return_inverse=True, return_counts=True
        )
        shares = np.minimum(sizes / self._sizes[cells // self.cluster_count], MOST_OF_A_STRATUM)
        weights = 1 / np.sqrt(1 - shares[places])
        return weights[: len(cells_after)], weights[len(cells_after) :]


def _side(side: Side, kept: Integers) -> Side:
    held = np.isin(side.strata, kept)
    values, clusters = side.values[held], side.clusters[held]
    strata = np.searchsorted(kept, side.strata[held])
    order = np.lexsort((values, strata))
    return Side(values[order], strata[order].astype(np.int64), clusters[order])


def _ranks_within(side: Side, sizes: Integers) -> Floats:
    """Mid-ranks from 1 within each stratum of one side, which no shift changes."""
    keys = side.values + side.strata * REACH
    starts = np.concatenate(([0], np.cumsum(sizes)))[side.strata]
    below, through = np.searchsorted(keys, keys, "left"), np.searchsorted(keys, keys, "right")
    ranks: Floats = (below + through + 1) / 2 - starts
    return ranks


def _scores(ranks: Floats, sizes: Integers) -> Floats:
    scores: Floats = (ranks - (sizes + 1) / 2) / (sizes + 1)
    return scores
