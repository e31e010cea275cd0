"""What grew or fell before a release did so by itself, and goes on."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from math import copysign, expm1, sqrt

import numpy as np

from errata.statistics.change_points import changes_of, of_days
from errata.statistics.comparison import USUAL
from errata.statistics.impact import Impact
from errata.statistics.stratified import Floats
from errata.statistics.verdict import Reason, Verdict

FEWEST_DAYS = 28
WEEK_DAYS = 7
# Standard errors.
CLEARLY = 3.0


def drift_a_week(days: Sequence[tuple[date, float]]) -> float:
    """By how much at most the logarithm of a daily figure changes a week, apart from steps: the farther end
    of the 95% interval; 0: it may not change at all. Days that carry over to the next tell less: Bartlett,
    Journal of the Royal Statistical Society 98 (1935)."""
    if len(days) < FEWEST_DAYS:
        return 0.0
    values = of_days(days)
    (found,) = changes_of([values])
    for step in found.steps:
        values[step.index :] -= step.after - step.before
    weeks = np.array([(day - days[0][0]).days for day, _ in days]) / WEEK_DAYS
    weeks -= weeks.mean()
    slope = float(weeks @ values / (weeks @ weeks))
    left = values - values.mean() - slope * weeks
    carried = float(left[1:] @ left[:-1] / (left @ left)) if left.any() else 0.0
    carried = min(0.9, max(0.0, carried + (1 + 4 * carried) / len(days)))
    variance = float(left @ left) / (len(days) - 2) / float(weeks @ weeks)
    error = sqrt(variance * (1 + carried) / (1 - carried))
    return slope + copysign(USUAL * error, slope) if abs(slope) > CLEARLY * error else 0.0


def beside_drift(one: Impact, drift: float) -> Impact:
    """The same without a verdict, if a drift that adds so much to the logarithm may be all that changed."""
    bounds, most = one.comparison.bounds, expm1(drift)
    is_drift = (one.verdict == Verdict.WORSE and 0 < bounds.low <= most) or (
        one.verdict == Verdict.BETTER and 0 > bounds.high >= most
    )
    return replace(one, verdict=Verdict.NOT_ENOUGH_DATA, reason=Reason.DRIFT) if is_drift else one


def weeks_between(after: Floats, before: Floats) -> float:
    """Of the mean moments, in unix seconds."""
    return float(after.mean() - before.mean()) / (WEEK_DAYS * 86_400)
