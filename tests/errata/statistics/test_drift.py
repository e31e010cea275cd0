"""A drift that began before a release is no release's doing."""

from datetime import date, timedelta
from math import expm1, log1p

import numpy as np
import pytest

from errata.statistics.drift import beside_drift, drift_a_week, weeks_between
from errata.statistics.error_rates import error_rate
from errata.statistics.impact import Impact, impact
from errata.statistics.interim_analyses import INTERIM_ANALYSES
from errata.statistics.matching import Views
from errata.statistics.verdict import Reason, Verdict
from tests.cases import each
from tests.errata.statistics.error_traffic import World as ErrorWorld
from tests.errata.statistics.error_traffic import error_traffic
from tests.errata.statistics.traffic import WEEK, World, traffic

FIRST = date(2026, 1, 5)


def days_of(seed: int, a_week: float, weeks: int = 8, spread: float = 0.02) -> list[tuple[date, float]]:
    noise = np.random.default_rng(seed).normal(0, spread, 7 * weeks)
    levels = 1000 * np.exp(a_week * np.arange(7 * weeks) / 7 + noise)
    return [(FIRST + timedelta(days=number), float(level)) for number, level in enumerate(levels)]


@each("a_week", [-0.03, 0.02, 0.05])
def test_a_drift_is_found_and_a_level_or_a_step_is_none(a_week: float) -> None:
    assert drift_a_week(days_of(1, a_week)) == pytest.approx(a_week, rel=0.35)
    assert drift_a_week(days_of(1, a_week, weeks=3)) == 0
    assert [drift_a_week(days_of(seed, 0.0)) for seed in range(5)] == [0.0] * 5
    stepped = [
        (day, level * (1.15 if number >= 30 else 1)) for number, (day, level) in enumerate(days_of(2, 0))
    ]
    assert drift_a_week(stepped) == 0


def judged(a_week: float, effect: float) -> tuple[Impact, float]:
    """At the last analysis, of a site that drifts and a release with this effect; and the drift's part."""
    world = World(user_spread=0.1, noise_spread=0.2, hour_spread=0.005)
    seen = traffic(np.random.default_rng(4), world, 4000)
    logs = seen.logs + a_week * (seen.seconds - seen.released) / WEEK + log1p(effect) * seen.is_after
    views = Views(np.exp(logs), seen.groups, seen.seconds, seen.users)
    after, before = views.where(seen.is_after), views.where(~seen.is_after)
    found = impact("", "load_ms", after, before, INTERIM_ANALYSES[-1])
    assert found is not None
    return found, weeks_between(after.seconds, before.seconds) * drift_a_week(days_of(3, a_week))


def beside(one: Impact, drift: float) -> Impact:
    return beside_drift(one, one.comparison.bounds, expm1(drift))


def test_what_a_drift_may_explain_has_no_verdict_and_what_is_beyond_it_has() -> None:
    found, drift = judged(0.1, 0.0)
    assert found.verdict == Verdict.WORSE and drift == pytest.approx(0.1, rel=0.2)
    kept = beside(found, drift)
    assert (kept.verdict, kept.reason) == (Verdict.NOT_ENOUGH_DATA, Reason.DRIFT)
    assert kept.comparison == found.comparison
    # Another way, or much beyond it, no drift is the reason.
    quicker, slower = judged(0.03, -0.3)[0], judged(0.03, 0.3)
    assert (quicker.verdict, slower[0].verdict) == (Verdict.BETTER, Verdict.WORSE)
    assert beside(quicker, -0.5).reason == Reason.DRIFT
    for one, by in ((found, -0.5), (quicker, 0.5), (found, 0.0), slower):
        assert beside(one, by) == one


def test_errors_that_grew_before_the_release_make_it_no_worse() -> None:
    """Half as many more errors each week."""
    seen = error_traffic(np.random.default_rng(5), ErrorWorld(rate=0.1, growth=0.4))
    found = error_rate(seen.until(WEEK), INTERIM_ANALYSES[-1])
    assert found is not None and found.weeks_between == pytest.approx(1, abs=0.1)
    assert found.verdict == Verdict.WORSE
    drift = found.weeks_between * drift_a_week(days_of(6, 0.4, spread=0.2))
    kept = beside_drift(found, found.bounds, drift)
    assert (kept.verdict, kept.reason) == (Verdict.NOT_ENOUGH_DATA, Reason.DRIFT)
    doubled = error_rate(seen.doubled().doubled().until(WEEK), INTERIM_ANALYSES[-1])
    assert doubled is not None and beside_drift(doubled, doubled.bounds, drift).verdict == Verdict.WORSE
