"""Ranks of two samples within strata, for any shift of the second: the engine of `comparison`."""

from dataclasses import dataclass
from functools import cached_property
from math import copysign, expm1, inf, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from errata.statistics.time_levels import LevelVariance, ScoredLoads, level_variance

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# Strata lie beside each other on one axis, further apart than any value or shift can reach.
REACH = 1e3
MOST_OF_A_STRATUM = 0.75
# Loads of one user are never taken for wholly independent: it costs nothing where they are.
LEAST_ALIKE, MOST_ALIKE = 0.05, 0.95
ROUNDS = 10
# Nobody sees who comes again without a name: loads of nobody known are taken to be as uncertain as those of
# visitors with five loads each, alike by a quarter.
NOBODY_ADDS = 1.0


@dataclass(frozen=True)
class Side:
    """One release: values, what each is compared within, whose it is (a load of nobody known has a negative
    number of its own), and the span of time that it lies in."""

    values: Floats
    strata: Integers
    users: Integers
    spans: Integers


@dataclass(frozen=True)
class Error:
    """Of a statistic: its standard error, with how many degrees of freedom that is known (for few clusters
    its quantiles are Student's), and the variance that there would be if all loads were independent."""

    size: float
    freedom: float
    independent: float

    def z(self, statistic: float) -> float:
        """As many standard errors, as a standard normal value: Wallace's formula, Annals of Mathematical
        Statistics 30 (1959)."""
        if self.size <= 0:
            return 0.0
        t = statistic / self.size
        if self.freedom == inf:
            return t
        few = self.freedom
        return copysign((8 * few + 1) / (8 * few + 3) * sqrt(few * log1p(t * t / few)), t)

    def statistic(self, z: float) -> float:
        """The statistic of that z."""
        if self.freedom == inf:
            return z * self.size
        few = self.freedom
        widened = z * (8 * few + 3) / (8 * few + 1)
        # Of one degree of freedom the quantiles of a far tail are beyond every number.
        return copysign(sqrt(few * expm1(min(700.0, widened * widened / few))), z) * self.size


@dataclass(frozen=True)
class _Clusters:
    """What loads are grouped by: a number for each load, and the factor that makes up for a cluster that is
    much of its stratum."""

    places: Integers
    count: int
    leverage: Floats

    def sums(self, values: Floats) -> Floats:
        return summed(self.places, values, self.count)

    def squares(self, contributions: Floats) -> float:
        sums = self.sums(contributions * self.leverage)
        return float(sums @ sums)


