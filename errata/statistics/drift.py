"""What grew or fell before a release did so by itself, and goes on."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from math import copysign, sqrt
from typing import TypeVar

import numpy as np

from errata.statistics.change_points import changes_of, of_days
from errata.statistics.comparison import USUAL
from errata.statistics.error_rates import ErrorRate
from errata.statistics.impact import Impact
from errata.statistics.stratified import Floats
from errata.statistics.verdict import Bounds, Reason, Verdict

Judged = TypeVar("Judged", Impact, ErrorRate)
# Before a release.
SPAN = timedelta(weeks=8)
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


def beside_drift(one: Judged, bounds: Bounds | None, drift: float) -> Judged:
    """The same without a verdict, if a drift that adds so much may be all that changed."""
    is_drift = bounds is not None and (
        (one.verdict == Verdict.WORSE and bounds.low <= drift)
        or (one.verdict == Verdict.BETTER and bounds.high >= drift)
    )
    return replace(one, verdict=Verdict.NOT_ENOUGH_DATA, reason=Reason.DRIFT) if is_drift else one


def weeks_between(after: Floats, before: Floats) -> float:
    """Of the mean moments, in unix seconds."""
    return float(after.mean() - before.mean()) / (WEEK_DAYS * 86_400)
