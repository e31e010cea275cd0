"""Levels of spans of time, which all loads of a span share: what they add to the variance of a comparison."""

from dataclasses import dataclass
from math import exp, inf

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# How long a level may last: a level correlates with one so many hours later by 1/e. Each is half of the one
# before it.
LASTING_HOURS = (48.0, 24.0, 12.0, 6.0, 3.0, 1.5)


@dataclass(frozen=True)
class ScoredLoads:
    """A value for each load; `users`, `strata` and `spans` are numbered from 0.

    Scores add up to 0 in each stratum, each counted by `counts`; `weights` are what the compared statistic
    adds scores up with.
    """

    scores: Floats
    counts: Floats
    weights: Floats
    strata: Integers
    users: Integers
    spans: Integers
    is_after: NDArray[np.bool_]
    span_hours: Floats
    """When each span began."""


@dataclass(frozen=True)
class LevelVariance:
    """What levels add to the variance of the statistic, with how many degrees of freedom that is known."""

    variance: float
    freedom: float


def level_variance(loads: ScoredLoads) -> LevelVariance:
    """Of levels with the covariance τ² exp(−hours/l), averaged over the l of `LASTING_HOURS`.

    For each l, τ² is what fits the products of two spans' scores best, those of one user left out. Scores are
    centered on strata and releases, which hides most of a level that lasts: products are therefore compared
    with what is left of a covariance after the same centering. An l counts by its likelihood, and one that is
    twice as long half as much to begin with.
    """
    span_weights = _sums(loads.spans, loads.weights, len(loads.span_hours))
    squares = span_weights**2
    if len(squares) < 2 or not squares.any():
        return LevelVariance(0.0, inf)
    of_strata = _cells(loads.strata, loads.spans, loads.counts, len(squares))
    products, pairs, noise = _products(loads, of_strata)
    trust = np.divide(1.0, pairs, out=np.zeros_like(pairs), where=pairs > 1e-6 * pairs.max())
    seen = _centered(loads, of_strata, span_weights)
    length = float(np.diff(loads.span_hours).min())
    gaps = np.abs(loads.span_hours[:, None] - loads.span_hours[None, :])
    alike = np.exp(-gaps / LASTING_HOURS[0])
    variances, fits, carried = [], [], []
    for lasting in LASTING_HOURS:
        expected = seen @ alike @ seen.T
        weighted = expected * trust
        agreement, size = max(0.0, float(np.sum(products * weighted))), float(np.sum(expected * weighted))
        # A product of spans has the variance (pairs × noise²), and each is in the sums twice.
        fits.append(agreement**2 / size / noise**2 / 4 if size > 0 and noise > 0 else 0.0)
        variances.append(agreement / size * float(span_weights @ alike @ span_weights) if size > 0 else 0.0)
        carried.append(exp(-2 * length / lasting))
        alike = alike * alike
    likelihood = np.exp(np.array(fits) - max(fits)) / np.array(LASTING_HOURS)
    likelihood /= likelihood.sum()
    # Spans that carry over tell less of their variance: (1 − φ²)/(1 + φ²) of as many independent ones, Bayley
    # & Hammersley, Supplement to the Journal of the Royal Statistical Society 8 (1946).
    carry = float(likelihood @ np.array(carried))
    freedom = (float(squares.sum()) ** 2 / float(squares @ squares) - 1) * (1 - carry) / (1 + carry)
    return LevelVariance(float(likelihood @ np.array(variances)), max(1.0, freedom))


def _products(loads: ScoredLoads, of_strata: sparse.csr_matrix) -> tuple[Floats, Floats, float]:
    """For each two spans: the products of scores of two users added up, how many pairs they are of (as loads
    count), and the variance of a score.

    What two independent scores of one stratum have in common, since they add up to 0, is taken off.
    """
    count = len(loads.span_hours)
    scored = loads.counts * loads.scores
    masses = np.bincount(loads.strata, loads.counts)
    squares = np.bincount(loads.strata, loads.counts**2)
    spreads = np.bincount(loads.strata, scored * loads.scores) / masses
    of_users = _cells(loads.users, loads.spans, scored, count)
    counted = _cells(loads.users, loads.spans, loads.counts, count)
    in_common = spreads / np.maximum(masses - squares / masses, 1e-9)
    centering = (of_strata.T @ _by_row(of_strata, in_common)).toarray()
    centering -= np.diag(_sums(loads.spans, loads.counts**2 * in_common[loads.strata], count))
    sums, held = _sums(loads.spans, scored, count), _sums(loads.spans, loads.counts, count)
    products = np.outer(sums, sums) - (of_users.T @ of_users).toarray() + centering
    pairs = np.outer(held, held) - (counted.T @ counted).toarray()
    return products, pairs, float(spreads @ masses / masses.sum())


def _centered(loads: ScoredLoads, of_strata: sparse.csr_matrix, span_weights: Floats) -> Floats:
    """The matrix that turns levels of spans into the sums of scores that are seen of them: without the level
    of each stratum and the difference between the releases, which the estimated effect takes out."""
    count = len(loads.span_hours)
    masses = np.bincount(loads.strata, loads.counts)
    seen: Floats = np.diag(_sums(loads.spans, loads.counts, count))
    seen -= (of_strata.T @ _by_row(of_strata, 1 / masses)).toarray()
    release = (
        loads.is_after - (np.bincount(loads.strata, loads.counts * loads.is_after) / masses)[loads.strata]
    )
    of_release = _sums(loads.spans, loads.counts * release, count)
    return seen - np.outer(of_release, span_weights) / float(loads.weights[loads.is_after].sum())


def _cells(rows: Integers, spans: Integers, values: Floats, count: int) -> sparse.csr_matrix:
    return sparse.csr_matrix((values, (rows, spans)), shape=(int(rows.max()) + 1, count))


def _by_row(cells: sparse.csr_matrix, factors: Floats) -> sparse.csr_matrix:
    return cells.multiply(factors[:, None]).tocsr()


def _sums(places: Integers, values: Floats, count: int) -> Floats:
    return np.asarray(np.bincount(places, values, count), dtype=np.float64)
