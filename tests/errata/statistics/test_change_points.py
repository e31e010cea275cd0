"""Where series changed: what was put in is found; lines, waves and noise that carries over are no steps."""

import numpy as np
import pytest

from errata.statistics.change_points import (
    Changes,
    Step,
    changes_of,
    significant,
    without_odd_days,
    without_weekdays,
)
from errata.statistics.level_models import CARRIED, STEP_COST, Fit, addable, carried_over, fitted, scan
from errata.statistics.stratified import Floats
from tests.cases import each

DAYS = np.arange(182)
SPREAD = 0.04


def noise(seed: int, carried: float = 0.3) -> Floats:
    new = np.random.default_rng(seed).normal(0, SPREAD * np.sqrt(1 - carried**2), (1, len(DAYS)))
    series: Floats = carried_over(new, carried)[0]
    return series


def stepped(seed: int, *steps: tuple[int, float]) -> Floats:
    return noise(seed) + sum(size * (day <= DAYS) for day, size in steps)


def test_a_scan_is_what_plain_least_squares_say_of_each_model() -> None:
    """Without a step, and with one at every place: for each share that days may carry over."""
    values, weights = stepped(1, (60, 0.1)), np.linspace(0.5, 2.0, len(DAYS))

    def score(steps: list[int], carried: float) -> float:
        left = fitted(values, weights, steps, Fit(0, carried, 0.0))[1] * weights
        return float(len(DAYS) * np.log((left**2).sum()) - np.log1p(-(carried**2)))

    found = scan(values[None], weights)
    assert found.scores[0, 0] == pytest.approx(min(score([], carried) for carried in CARRIED))
    steps = addable(len(DAYS)).starts[: addable(len(DAYS)).step_count]
    best = min((score([int(step)], carried), int(step)) for step in steps for carried in CARRIED)
    assert found.places() == (best[1],)
    assert found.with_added[0] == pytest.approx(best[0] + STEP_COST * np.log(len(DAYS)))


def test_a_flight_of_stairs_is_two_steps_with_their_intervals() -> None:
    (found,) = changes_of([stepped(5, (60, 0.16), (120, 0.2))])
    assert [step.index for step in found.steps] == pytest.approx([60, 120], abs=3)
    assert all(step.first <= step.index <= step.last for step in found.steps)
    assert found.steps[0].after - found.steps[0].before == pytest.approx(0.16, abs=0.04)
    assert [step.undone for step in found.steps] == [None, None] and found.drift is None


def test_a_dip_that_ended_is_one_shift_that_went_away() -> None:
    """Two weeks of holidays, and a step that stays."""
    (found,) = changes_of([stepped(5, (30, -0.16), (40, 0.16), (90, -0.16), (100, 0.16), (140, 0.2))])
    assert [step.index for step in found.steps] == pytest.approx([30, 90, 140], abs=3)
    assert [step.undone for step in found.steps] == [
        pytest.approx(40, abs=3),
        pytest.approx(100, abs=3),
        None,
    ]


def crowded(seed: int) -> tuple[Floats, set[int]]:
    """A short series with several steps, and their first days."""
    generator = np.random.default_rng(seed)
    count = int(generator.integers(40, 70))
    values, days = 7 + generator.normal(0, 0.03, count), set[int]()
    for _ in range(int(generator.integers(1, 5))):
        day = int(generator.integers(7, count - 7))
        values[day:] += generator.choice([-1, 1]) * generator.uniform(0.06, 0.5)
        days.add(day)
    return values, days


@each(("seed", "told_count"), [(158, 3), (259, 2), (276, 3), (287, 2)])
def test_steps_close_to_each_other_stay_where_they_are(seed: int, told_count: int) -> None:
    """Beside waves, little is left of each: moved without regard to that, they went and came without end."""
    values, days = crowded(seed)
    (found,) = changes_of([values])
    told = {step.index for step in found.steps} | {step.undone for step in found.steps if step.undone}
    assert len(told) == told_count and told <= days
    assert len(found.tested) <= len(told)


def test_a_step_that_went_away_says_so() -> None:
    (found,) = changes_of([stepped(6, (70, 0.2), (110, -0.2))])
    (up,) = found.steps
    assert up.undone == pytest.approx(110, abs=3)


@pytest.mark.slow
@each(
    "curve",
    [0 * DAYS, np.log1p(0.1) * DAYS / 182, 0.08 * np.sin(DAYS / 12), 0.3 * (DAYS == 90)],
    ids=["level", "line", "wave", "odd day"],
)
def test_what_is_smooth_or_odd_is_no_step(curve: Floats) -> None:
    told = [changes_of([noise(seed, 0.6) + curve])[0].steps for seed in range(5)]
    assert sum(map(bool, told)) <= 1


def test_a_drift_is_told_with_its_ends_and_noise_that_carries_over_is_none() -> None:
    (found,) = changes_of([noise(7) + np.log1p(0.1) * DAYS / 182])
    assert not found.steps and found.drift is not None
    assert found.drift.after - found.drift.before == pytest.approx(np.log(1.1), abs=0.04)
    assert not any(changes_of([noise(seed, 0.75)])[0].drift for seed in range(5))


def test_a_change_that_stands_out_in_one_series_is_judged_among_all() -> None:
    (alone,) = changes_of([stepped(8, (90, 0.3))])
    doubtful = Changes([Step(90, 90, 90, 0.0, 0.1, 0.02)], None, [0.02])
    assert significant([doubtful])[0].steps
    among = significant([doubtful, alone, *[Changes([], None, [1.0])] * 50])
    assert not among[0].steps and among[1].steps == alone.steps


def test_an_odd_day_is_brought_to_its_week_and_a_step_is_left() -> None:
    values = stepped(9, (90, 0.5))
    values[30] += 1.0
    usual = without_odd_days(values)
    assert usual[30] < 0.3 and usual[90:].mean() - usual[:90].mean() == pytest.approx(0.5, abs=0.05)


def test_weekdays_are_no_change() -> None:
    days = np.arange(70)
    weekly = np.where(days % 7 >= 5, 0.3, 0.0) + np.where(days >= 35, 0.1, 0.0)
    steady = without_weekdays(weekly, days % 7)
    assert np.ptp(steady[:30]) < 0.01 and np.ptp(steady[40:]) < 0.01
    assert np.median(steady[40:]) - np.median(steady[:30]) == pytest.approx(0.1, abs=0.02)
