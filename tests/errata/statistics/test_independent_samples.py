import math
from math import inf

import numpy as np
import pytest
from scipy.stats import binom

from errata.statistics.independent_samples import (
    CHANCE,
    SURE,
    independent_count,
    lower_levels,
    mean_at_least,
    percentile_at_least,
    ratio_at_least,
)
from tests.cases import each


def test_samples_of_one_user_count_as_one() -> None:
    assert independent_count(100, 100, 0) == 100
    assert independent_count(100, 100 * 100, 0) == 1
    # One user with half, and fifty others.
    assert independent_count(100, 50**2 + 50, 0) == pytest.approx(3.92, abs=0.01)
    # Nobody identified; an estimate below what it can be.
    assert independent_count(100, 90, 100) == 50
    assert independent_count(0, 0, 0) == 0


@each("level", [0.01, 0.5, 0.75, 0.99])
@each("size", [3, 10, 50, 333, 10_240, 1e6])
def test_a_percentile_is_above_a_value_if_more_samples_are_than_chance_puts_there(
    level: float, size: float
) -> None:
    # The value at each level is the level itself.
    found = percentile_at_least(level, level, lower_levels(level), size)
    above = math.ceil((1 - found) * size - 1e-6)
    assert binom.sf(above - 1, int(size), 1 - level) <= CHANCE or found in (0, lower_levels(level)[0])
    assert binom.sf(above - 2, int(size), 1 - level) > CHANCE or found == 0
    assert found <= level


@each("size", [10, 20, 50, 100, 500])
def test_a_ratio_under_its_limit_is_said_to_be_over_it_by_chance_alone(size: int) -> None:
    over = [ratio_at_least(count / size, size) > 0.01 for count in range(size + 1)]
    assert sum(binom.pmf(count, size, 0.01) for count in range(size + 1) if over[count]) <= CHANCE
    assert over[-1]


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
    # The ratio at which 10 or more of 100 are just a chance.
    assert binom.sf(9, 100, ratio_at_least(0.1, 100)) == pytest.approx(CHANCE)
    assert ratio_at_least(0, 50) == 0 and ratio_at_least(1, 0) == 0
