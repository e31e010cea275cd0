"""Shares, discoveries, analyses and words."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from errata.statistics.discovery import benjamini_hochberg, benjamini_yekutieli
from errata.statistics.interim_analyses import FALSE_ALARMS, INTERIM_ANALYSES, analysis_at, next_analysis
from errata.statistics.proportion import newcombe, wilson
from errata.statistics.verdict import Bounds, Verdict, verdict
from tests.cases import each


@settings(max_examples=50, deadline=None)
@given(some.integers(0, 200), some.integers(1, 200))
def test_a_share_has_the_interval_of_wilson(count: int, more: int) -> None:
    share = wilson(count, count + more)
    expected = stats.binomtest(count, count + more).proportion_ci(method="wilson")
    assert (share.low, share.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_a_difference_of_shares_is_as_newcombe_published_it() -> None:
    """Table II, method 10, of his paper: 56/70 − 48/80 is 0.2000 (0.0524 to 0.3339)."""
    found = newcombe(wilson(56, 70), wilson(48, 80))
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_of_nothing_nothing_is_said() -> None:
    assert wilson(0, 0).value is None and newcombe(wilson(0, 0), wilson(1, 2)) is None


@settings(max_examples=50, deadline=None)
@given(some.lists(some.floats(0, 1), min_size=1, max_size=30))
def test_q_values_are_those_of_scipy(p_values: list[float]) -> None:
    for own, method in ((benjamini_hochberg, "bh"), (benjamini_yekutieli, "by")):
        assert own(p_values) == pytest.approx(stats.false_discovery_control(p_values, method=method).tolist())


def test_all_analyses_together_spend_what_is_allowed() -> None:
    assert sum(analysis.alpha for analysis in INTERIM_ANALYSES) == pytest.approx(FALSE_ALARMS)
    assert [one.after for one in INTERIM_ANALYSES] == sorted(analysis.after for analysis in INTERIM_ANALYSES)
    assert all(analysis.spent(analysis.alpha) == pytest.approx(FALSE_ALARMS) for analysis in INTERIM_ANALYSES)


def test_a_release_is_judged_at_the_last_look_that_has_come() -> None:
    assert analysis_at(timedelta(minutes=59)) is None
    assert analysis_at(timedelta(hours=30)) == INTERIM_ANALYSES[4]
    assert analysis_at(timedelta(days=70)) == INTERIM_ANALYSES[-1]
    assert (next_analysis(timedelta(0)), next_analysis(timedelta(days=7))) == (INTERIM_ANALYSES[0], None)


@each(
    ("low", "high", "word"),
    [
        (0.06, 0.2, Verdict.WORSE),
        (0.01, 0.2, Verdict.WORSE),
        (-0.2, -0.06, Verdict.BETTER),
        (-0.04, 0.04, Verdict.NO_CHANGE),
        (0.01, 0.04, Verdict.NO_CHANGE),
        (-0.01, 0.2, Verdict.NOT_ENOUGH_DATA),
        (-0.3, 0.3, Verdict.NOT_ENOUGH_DATA),
    ],
)
def test_bounds_come_to_one_word(low: float, high: float, word: Verdict) -> None:
    assert verdict(Bounds(low, high)) == word


def test_what_is_no_discovery_is_neither_worse_nor_better() -> None:
    assert verdict(Bounds(0.01, 0.2), is_found=False) == Verdict.NOT_ENOUGH_DATA
    assert verdict(None) == Verdict.NOT_ENOUGH_DATA
