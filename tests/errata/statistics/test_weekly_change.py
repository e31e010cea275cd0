"""A week against the one before: paired by weekday, as sure as earlier weeks were alike."""

from datetime import date, timedelta
from math import expm1, log, sqrt

import pytest

from errata.statistics.weekly_change import MULTIPLES, weekly_change

MONDAY = date(2026, 11, 9)


def days_of(factors: list[float]) -> dict[date, float]:
    """Weeks, the last from MONDAY on, each of so many times the level; weekends are slower."""
    begin = MONDAY - timedelta(weeks=len(factors) - 1)
    return {
        begin + timedelta(weeks=week, days=day): (100.0 + 40 * (day >= 5)) * factor * 1.01 ** (day % 2)
        for week, factor in enumerate(factors)
        for day in range(7)
    }


def test_a_week_is_compared_by_weekday_and_as_sure_as_earlier_weeks_were_alike() -> None:
    found = weekly_change(days_of([1.0, 1.03, 1.0, 1.02, 1.3, 1.0, 1.1]), MONDAY)
    assert found is not None and found.value == pytest.approx(0.1)
    # The largest of the earlier ones does not count.
    earlier = [log(1.03), log(1.03), log(1.02), log(1.3 / 1.02)]
    half = MULTIPLES[5] * sqrt(sum(change**2 for change in earlier) / 4)
    low, high = expm1(log(1.1) - half), expm1(log(1.1) + half)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_few_earlier_weeks_give_no_interval_and_few_days_no_change() -> None:
    young = weekly_change(days_of([1.0, 1.1, 1.0, 1.2]), MONDAY)
    assert young is not None and young.value == pytest.approx(0.2)
    assert (young.low, young.high) == (None, None)
    few = {day: value for day, value in days_of([1.0, 1.1]).items() if day < MONDAY + timedelta(days=3)}
    assert weekly_change(few, MONDAY) is None


def test_a_week_under_way_is_compared_with_earlier_ones_on_the_same_weekdays() -> None:
    whole = days_of([1.0, 1.03, 1.0, 1.02, 1.05, 1.0, 1.1])
    # Weekends went to and fro, which the days from Monday to Thursday know nothing of.
    for week in range(7):
        for day in (5, 6):
            whole[MONDAY + timedelta(weeks=week - 6, days=day)] *= 1 + week % 2
    under_way = {day: value for day, value in whole.items() if day < MONDAY + timedelta(days=4)}
    found, later = weekly_change(under_way, MONDAY), weekly_change(whole, MONDAY)
    assert found is not None and later is not None
    assert found.high is not None and later.high is not None
    assert found.value == pytest.approx(0.1)
    assert found.high < 0.4 < later.high


def test_days_that_have_come_to_spread_more_widen_the_interval() -> None:
    steady = days_of([1.0, 1.03, 1.0, 1.02, 1.05, 1.0, 1.03, 1.0, 1.1])
    # Now and then a day is slower, the more so in the last two weeks of one of them.
    restless = dict(steady)
    for number, day in enumerate(sorted(steady)):
        steady[day] *= 1.02 ** (number % 5 - 2)
        restless[day] *= (1.02 if number < 49 else 1.06) ** (number % 5 - 2)
    widths = []
    for days in (steady, restless):
        found = weekly_change(days, MONDAY)
        assert found and found.low is not None and found.high is not None
        widths.append(log((1 + found.high) / (1 + found.low)))
    assert widths[1] > 1.5 * widths[0]
