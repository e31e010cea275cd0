"""How a week differs from the one before, and how sure that is. Needs nothing but Python: pages ask it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import expm1, log, sqrt
from statistics import fmean, variance

FEWEST_DAYS = 4
WEEK = timedelta(days=7)
# By the number of earlier changes: so many times their spread holds 95% of changes of a steady series, with
# or without memory from day to day (docs/statistics.md). More change little.
MULTIPLES = {3: 7.0, 4: 4.9, 5: 4.0, 6: 3.6, 7: 3.35, 8: 3.2}
MOST_EARLIER = max(MULTIPLES)
# The days of the last weeks spread more if their variance is at least so many times that of the weeks before.
RECENT_WEEKS = (2, 3)
LEAST_GROWTH = 2.0


@dataclass(frozen=True, slots=True)
class WeeklyChange:
    """Ratios, 0.1: a tenth more; `low` and `high` are the 95% interval, None after too few weeks."""

    value: float
    low: float | None
    high: float | None


def weekly_change(days: Mapping[date, float], monday: date) -> WeeklyChange | None:
    """The mean of log(day / same weekday before) over a week, with an interval by how earlier weeks varied.

    Paired by weekday, so that Sundays are compared with Sundays. The days of one week resemble each other, so
    the spread is that of earlier weekly changes on the same weekdays, up to eight: their root mean square
    without the largest, which may be a change of its own; more where days spread more than they did. None
    under four days that both weeks have.
    """
    week = [monday + timedelta(days=number) for number in range(7)]
    compared = [day for day in week if _has_both(days, day)]
    if len(compared) < FEWEST_DAYS:
        return None
    changes = _changes(days, compared)
    centre, earlier = fmean(changes[0]), [fmean(week) for week in changes[1:]]
    if len(earlier) not in MULTIPLES:
        return WeeklyChange(expm1(centre), None, None)
    usual = fmean(sorted(change * change for change in earlier)[:-1])
    half = MULTIPLES[len(earlier)] * sqrt(usual * _growth([variance(week) for week in changes], usual / 7))
    return WeeklyChange(expm1(centre), expm1(centre - half), expm1(centre + half))


def _changes(days: Mapping[date, float], compared: Sequence[date]) -> list[list[float]]:
    """The changes of each day of the week, and of the weeks before on as many of the same weekdays as there
    are."""
    changes = []
    for number in range(MOST_EARLIER + 1):
        own = [day - number * WEEK for day in compared if _has_both(days, day - number * WEEK)]
        if len(own) >= FEWEST_DAYS:
            changes.append([log(days[day] / days[day - WEEK]) for day in own])
    return changes


def _growth(variances: Sequence[float], least: float) -> float:
    """How many times as large variances of days within weeks, the latest first, have become; 1 unless it is
    much more. What the days of a week have in common plays no part, and less than `least` is nothing beside
    it."""
    ratios = [
        (fmean(variances[:count]) + least) / (fmean(variances[count:]) + least)
        for count in RECENT_WEEKS
        if len(variances) > count and fmean(variances[count:]) + least
    ]
    growth = max(ratios, default=1.0)
    return growth if growth >= LEAST_GROWTH else 1.0


def _has_both(days: Mapping[date, float], day: date) -> bool:
    return days.get(day, 0) > 0 and days.get(day - WEEK, 0) > 0
