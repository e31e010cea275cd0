"""Errors per session (or page load) of a release and the one before: a factor, and how sure it is.

The factor is the Mantel-Haenszel estimate over parts of the week (Rothman & Greenland, Modern Epidemiology,
2nd edition, 1998), so that a release that was seen at night alone is compared with nights:

    ratio = A / B,  A = Σ e1 n0 / N,  B = Σ e0 n1 / N

with e errors in n sessions of the release (1) and the one before (0), and N = n1 + n0 of each part. Of an
identified user one error in each span of six hours counts: a crash loop or a noisy user is one visit that
went wrong. The variance of its logarithm is that of clusters by user and by span of six hours (Cameron,
Gelbach & Miller, Journal of Business & Economic Statistics 29 (2011)); a user seen by both releases is one
cluster."""

from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from errata.statistics.clustered_shares import USUAL, widened
from errata.statistics.comparison import FEWEST
from errata.statistics.impact import DOMINATING, FEWEST_USERS
from errata.statistics.interim_analyses import InterimAnalysis
from errata.statistics.stratified import Floats, Integers
from errata.statistics.verdict import ERROR_MARGIN, Bounds, Reason, Verdict, verdict

# Of more sessions or page loads a side, a sample of users is compared: a busy site costs no more.
EXPOSURES_A_SIDE = 40_000
SPANS_A_DAY = 4
# 1970-01-01 was a Thursday.
FIRST_WEEKDAY = 3
SATURDAY = 5
PARTS = 2 * SPANS_A_DAY
# Errors added to either side, so that none before is no infinite factor: half of one, as Haldane, Annals of
# Human Genetics 20 (1956).
ADDED = 0.5
LEAST_LEFT = 0.25
# Beyond e to this, an end of an interval is as good as none.
LARGEST_LOG = 20.0