class Strata:
    """Only strata that both sides have, with spans `span_hours` long. Loads of the later side come first in
    every array of both."""

    def __init__(self, after: Side, before: Side, span_hours: float = 1.0) -> None:
        kept = np.intersect1d(after.strata, before.strata)
        self.after, self.before = _side(after, kept), _side(before, kept)
        self.count = len(kept)
        self.after_sizes = np.bincount(self.after.strata, minlength=self.count)
        self.before_sizes = np.bincount(self.before.strata, minlength=self.count)
        self._sizes = self.after_sizes + self.before_sizes
        self._before_keys = self.before.values + self.before.strata * REACH
        self._strata = np.concatenate((self.after.strata, self.before.strata))
        users, spans = (
            np.concatenate(both)
            for both in ((self.after.users, self.before.users), (self.after.spans, self.before.spans))
        )
        self._users = self._clusters(users)
        found, places = np.unique(spans, return_inverse=True)
        self._spans = places.astype(np.int64)
        self._span_hours = np.asarray(found * span_hours, dtype=np.float64)
        self._alike = self._likeness()
        # What a load counts in ranks: those of a bot would else be what everybody's are compared with.
        loads_of_user = np.bincount(self._users.places)[self._users.places]
        self._counts = 1 / (1 + (loads_of_user - 1) * self._alike)
        self._masses = summed(self._strata, self._counts, self.count)
        later = len(self.after.values)
        self._after_sums, self._before_sums = (
            np.concatenate(([0.0], np.cumsum(counts)))
            for counts in (self._counts[:later], self._counts[later:])
        )
        self._after_starts, self._before_starts = (
            np.concatenate(([0], np.cumsum(sizes)))[:-1] for sizes in (self.after_sizes, self.before_sizes)
        )
        self._own_after = _placed_within(self.after, self._after_sums, self._after_starts)
        self._own_before = _placed_within(self.before, self._before_sums, self._before_starts)
        self._weights = self._optimal_weights()

    def _clusters(self, names: Integers) -> _Clusters:
        """Scores of a stratum add up to 0, so that a cluster that is much of it varies less than it would
        elsewhere: each is divided by √(1 − its share), as in the CR2 estimator of Bell & McCaffrey, Survey
        Methodology 28 (2002)."""
        found, places = np.unique(names, return_inverse=True)
        cells, where, sizes = np.unique(
            self._strata * len(found) + places, return_inverse=True, return_counts=True
        )
        shares = np.minimum(sizes / self._sizes[cells // len(found)], MOST_OF_A_STRATUM)
        return _Clusters(places.astype(np.int64), len(found), (1 / np.sqrt(1 - shares))[where])

    def statistic(self, shift: float) -> float:
        """Of the hypothesis that the second side is the first plus `shift`; it falls with the shift.

        The scores are those of van Elteren, Bulletin of the International Statistical Institute 37 (1960),
        (rank − (N+1)/2)/(N+1), where a rank counts the loads below as `_counts` says. They are added up with
        the weights that generalized least squares would give the loads, see `_optimal_weights`.
        """
        return float(self._weights @ self._scores(shift)[0])

    def superiority(self, shift: float) -> float:
        """The share of pairs (one of either side, the same stratum) in which the second is larger."""
        placed_after = self._scores(shift)[1]
        return float(self._counts[: len(placed_after)] @ placed_after) / self._pairs

    def _scores(self, shift: float) -> tuple[Floats, Floats]:
        """The scores of all loads, and what lies below the later ones among the earlier ones."""
        after_keys = self.after.values - shift + self.after.strata * REACH
        placed_after = _placed(
            self._before_keys, after_keys, self._before_sums, self._before_starts[self.after.strata]
        )
        placed_before = _placed(
            after_keys, self._before_keys, self._after_sums, self._after_starts[self.before.strata]
        )
        placed = np.concatenate((self._own_after + placed_after, self._own_before + placed_before))
        return _scores(placed, self._masses[self._strata], self._sizes[self._strata]), placed_after

    def error(self, shift: float) -> Error:
        """Of the statistic, from how the scores vary at `shift`.

        As Cameron, Gelbach & Miller, Journal of Business & Economic Statistics 29 (2011), for clusters by
        user and by span of time: the exact variance of all ways to deal the scores of a stratum, what
        products of two loads of one user add to it, and what the levels of spans do.
        """
        scores = self._scores(shift)[0]
        spreads = summed(self._strata, self._counts * scores**2, self.count) / self._masses
        independent = float(np.sum(self._weight_squares * spreads * self._sizes / (self._sizes - 1.0)))
        if independent <= 0:
            return Error(0.0, inf, 0.0)
        contributions = self._weights * scores
        alone = contributions**2 * (self._sizes / (self._sizes - 1.0))[self._strata]
        of_users = independent + self._users.squares(contributions) - float(alone.sum())
        # Users who come before and after the release make it surer, by as much as their loads are alike.
        of_users = max(of_users, (1 - self._alike) * independent)
        levels = self._levels(scores)
        of_nobody = self._nobody_share * NOBODY_ADDS * independent
        variance = of_users + max(levels.variance, of_nobody)
        share = levels.variance / variance if levels.variance > of_nobody else 0.0
        doubt = (1 - share) ** 2 / self.user_freedom + share / levels.freedom
        return Error(sqrt(variance), 1 / doubt, independent)

    def _levels(self, scores: Floats) -> LevelVariance:
        return level_variance(
            ScoredLoads(
                scores,
                self._counts,
                self._weights,
                self._strata,
                self._users.places,
                self._spans,
                np.arange(len(scores)) < len(self.after.values),
                self._span_hours,
            )
        )

    def _likeness(self) -> float:
        """How alike the scores of two loads of one user are, 0 to 1: the correlation, in which each user
        counts by its loads and not by its pairs. Scores are of ranks among the loads of one side, which no
        shift changes."""
        sizes = np.concatenate(
            (self.after_sizes[self.after.strata], self.before_sizes[self.before.strata])
        ).astype(np.float64)
        ranks = []
        for side, of_side in ((self.after, self.after_sizes), (self.before, self.before_sizes)):
            sums = np.arange(len(side.values) + 1.0)
            ranks.append(_placed_within(side, sums, np.cumsum(of_side) - of_side))
        scores = _scores(np.concatenate(ranks), sizes, sizes)
        held = sizes > 1
        counts = self._users.sums(held.astype(np.float64))
        sums, squares = self._users.sums(scores), self._users.sums(scores**2)
        several = counts > 1
        total = float(squares[several].sum())
        if not total:
            return LEAST_ALIKE
        pairs = float(np.sum((sums[several] ** 2 - squares[several]) / (counts[several] - 1)))
        return min(MOST_ALIKE, max(LEAST_ALIKE, pairs / total))

    def _optimal_weights(self) -> Floats:
        """V⁻¹ (z − the level of its stratum), with z = 1 on the second side and V the correlations within
        users: the weights of generalized least squares. A user's loads count less the more there are of them,
        a bot's thousands about as much as those of a few people, and users who come before and after the
        release are compared with themselves. They add up to 0 in each stratum, so that a stratum's level
        changes nothing."""
        count = self._users.sums(np.ones(len(self._strata)))
        taken = count * self._alike / (1 + (count - 1) * self._alike)
        of_user = self._users.places
        release = np.zeros(len(self._strata))
        release[: len(self.after.values)] = 1.0

        def whitened(column: Floats) -> Floats:
            left: Floats = column - (taken * self._users.sums(column) / count)[of_user]
            return left / (1 - self._alike)

        def by_stratum(column: Floats) -> Floats:
            return summed(self._strata, whitened(column), self.count)

        # Conjugate gradients: the levels of the strata, as many equations as there are strata.
        kept = summed(self._strata, (1 - taken / count)[of_user] / (1 - self._alike), self.count)
        level, amiss = np.zeros(self.count), by_stratum(release)
        step = direction = amiss / kept
        for _ in range(ROUNDS):
            answer = by_stratum(direction[self._strata])
            curved, size = float(direction @ answer), float(amiss @ step)
            if curved <= 0 or size <= 0:
                break
            level = level + size / curved * direction
            amiss = amiss - size / curved * answer
            step = amiss / kept
            direction = step + float(amiss @ step) / size * direction
        weights = whitened(release - level[self._strata])
        left = summed(self._strata, weights, self.count) / self._masses
        return weights - left[self._strata] * self._counts

    @cached_property
    def _nobody_share(self) -> float:
        """The part of the weights that is of nobody known."""
        nobody = np.concatenate((self.after.users, self.before.users)) < 0
        return float(np.sum(self._weights[nobody] ** 2) / max(1e-9, np.sum(self._weights**2)))

    @cached_property
    def _weight_squares(self) -> Floats:
        return summed(self._strata, self._weights**2, self.count)

    @cached_property
    def _load_variances(self) -> Floats:
        """Of each user: what its loads add to the variance if they are as alike as all users' are."""
        alike = self._alike
        squares, sums = self._users.sums(self._weights**2), self._users.sums(self._weights)
        variances: Floats = (1 - alike) * squares + alike * sums**2
        return variances

    @cached_property
    def user_freedom(self) -> float:
        """Satterthwaite's, (Σ v)²/Σ v² with v what each user adds to the variance."""
        return _freedom(self._load_variances)

    @cached_property
    def _pairs(self) -> float:
        later = len(self.after.values)
        masses = summed(self.after.strata, self._counts[:later], self.count)
        return max(1e-9, float(masses @ (self._masses - masses)))

    @property
    def user_count(self) -> int:
        return self._users.count

    @property
    def constant_shifts(self) -> tuple[float, float, float] | None:
        """The least, the middle and the largest difference between the two sides' values of a stratum, where
        no value differs from another of its stratum and side; else None."""
        ends = []
        for side, sizes in ((self.after, self.after_sizes), (self.before, self.before_sizes)):
            last = np.cumsum(sizes) - 1
            lowest, highest = side.values[last - sizes + 1], side.values[last]
            if np.any(lowest != highest):
                return None
            ends.append(lowest)
        shifts = ends[0] - ends[1]
        order = np.argsort(shifts)
        half = np.cumsum(self._masses[order])
        middle = order[np.searchsorted(half, half[-1] / 2)]
        return float(shifts.min()), float(shifts[middle]), float(shifts.max())

    @property
    def untied(self) -> float:
        """About the variance of independent loads none of which equals another."""
        return float(self._weight_squares.sum()) / 12

    @property
    def largest_share(self) -> float:
        """Of all loads, those of the known user with most."""
        known = np.concatenate((self.after.users, self.before.users)) >= 0
        loads = np.bincount(self._users.places[known], minlength=1)
        return float(loads.max() / len(self._strata))

    @property
    def evenness(self) -> float:
        """(Σ |w|)²/(n Σ w²): below 1 where some loads count less than others."""
        sizes = np.abs(self._weights)
        squares = float(sizes @ sizes)
        return float(sizes.sum()) ** 2 / (len(sizes) * squares) if squares else 1.0


def summed(places: Integers, values: Floats, count: int) -> Floats:
    """The values of each of `count` places added up."""
    return np.asarray(np.bincount(places, values, count), dtype=np.float64)


def information(after: tuple[Integers, Floats], before: tuple[Integers, Floats]) -> float:
    """Σ n m / (n + m + 1) over strata, with n and m what the loads of either side count, and 1 what one load
    does on average: as many pairs of equal sides, four times that many values, would tell as much."""
    places = np.unique(np.concatenate((after[0], before[0])), return_inverse=True)[1]
    count = int(places.max()) + 1
    one = summed(places[: len(after[0])], after[1], count)
    other = summed(places[len(after[0]) :], before[1], count)
    both = one + other
    return float(np.sum(one * other / (both + both / np.bincount(places))))


def _freedom(variances: Floats) -> float:
    squares = float(variances @ variances)
    return max(1.0, float(variances.sum()) ** 2 / squares - 1) if squares else inf


def _side(side: Side, kept: Integers) -> Side:
    held = np.isin(side.strata, kept)
    values, users, spans = side.values[held], side.users[held], side.spans[held]
    strata = np.searchsorted(kept, side.strata[held])
    order = np.lexsort((values, strata))
    return Side(values[order], strata[order].astype(np.int64), users[order], spans[order])


def _placed(keys: Floats, asked: Floats, sums: Floats, starts: Integers) -> Floats:
    """What lies below each key asked for within its stratum, that beside it counted half."""
    below, through = np.searchsorted(keys, asked, "left"), np.searchsorted(keys, asked, "right")
    placed: Floats = (sums[below] + sums[through]) / 2 - sums[starts]
    return placed


def _placed_within(side: Side, sums: Floats, starts: Integers) -> Floats:
    """Within each stratum of one side, which no shift changes."""
    keys = side.values + side.strata * REACH
    return _placed(keys, keys, sums, starts[side.strata])


def _scores(placed: Floats, masses: Floats, sizes: Floats | Integers) -> Floats:
    scores: Floats = (placed / masses - 0.5) * (sizes / (sizes + 1))
    return scores
