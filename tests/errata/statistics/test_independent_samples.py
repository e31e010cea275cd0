from math import inf, sqrt

import numpy as np
import pytest

from errata.statistics.independent_samples import (
    SURE,
    independent_count,
    lower_levels,
    mean_at_least,
    percentile_at_least,
    ratio_at_least,
)


def test_samples_of_one_user_count_as_one() -> None:
    assert independent_count(100, 100, 0) == 100
    assert independent_count(100, 100 * 100, 0) == 1
    # One user with half, and fifty others.
    assert independent_count(100, 50**2 + 50, 0) == pytest.approx(3.92, abs=0.01)
    # Nobody identified; an estimate below what it can be.
    assert independent_count(100, 90, 100) == 50
    assert independent_count(0, 0, 0) == 0


@pytest.mark.parametrize("level", [0.01, 0.5, 0.75, 0.99])
@pytest.mark.parametrize("size", [3, 10, 50, 333, 10_240, 1e6])
def test_a_percentile_is_at_least_the_one_at_the_score_tests_level(level: float, size: float) -> None:
    # The value at each level is the level itself.
    expected = max(0.0, level - SURE * sqrt(level * (1 - level) / size))
    found = percentile_at_least(level, level, lower_levels(level), size)
    assert found == pytest.approx(expected, abs=1e-12) or expected < lower_levels(level)[0]
    assert found <= level


def test_a_limit_that_a_percentile_is_on_is_broken_seldom() -> None:
    generator = np.random.default_rng(1)
    broken = 0
    for _ in range(2000):
        values = np.quantile(generator.random(60), [0.75, *lower_levels(0.75)]).tolist()
        broken += percentile_at_least(0.75, values[0], values[1:], 60) > 0.75
    # The tail of two standard errors is 2.3%.
    assert 10 < broken < 80


def test_means_and_ratios_have_bounds_too() -> None:
    assert mean_at_least(10, 104, 25) == pytest.approx(10 - SURE * 2 / 5)
    assert mean_at_least(10, 99.9, 25) == 10
    assert mean_at_least(10, 104, 0) == -inf
    low = ratio_at_least(0.1, 100)
    # The ratio at which 10 of 100 is just so many standard errors more.
    assert (0.1 - low) / sqrt(low * (1 - low) / 100) == pytest.approx(SURE)
    assert ratio_at_least(0, 50) == 0 and ratio_at_least(1, 0) == 0
