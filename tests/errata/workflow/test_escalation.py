"""The rule by which an issue escalates, on histories of known shape."""

import random
from math import cos, pi

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from errata.workflow.escalation import HISTORY_HOURS, LEAST, forecast, is_escalating

counts = st.lists(st.integers(0, 10_000), min_size=24, max_size=400)


def season(hour: int, peak: int = 1000) -> int:
    """Days are loud, nights are quiet, weekends are half."""
    is_weekend = hour // 24 % 7 >= 5
    return round((peak / 2) * (1.1 - cos(2 * pi * (hour % 24) / 24)) * (0.5 if is_weekend else 1))


def test_a_day_of_history_is_needed() -> None:
    assert forecast([5] * 23) is None
    assert not is_escalating([5] * 23, 10**6)
    assert is_escalating([5] * 24, 10**6)


def test_the_hour_of_the_week_is_what_is_expected() -> None:
    for length in (HISTORY_HOURS, HISTORY_HOURS + 12):
        history = [season(hour) for hour in range(length)]
        assert not is_escalating(history, round(season(length) * 1.3))
    night, day = HISTORY_HOURS - 1, HISTORY_HOURS + 11
    by_night = [season(hour) for hour in range(night)]
    assert season(day) > 10 * season(night)
    assert is_escalating(by_night, season(day))


def test_an_incident_of_last_week_does_not_hide_this_weeks() -> None:
    quiet = [20] * HISTORY_HOURS
    for hour in range(HISTORY_HOURS - 175, HISTORY_HOURS - 160):
        quiet[hour] = 5000
    assert is_escalating(quiet, 500)


def test_an_issue_that_always_came_in_bursts_does_not_escalate_by_another() -> None:
    bursts = [40 if hour % 24 == 3 + (hour // 24) % 9 else 0 for hour in range(14 * 24)]
    assert not is_escalating(bursts, 45)
    assert is_escalating(bursts, 400)


def test_a_few_events_are_never_an_escalation() -> None:
    assert not is_escalating([0] * HISTORY_HOURS, LEAST)
    assert is_escalating([0] * HISTORY_HOURS, LEAST + 1)


@pytest.mark.parametrize("rate", [0.5, 5, 80])
def test_chance_alone_seldom_escalates(rate: float) -> None:
    chance = random.Random(5)

    def hour() -> int:
        return sum(chance.random() < rate / 200 for _ in range(200))

    alarms = sum(is_escalating([hour() for _ in range(24 * 8)], hour()) for _ in range(12))
    assert alarms == 0


@given(counts, st.integers(0, 10_000))
@example([0] * 23 + [4], 3)
def test_more_history_of_more_events_never_lowers_the_limit_below_twice_what_is_expected(
    history: list[int], more: int
) -> None:
    expectation = forecast(history)
    assert expectation is not None
    assert expectation.limit >= max(LEAST, 2 * expectation.expected)
    louder = forecast([count + more for count in history])
    # Where hours are sparse no longer, the busiest of each day count no longer.
    assert louder is not None
    assert louder.limit >= expectation.limit or louder.basis != expectation.basis
