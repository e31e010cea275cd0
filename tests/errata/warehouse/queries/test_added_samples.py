"""Percentiles of built values and new ones, from a few of the built ones."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.warehouse.queries.added_samples import LEVELS, PROBABILITIES, with_added

VALUES = st.lists(st.floats(0, 1e6).map(lambda value: round(value, 3)), max_size=200)
REACH = 8


def around(ordered: list[float], reach: int) -> list[list[float]]:
    """As page_metrics_built tells them."""
    begins = [max(0, math.floor((len(ordered) - 1) * each) - reach) for each in PROBABILITIES]
    return [ordered[begin : begin + 2 * reach + 2] for begin in begins]


@given(VALUES, VALUES.filter(bool).map(lambda values: values[:REACH]))
def test_percentiles_are_those_of_all_values(built: list[float], added: list[float]) -> None:
    found = with_added(len(built), True, around(sorted(built), REACH), REACH, added)
    wanted = np.percentile([*built, *added], [100 * each for each in PROBABILITIES])
    assert found == pytest.approx(list(wanted), rel=1e-12, abs=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(1, 400))
def test_samples_added_to_a_digest_leave_it_within_a_hundredth(seed: int, count: int) -> None:
    chance = np.random.default_rng(seed)
    built, added = chance.lognormal(7, 0.6, 20_000), chance.lognormal(7.2, 0.6, count)
    levels = list(np.quantile(built, LEVELS))
    found = with_added(len(built), False, [levels], REACH, list(added))
    wanted = np.percentile(np.concatenate([built, added]), [100 * each for each in PROBABILITIES])
    assert found == pytest.approx(list(wanted), rel=0.01)


def test_a_digest_that_too_much_came_to_tells_nothing() -> None:
    assert with_added(1000, False, [[1.0] * len(LEVELS)], REACH, [2.0] * 300) is None
