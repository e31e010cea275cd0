"""Sessions of two releases that are compared are of the same hours of the week."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from errata.statistics.clustered_shares import crash_verdict
from errata.statistics.proportion import newcombe
from errata.statistics.verdict import Verdict
from errata.statistics.week_parts import HOURS, HOURS_A_WEEK, HOURS_OF_DAYS, matching_weights
from tests.errata.statistics.session_traffic import World, matched_sessions, release_hour, session_traffic


@given(some.integers(0, 2**32), some.sampled_from([0.01, 0.1, 0.5, 1.0]), some.sampled_from([1, 20, 1000]))
def test_both_sides_count_as_many_sessions_of_each_hour(seed: int, known: float, most: int) -> None:
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, most + 1, (2, HOURS_A_WEEK)) * (generator.random((2, HOURS_A_WEEK)) < known)
    after, before = drawn.astype(np.float64)
    shared = np.bincount(HOURS_OF_DAYS, after) * np.bincount(HOURS_OF_DAYS, before) > 0
    weights = matching_weights(after, before)
    assert (weights is not None) == shared.any()
    mixes = []
    for weight, side in zip(weights or (), (after, before), strict=False):
        assert np.all(weight >= 0)
        # As many as would tell as much, of independent sessions.
        assert weight @ side == pytest.approx((weight @ side) ** 2 / (weight**2 @ side))
        assert 0 < weight @ side <= side.sum() * (1 + 1e-9)
        mixes.append(np.bincount(HOURS_OF_DAYS, weight * side) / (weight @ side))
    if mixes:
        assert mixes[0] == pytest.approx(mixes[1])
        assert set(np.flatnonzero(mixes[0])) <= set(np.flatnonzero(shared))


def test_equal_weeks_count_whole_and_a_release_at_night_is_compared_with_nights() -> None:
    whole = np.full(HOURS_A_WEEK, 30.0)
    weights = matching_weights(whole, whole)
    assert weights is not None and all(side == pytest.approx(np.ones(HOURS_A_WEEK)) for side in weights)
    night = np.where(HOURS == 26, 20.0, 0.0)
    weights = matching_weights(night, whole)
    assert weights is not None
    assert set(np.flatnonzero(weights[1]) % 24) == {2} and max(np.flatnonzero(weights[1])) < 5 * 24
    assert matching_weights(night, np.where(HOURS == 27, 20.0, 0.0)) is None


def test_nights_of_many_crashes_make_no_release_of_a_night_worse() -> None:
    world = World(users=6000, night_sessions=0.3, night_risk=3.0, risk=0.05, released=26)
    generator = np.random.default_rng(9)
    hour = release_hour(generator, world)
    before = session_traffic(generator, world, hour - HOURS_A_WEEK)
    after, doubled = (session_traffic(generator, world, hour, times) for times in (1.0, 2.0))
    night = after.until(hour + 4)
    matched = newcombe(*(side.crash_free() for side in matched_sessions(night, before)))
    whole = newcombe(night.sessions().crash_free(), before.sessions().crash_free())
    assert matched is not None and whole is not None
    assert matched.low < 0 < matched.high and whole.high < 0
    alike = {crash_verdict(*matched_sessions(after.until(hour + age), before)) for age in (3, 4, 12, 168)}
    assert not {Verdict.WORSE, Verdict.BETTER} & alike
    assert crash_verdict(*matched_sessions(doubled, before)) == Verdict.WORSE
