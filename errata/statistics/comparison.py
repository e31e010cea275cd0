"""Two releases on the same pages, devices and hours: by how much the second is slower, and how sure that
is."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import expm1, inf
from statistics import NormalDist

import numpy as np

from errata.statistics.matching import Views, matched
from errata.statistics.stratified import Error, Strata
from errata.statistics.verdict import Bounds

LEVEL = 0.95
# Fewer tell nothing that a person should act on.
FEWEST = 50
# Of more loads a side a sample is compared: a busy site costs no more than a small one.
LOADS_A_SIDE = 20_000
# Effects that are looked for: to a twentieth and twenty times.
FURTHEST = 3.0
PRECISION = 1e-4
# Of the variance of ranks without ties.
LEAST_SPREAD = 0.1
# From the effect, where an end of its interval is first looked for.
FIRST_STRIDE = 0.05
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
    independent_count: int
    """So many independent views of the later release would tell as much: those of one user or one span of
    time have something in common."""
    largest_share: float
    """Of the views compared, those of the user with most; 0: nobody is known."""
    freedom: float
    """Degrees of freedom of what users differ by: about as many users, evenly busy, would tell it."""
    is_constant: bool
    """No view differs from another of its release, page and device: nothing is estimated."""


def compare(after: Views, before: Views, *, z: float = USUAL, is_ratio: bool = True) -> Comparison | None:
    """None under 50 comparable views on either side.

    The effect is the Hodges-Lehmann estimate: the factor by which the views of the release before must be
    multiplied (`is_ratio`; else the amount to add) so that no test tells them from the later ones; its
    interval holds every factor that the test does not reject, `bounds` with the test at `z`. Hodges &
    Lehmann, Annals of Mathematical Statistics 34 (1963). It is a shift of logarithms: slow and fast views
    count alike, and one of 60 s moves nothing.
    """
    strata = matched(_measured(after, is_ratio), _measured(before, is_ratio), is_seasonal=is_ratio)
    if strata is None or min(len(strata.after.values), len(strata.before.values)) < FEWEST:
        return None
    said = expm1 if is_ratio else _as_it_is
    shifts = strata.constant_shifts
    if shifts is not None:
        return _constant(strata, *(said(shift) for shift in shifts))
    middle = sum(_crossing(strata.statistic, 0.0)) / 2
    error = strata.error(middle)
    none = error.z(strata.statistic(0.0))

    def ends(width: float) -> tuple[float, float]:
        """The outer sides of where the test begins and ceases to reject: of values that hardly differ it
        jumps, and no end may pass the effect."""
        reach = error.statistic(width)
        low = _crossing(lambda shift: strata.statistic(shift) - reach, middle)[0]
        high = _crossing(lambda shift: strata.statistic(shift) + reach, middle)[1]
        return said(min(middle, low)), said(max(middle, high))

    low, high = ends(USUAL)
    return Comparison(
        after_count=len(strata.after.values),
        before_count=len(strata.before.values),
        stratum_count=strata.count,
        effect=said(middle),
        low=low,
        high=high,
        bounds=Bounds(*ends(z)),
        p_value=2 * NORMAL.cdf(-abs(none)),
        slower_probability=NORMAL.cdf(none),
        superiority=strata.superiority(0.0),
        independent_count=_independent(strata, error),
        largest_share=strata.largest_share,
        freedom=strata.user_freedom,
        is_constant=False,
    )


def _constant(strata: Strata, low: float, effect: float, high: float) -> Comparison:
    """Certain: `low` and `high` are those of pages and devices."""
    direction = (low > 0) - (high < 0)
    return Comparison(
        after_count=len(strata.after.values),
        before_count=len(strata.before.values),
        stratum_count=strata.count,
        effect=effect,
        low=low,
        high=high,
        bounds=Bounds(low, high),
        p_value=0.0 if direction else 1.0,
        slower_probability=0.5 + direction / 2,
        superiority=0.5 + direction / 2,
        independent_count=len(strata.after.values),
        largest_share=strata.largest_share,
        freedom=inf,
        is_constant=True,
    )


def _independent(strata: Strata, error: Error) -> int:
    count = len(strata.after.values)
    # Where nearly all values are equal, their ranks tell nothing of how alike users are.
    if error.size <= 0 or error.independent < LEAST_SPREAD * strata.untied:
        return count
    return max(1, min(count, round(count * strata.evenness * error.independent / error.size**2)))


def comparable(views: Views, *, is_ratio: bool) -> Views:
    """Those with a value; nothing is a multiple of 0, so that a ratio leaves it out."""
    return views.where(np.isfinite(views.values) & (views.values > 0 if is_ratio else True))


def _measured(views: Views, is_ratio: bool) -> Views:
    kept = comparable(views, is_ratio=is_ratio)
    return replace(kept, values=np.log(kept.values)) if is_ratio else kept


def _crossing(falling: Callable[[float], float], near: float) -> tuple[float, float]:
    """Between which two places a falling step function passes 0, first looked for at `near`: regula falsi
    with the Illinois weights, bisected where that is slow."""
    low, high, at_low, at_high = _around(falling, near)
    if at_low <= 0:
        return low, low
    if at_high >= 0:
        return high, high
    turn = 0
    while high - low > PRECISION:
        turn += 1
        guess = (low + high) / 2 if turn % 3 == 0 else high - at_high * (high - low) / (at_high - at_low)
        value = falling(guess)
        if value > 0:
            low, at_low, at_high = guess, value, at_high / 2
        else:
            high, at_high, at_low = guess, value, at_low / 2
    return low, high


def _around(falling: Callable[[float], float], near: float) -> tuple[float, float, float, float]:
    """Two places with the crossing between them, and the values there."""
    place, value = near, falling(near)
    stride = FIRST_STRIDE if value > 0 else -FIRST_STRIDE
    while True:
        further = min(FURTHEST, max(-FURTHEST, place + stride))
        beyond = falling(further)
        if (beyond > 0) != (value > 0) or abs(further) == FURTHEST:
            break
        place, value, stride = further, beyond, 2 * stride
    return (place, further, value, beyond) if stride > 0 else (further, place, beyond, value)


def _as_it_is(value: float) -> float:
    return value
