from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.differences.lift import interval, lift


def test_the_interval_is_koopmans_own_for_his_example() -> None:
    bounds = interval(36, 40, 16, 80, level=0.05)
    assert (bounds.low, bounds.high) == pytest.approx((2.94, 7.15), abs=0.005)


def test_where_the_rest_has_none_the_interval_has_no_upper_end_but_a_lower_one() -> None:
    bounds = interval(8, 10, 0, 1000, level=0.05)
    assert bounds.high == inf and bounds.low > 50


def test_where_the_issue_has_none_the_interval_begins_at_0_and_ends_below_1() -> None:
    bounds = interval(0, 60, 300, 1000, level=0.05)
    assert bounds.low == 0 and 0 < bounds.high < 0.3


def test_a_lift_of_few_sources_is_drawn_towards_1() -> None:
    assert 1 < lift(2, 2, 10, 100) < lift(20, 20, 10, 100) < lift(200, 200, 1000, 10_000) < 10
    assert 50 < lift(5, 5, 0, 100) < 200


@given(st.integers(0, 30), st.integers(1, 30), st.integers(0, 90), st.integers(1, 90), st.floats(1e-6, 0.2))
def test_an_interval_holds_the_observed_ratio_and_a_stricter_one_holds_it(
    count: int, total: int, other_count: int, other_total: int, level: float
) -> None:
    count, other_count = min(count, total), min(other_count, other_total)
    bounds, wider = (interval(count, total, other_count, other_total, each) for each in (level, level / 10))
    assert wider.low <= bounds.low * 1.0001 and bounds.high <= wider.high * 1.0001
    if count and other_count:
        ratio = count / total / (other_count / other_total)
        assert bounds.low <= ratio * 1.0001 and ratio <= bounds.high * 1.0001
