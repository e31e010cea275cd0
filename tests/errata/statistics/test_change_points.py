"""Where a series changed, beside what scipy says and what was put in."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from errata.statistics.change_points import FEWEST_DAYS, best_division, change_points, without_weekdays
from errata.statistics.rank_tests import mann_kendall, mann_whitney
from errata.statistics.weekly_change import weekly_change

VALUES = some.lists(some.integers(0, 20), min_size=4, max_size=30)


@settings(max_examples=50, deadline=None)
@given(VALUES, VALUES)
def test_mann_whitney_is_that_of_scipy(one: list[int], other: list[int]) -> None:
    expected = stats.mannwhitneyu(one, other, method="asymptotic", use_continuity=True).pvalue
    if len(set(one + other)) > 1:
        assert mann_whitney(np.array(one, float), np.array(other, float)) == pytest.approx(expected, abs=1e-9)


def test_mann_kendall_is_as_kendall_reckoned_it() -> None:
    """S of 1 … 10 is 45 with variance 125: z = 44/√125."""
    assert mann_kendall(np.arange(10.0)) == pytest.approx(2 * stats.norm.sf(44 / 125**0.5))
    assert mann_kendall(np.zeros(10)) == 1.0


def test_the_division_is_the_one_that_a_plain_search_finds() -> None:
    values = np.random.default_rng(4).normal(0, 1, 40)
    values[23:] += 1.0

    def energy(place: int) -> float:
        one, other = values[:place], values[place:]
        across = np.abs(one[:, None] - other[None, :]).mean()
        within = [
            np.abs(side[:, None] - side[None, :])[np.triu_indices(len(side), 1)].mean()
            for side in (one, other)
        ]
        return float(len(one) * len(other) / len(values) * (2 * across - sum(within)))

    expected = max(range(FEWEST_DAYS, 40 - FEWEST_DAYS + 1), key=energy)
    place, largest = best_division(np.abs(values[:, None] - values[None, :]))
    assert place == expected and largest == pytest.approx(energy(expected))


def test_two_steps_are_found_where_they_are_and_none_in_noise() -> None:
    generator = np.random.default_rng(5)
    noise = generator.normal(0, 0.03, 120)
    stepped = noise + np.where(np.arange(120) >= 80, 0.2, np.where(np.arange(120) >= 40, 0.1, 0.0))
    found = change_points(stepped)
    assert len(found) == 2
    assert all(abs(point.index - wanted) <= 1 for point, wanted in zip(found, (40, 80), strict=True))
    assert found[0].after - found[0].before == pytest.approx(0.1, abs=0.03)
    assert change_points(noise) == []


def test_weekdays_are_no_change() -> None:
    days = np.arange(70)
    weekly = np.where(days % 7 >= 5, 0.3, 0.0) + np.where(days >= 35, 0.1, 0.0)
    steady = without_weekdays(weekly, days % 7)
    assert np.ptp(steady[:30]) < 0.01 and np.ptp(steady[40:]) < 0.01
    assert np.median(steady[40:]) - np.median(steady[:30]) == pytest.approx(0.1, abs=0.02)


def test_a_week_is_compared_by_weekday_and_says_how_sure_it_is() -> None:
    monday = date(2026, 11, 9)
    before = {monday - timedelta(days=7 - number): 100.0 + 40 * (number >= 5) for number in range(7)}
    factors = (1.08, 1.12, 1.1, 1.09, 1.11, 1.1, 1.1)
    after = {
        day + timedelta(days=7): value * factor
        for (day, value), factor in zip(before.items(), factors, strict=True)
    }
    found = weekly_change(before | after, monday)
    expected = stats.t.interval(0.95, 6, np.mean(np.log(factors)), stats.sem(np.log(factors)))
    assert found is not None and found.value == pytest.approx(0.1, abs=0.002)
    assert (found.low, found.high) == pytest.approx(tuple(np.expm1(expected)), abs=1e-4)
    few = {day: value for day, value in (before | after).items() if day < monday + timedelta(days=3)}
    assert weekly_change(few, monday) is None