@dataclass(frozen=True)
class Activity:
    """One value for each source in each span of six hours since 1970 on one side. `source`: a user, or of
    those who are not identified (`is_known` False) their kind of client. `exposures` are sessions or page
    loads."""

    is_after: NDArray[np.bool_]
    source: NDArray[np.uint64]
    is_known: NDArray[np.bool_]
    span: Integers
    exposures: Floats
    errors: Floats

    @property
    def with_errors_once(self) -> "Activity":
        """With one error at most of a user in a span. Of those who are not identified a kind of client is
        many, and each error counts."""
        return replace(self, errors=np.where(self.is_known, np.minimum(self.errors, 1.0), self.errors))

    @property
    def part(self) -> Integers:
        """The part of the week: a quarter of a day (UTC) on workdays or at the weekend."""
        weekday = (self.span // SPANS_A_DAY + FIRST_WEEKDAY) % 7
        parts: Integers = self.span % SPANS_A_DAY + SPANS_A_DAY * (weekday >= SATURDAY)
        return parts

    def where(self, held: NDArray[np.bool_]) -> "Activity":
        return Activity(
            self.is_after[held],
            self.source[held],
            self.is_known[held],
            self.span[held],
            self.exposures[held],
            self.errors[held],
        )


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """Errors per exposure of a release against the one before. `ratio` 1.8: 1.8 times as many; `low` and
    `high` are its 95% interval at one analysis."""

    after_errors: float
    before_errors: float
    after_exposures: float
    before_exposures: float
    ratio: float
    low: float
    high: float
    independent_errors: float
    """So many independent errors would tell as much as those of the release: those of one user or span of
    time have something in common."""
    largest_share: float
    """Of the errors compared, those of the user with most; 0: nobody is known."""
    design_effect: float
    """The variance, as a multiple of that of independent errors."""
    verdict: Verdict
    reason: Reason
    bounds: Bounds | None
    """Of the logarithm of the ratio, at every analysis; None: too few users."""
    weeks_between: float
    """From the mean moment of the sessions or page loads of the one before to that of the release's."""

    @property
    def after_rate(self) -> float:
        return self.after_errors / self.after_exposures

    @property
    def before_rate(self) -> float:
        return self.before_errors / self.before_exposures


def error_rate(activity: Activity, analysis: InterimAnalysis | None) -> ErrorRate | None:
    """None under 50 comparable exposures on either side, or without any error; without an analysis everything
    is known but the verdict."""
    exposed = (_sums(activity.part, activity.exposures * side) > 0 for side in _sides(activity))
    kept = activity.where(np.logical_and(*exposed)[activity.part]).with_errors_once
    after, before = _sides(kept)
    exposures = float(kept.exposures[after].sum()), float(kept.exposures[before].sum())
    errors = float(kept.errors[after].sum()), float(kept.errors[before].sum())
    if min(exposures) < FEWEST or not sum(errors):
        return None
    estimate = _Estimate.of(kept)
    variance, freedom = _variance(kept, estimate)
    standard_error = sqrt(variance)
    carriers, largest_share = _carriers(kept)

    def ends(z: float) -> tuple[float, float]:
        reach = widened(z, freedom) * standard_error
        return estimate.log_ratio - reach, estimate.log_ratio + reach

    low, high = ends(USUAL)
    is_enough = min(freedom, carriers) >= FEWEST_USERS
    bounds = Bounds(*ends(analysis.z)) if analysis and is_enough else None
    word = verdict(bounds, ERROR_MARGIN)
    effect = variance / sum(1 / (count + ADDED) for count in errors)
    return ErrorRate(
        *errors,
        *exposures,
        ratio=exp(estimate.log_ratio),
        low=exp(max(-LARGEST_LOG, low)),
        high=exp(min(LARGEST_LOG, high)),
        independent_errors=errors[0] / max(1.0, effect),
        largest_share=largest_share,
        design_effect=effect,
        verdict=word,
        reason=_reason(largest_share, is_enough) if word == Verdict.NOT_ENOUGH_DATA else Reason.NONE,
        bounds=bounds,
        weeks_between=_weeks_between(kept),
    )


@dataclass(frozen=True)
class _Estimate:
    """`error_weights` and `exposure_weights`, by side and part: the influence of one more of either on the
    logarithm of the ratio. `added`: the variance from the errors that were added."""

    log_ratio: float
    error_weights: Floats
    exposure_weights: Floats
    added: float

    @classmethod
    def of(cls, kept: Activity) -> "_Estimate":
        sides = _sides(kept)
        n1, n0 = (_sums(kept.part, kept.exposures * side) for side in sides)
        e1, e0 = (_sums(kept.part, kept.errors * side) for side in sides)
        both = np.maximum(n1 + n0, 1e-9)
        shared = float(np.sum(n1 * n0 / both))
        added1, added0 = (ADDED * shared / float(side.sum()) for side in (n1, n0))
        a = float(np.sum(e1 * n0 / both)) + added1
        b = float(np.sum(e0 * n1 / both)) + added0
        lost = (e1 / a + e0 / b) / both**2
        return cls(
            log(a / b),
            np.array([n0 / both / a, -n1 / both / b]),
            np.array([-lost * n0, lost * n1]),
            (added1 / a) ** 2 / ADDED + (added0 / b) ** 2 / ADDED,
        )

    def influence(self, of: Activity) -> Floats:
        """Of each row on the logarithm of the ratio: they sum to about 0 on either side."""
        side = np.where(of.is_after, 0, 1)
        weights = self.error_weights[side, of.part], self.exposure_weights[side, of.part]
        influence: Floats = weights[0] * of.errors + weights[1] * of.exposures
        return influence


def _variance(kept: Activity, estimate: _Estimate) -> tuple[float, float]:
    """Of the logarithm of the ratio, with its degrees of freedom: never less than that of independent errors.

    Errors of both releases are taken to be as alike as those of the more alike one: among few users of a new
    release none may be in a crash loop yet."""
    influence = estimate.influence(kept)
    variance, freedom = _clustered(kept, influence)
    alike: list[tuple[float, float, float]] = []
    for side in _sides(kept):
        of_side, side_freedom = _clustered(kept.where(side), influence[side])
        count = float(kept.errors[side].sum())
        alike.append((max(1.0, of_side * (count + ADDED)), count + ADDED, side_freedom))
    (less, count, _), (more, _, most_freedom) = sorted(alike)
    estimated = variance + (more - less) / count
    total = max(estimated + estimate.added, sum(1 / each[1] for each in alike))
    if not estimated:
        return total, inf
    # What was added is known, not estimated.
    return total, min(freedom, most_freedom) * (total / estimated) ** 2


def _clustered(of: Activity, influence: Floats) -> tuple[float, float]:
    """The variance of the sum by user and by span, and the degrees of freedom of Satterthwaite (1946) that
    the fourth powers of the users' parts leave. A user who is much of all counts by 1 − that part more."""
    _, source = np.unique(of.source, return_inverse=True)
    count = int(source.max(initial=-1)) + 1
    sums = np.bincount(source, influence, count)
    exposed = np.bincount(source, of.exposures, count)
    squares = sums**2 / np.maximum(LEAST_LEFT, 1 - exposed / max(1.0, exposed.sum()))
    variance = float(squares.sum())
    if not variance:
        return 0.0, inf
    freedom = max(1.0, min(count - 1.0, 2 * variance**2 / float(np.sum(squares**2))))
    spans, span = np.unique(of.span, return_inverse=True)
    if len(spans) > 1:
        by_span = float(np.sum(np.bincount(span, influence) ** 2))
        _, visit = np.unique(source * len(spans) + span, return_inverse=True)
        variance += max(0.0, by_span - float(np.sum(np.bincount(visit, influence) ** 2)))
    return variance, freedom


def _carriers(kept: Activity) -> tuple[float, float]:
    """How many sources, with as many errors each, would be as uneven (Kish 1965), and the largest user's
    share."""
    _, first, source = np.unique(kept.source, return_index=True, return_inverse=True)
    errors = np.bincount(source, kept.errors)
    known = errors[kept.is_known[first]]
    total = float(errors.sum())
    return total**2 / float(np.sum(errors**2)), float(known.max(initial=0.0)) / total


def _reason(largest_share: float, is_enough: bool) -> Reason:
    if largest_share > DOMINATING:
        return Reason.ONE_USER
    return Reason.NONE if is_enough else Reason.FEW_USERS


def _weeks_between(kept: Activity) -> float:
    after, before = (float(np.average(kept.span, weights=kept.exposures * side)) for side in _sides(kept))
    return (after - before) / (7 * SPANS_A_DAY)


def _sides(of: Activity) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return of.is_after, ~of.is_after


def _sums(part: Integers, values: Floats) -> Floats:
    sums: Floats = np.bincount(part, values, PARTS).astype(np.float64)
    return sums
