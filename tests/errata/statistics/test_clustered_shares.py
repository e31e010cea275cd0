"""Crash-free sessions: as Wilson says where sessions are independent, and wide in a crash loop."""

import numpy as np
import pytest
from scipy import stats

from errata.statistics.clustered_shares import Clusters, Sessions, any_look_z, crash_verdict
from errata.statistics.proportion import wilson
from errata.statistics.verdict import Verdict


def of_users(sessions: list[int], crashed: list[int]) -> Sessions:
    users = Clusters.of([(count, of, 1) for count, of in zip(sessions, crashed, strict=True)])
    return Sessions(users, users)


def test_one_session_a_user_has_the_interval_of_wilson() -> None:
    found = Sessions(Clusters.of([(1, 0, 396), (1, 1, 4)])).crash_free()
    expected = wilson(396, 400)
    assert (found.count, found.total) == (396, 400)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-3)


def test_a_crash_loop_makes_no_interval_narrower() -> None:
    """One of 200 users crashes 60 times: as sessions, 6% of a thousand; as users, one."""
    alone = of_users([5] * 200, [0] * 198 + [1, 1])
    beside = of_users([5] * 199 + [65], [0] * 198 + [1, 60])
    assert beside.independent < 0.05 * beside.count
    share = beside.crash_free()
    assert share.low < 0.8 and share.high > 0.99
    assert crash_verdict(beside, alone) == Verdict.NOT_ENOUGH_DATA
    assert beside.of_users.crash_free().value == 0.99


def test_sessions_of_an_outage_are_alike_however_many_users_had_them() -> None:
    steady = Sessions(Clusters.of([(1, 0, 950), (1, 1, 50)]))
    spans = Clusters.of([(40, 0, 24), (40, 50, 1)])
    outage = Sessions(steady.users, steady.known, spans, steady.users)
    assert outage.independent < 0.2 * steady.independent


def test_twice_the_crashes_of_many_users_are_worse_and_equal_ones_are_no_change() -> None:
    before = of_users([2] * 20_000, [0] * 19_600 + [1] * 400)
    worse = of_users([2] * 20_000, [0] * 19_200 + [1] * 800)
    assert crash_verdict(worse, before) == Verdict.WORSE
    assert crash_verdict(before, worse) == Verdict.BETTER
    assert crash_verdict(before, before) == Verdict.NO_CHANGE
    assert crash_verdict(before, Sessions(Clusters.of([]))) == Verdict.NOT_ENOUGH_DATA


def test_looking_at_every_session_is_wrong_in_at_most_5_of_100_cases() -> None:
    sums = np.random.default_rng(3).normal(0, 1, (400, 4000)).cumsum(axis=1)
    sizes = np.arange(1, 4001)
    bounds = np.array([any_look_z(float(size)) for size in sizes]) * np.sqrt(sizes)
    wrong = int(np.sum(np.any(np.abs(sums) > bounds, axis=1)))
    assert stats.binomtest(wrong, 400, 0.05, alternative="greater").pvalue > 0.01
    assert any_look_z(1000) == pytest.approx(3.035, abs=0.001)
