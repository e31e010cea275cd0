"""The variance that levels of hours add to a comparison, beside the one that was simulated."""

from dataclasses import dataclass

import numpy as np
import pytest

from errata.statistics.stratified import Floats
from errata.statistics.time_levels import LevelVariance, ScoredLoads, level_variance
from tests.cases import each

SPANS, LOADS, SPAN_HOURS = 56, 11_200, 6
STRATA = 16


@dataclass(frozen=True)
class Trial:
    found: LevelVariance
    statistic: float


def trial(seed: int, spread: float, carried: float, *, users_a_span: int = 200) -> Trial:
    """Two weeks of spans with levels that are carried over by `carried`, and noise of the variance 1; users
    have one score of their own in each span."""
    generator = np.random.default_rng(seed)
    levels, value = np.empty(SPANS), generator.normal(0, spread)
    for number in range(SPANS):
        levels[number] = value
        value = carried * value + generator.normal(0, spread * np.sqrt(1 - carried**2))
    spans = np.repeat(np.arange(SPANS), LOADS // SPANS)
    strata = (spans % 4) * (STRATA // 4) + generator.integers(0, STRATA // 4, LOADS)
    users = spans * users_a_span + generator.integers(0, users_a_span, LOADS)
    is_after = spans >= SPANS // 2
    own = generator.normal(0, 0.5, SPANS * users_a_span)[users]
    scores = centered(generator.normal(0, np.sqrt(0.75), LOADS) + own + levels[spans], strata)
    weights = centered(is_after.astype(np.float64), strata)
    statistic = float(weights @ scores)
    # As at the estimated effect: without what the releases differ by.
    effect = statistic / float(weights @ is_after)
    loads = ScoredLoads(
        scores - effect * weights,
        np.ones(LOADS),
        weights,
        strata,
        users,
        spans,
        is_after,
        np.arange(0.0, SPANS * SPAN_HOURS, SPAN_HOURS),
    )
    return Trial(level_variance(loads), statistic)


def centered(values: Floats, strata: np.ndarray) -> Floats:
    means = np.bincount(strata, values) / np.bincount(strata)
    return np.asarray(values - means[strata], dtype=np.float64)


@pytest.mark.slow
@each(("spread", "carried"), [(0.2, 0.0), (0.2, 0.4), (0.2, 0.7)], ids=["6 hours", "half a day", "a day"])
def test_the_variance_is_what_statistics_vary_by(spread: float, carried: float) -> None:
    trials = [trial(seed, spread, carried) for seed in range(120)]
    by_chance = LOADS / 4
    varied = np.mean([each.statistic**2 for each in trials]) - by_chance
    found = np.mean([each.found.variance for each in trials])
    assert varied > 5 * by_chance
    assert 0.65 < found / varied < 1.5


def test_without_levels_little_is_added_even_where_users_differ() -> None:
    found = [trial(seed, 0.0, 0.0, users_a_span=20).found.variance for seed in range(60)]
    assert np.median(found) < 0.4 * LOADS / 4


def test_the_longer_levels_last_the_fewer_degrees_of_freedom_are_left() -> None:
    short, long = (
        np.median([trial(seed, 0.3, carried).found.freedom for seed in range(20)]) for carried in (0.0, 0.8)
    )
    assert long < 0.5 * short < 0.5 * SPANS


def test_one_span_has_nothing_to_compare_levels_with() -> None:
    whole = np.zeros(4, dtype=np.int64)
    loads = ScoredLoads(
        np.array([0.3, -0.3, 0.1, -0.1]),
        np.ones(4),
        np.array([0.5, 0.5, -0.5, -0.5]),
        whole,
        np.arange(4),
        whole,
        np.arange(4) < 2,
        np.zeros(1),
    )
    assert level_variance(loads).variance == 0
