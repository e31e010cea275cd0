"""Two releases on the same pages, devices and hours: by how much the second is slower, and how sure that
is."""

from collections.abc import Callable
from dataclasses import dataclass
from math import expm1
from statistics import NormalDist

import numpy as np

from errata.statistics.matching import Views, matched
from errata.statistics.verdict import Bounds

LEVEL = 0.95
# Fewer tell nothing that a person should act on.
FEWEST = 50
# Effects that are looked for: to a twentieth and twenty times.
FURTHEST = 3.0
PRECISION = 1e-4
NORMAL = NormalDist()
USUAL = NORMAL.inv_cdf(0.5 + LEVEL / 2)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Of two releases; ratios are changes against the one before: 0.1 is a tenth more.

    `low` and `high` are the 95% interval of one analysis; `bounds` are as wide as judging at several
    analyses needs.
    """

    after_count: int
    before_count: int
    stratum_count: int
    effect: float
    low: float
    high: float
    bounds: Bounds
    p_value: float
    """Of the stratified Mann-Whitney test, at one analysis, two-sided."""
    slower_probability: float
    """That the release is slower, given these views and nothing known before."""
    superiority: float
    """Share of pairs of views, alike but for the release, in which the later release's is the slower."""


def compare(after: Views, before: Views, *, z: float = USUAL, is_ratio: bool = True) -> Comparison | None:
    """None under 50 comparable views on either side.

    The effect is the Hodges-Lehmann estimate: the factor by which the views of the release before must be
    multiplied (`is_ratio`; else the amount to add) so that no test tells them from the later ones; its
    interval holds every factor that the test does not reject, `bounds` with the test at `z`. Hodges &
    Lehmann, Annals of Mathematical Statistics 34 (1963). It is a shift of logarithms: slow and fast views
    count alike, and one of 60 s moves nothing.
    """
    strata = matched(_measured(after, is_ratio), _measured(before, is_ratio))
    if strata is None or min(len(strata.after.values), len(strata.before.values)) < FEWEST:
        return None
    none = strata.score(0.0)
    said = expm1 if is_ratio else _as_it_is

    def shift_of(bound: float) -> float:
        return said(_crossing(lambda shift: strata.score(shift).z - bound))

    effect = shift_of(0.0)
    return Comparison(
        after_count=len(strata.after.values),
        before_count=len(strata.before.values),
        stratum_count=strata.count,
        effect=effect,
        # Each is found to within PRECISION, which is more than the interval of what hardly varies.
        low=min(effect, shift_of(USUAL)),
        high=max(effect, shift_of(-USUAL)),
        bounds=Bounds(shift_of(z), shift_of(-z)),
        p_value=2 * NORMAL.cdf(-abs(none.z)),
        slower_probability=NORMAL.cdf(none.z),
        superiority=none.superiority,
    )


def _measured(views: Views, is_ratio: bool) -> Views:
    held = np.isfinite(views.values) & (views.values > 0 if is_ratio else True)
    kept = views.where(held)
    return Views(np.log(kept.values), kept.groups, kept.seconds) if is_ratio else kept


def _crossing(falling: Callable[[float], float]) -> float:
    """Where a falling step function passes 0: regula falsi with the Illinois weights, bisected where that
    is slow."""
    low, high = -FURTHEST, FURTHEST
    at_low, at_high = falling(low), falling(high)
    if at_low <= 0:
        return low
    if at_high >= 0:
        return high
    turn = 0
    while high - low > PRECISION:
        turn += 1
        guess = (low + high) / 2 if turn % 3 == 0 else high - at_high * (high - low) / (at_high - at_low)
        value = falling(guess)
        if value > 0:
            low, at_low, at_high = guess, value, at_high / 2
        else:
            high, at_high, at_low = guess, value, at_low / 2
    return (low + high) / 2


def _as_it_is(value: float) -> float:
    return value
