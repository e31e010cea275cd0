"""How a week differs from the one before, and how sure that is. Needs nothing but Python: pages ask it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from math import expm1, log, sqrt
from statistics import fmean, stdev

# Student's t, 97.5%, for 1 to 6 degrees of freedom.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447)
FEWEST_DAYS = 4
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class WeeklyChange:
    """Ratios, 0.1: a tenth more; `low` and `high` are the 95% interval."""

    value: float
    low: float
    high: float


def weekly_change(days: Mapping[date, float], monday: date) -> WeeklyChange | None:
    """The mean of log(day / same weekday before) over a week, with Student's interval.

    Paired by weekday, so that Sundays are compared with Sundays; what days have in common, which a week of
    thousands of views hides, is what they differ by here. None under four days that both weeks have.
    """
    ratios = [
        log(days[day] / days[day - WEEK])
        for day in (monday + timedelta(days=number) for number in range(7))
        if days.get(day, 0) > 0 and days.get(day - WEEK, 0) > 0
    ]
    if len(ratios) < FEWEST_DAYS:
        return None
    centre, half = fmean(ratios), STUDENT[len(ratios) - 2] * stdev(ratios) / sqrt(len(ratios))
    return WeeklyChange(expm1(centre), expm1(centre - half), expm1(centre + half))
