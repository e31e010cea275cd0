"""The rule by which an issue escalates, on histories of known shape."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from math import cos, pi

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from errata.clock import EPOCH
from errata.workflow.escalation import (
    HISTORY_HOURS,
    LEAST,
    LEAST_HISTORY_HOURS,
    WEEK_HOURS,
    are_clocks_changed,
    forecast,
    passed_limit,
)
from tests.cases import each
from tests.errata.workflow.office_hours import CLOCK_CHANGES, ClockChange, office_hours

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
Counts = npt.NDArray[np.int64]
LOOKED_AT = WEEK_HOURS

# No clock was changed for long.
CALM = (datetime(2026, 7, 10, tzinfo=UTC) - EPOCH) // HOUR
some_hours = st.lists(st.integers(0, 10_000), min_size=1, max_size=60)


def is_escalating(history: list[int], count: int, hour: int = CALM) -> bool:
    return passed_limit(history, count, hour) is not None


def season(hour: int, peak: int = 1000) -> int:
    """Days are loud, nights are quiet, weekends are half."""
    is_weekend = hour // 24 % 7 >= 5
    return round((peak / 2) * (1.1 - cos(2 * pi * (hour % 24) / 24)) * (0.5 if is_weekend else 1))


def test_before_each_hour_of_the_week_was_seen_twice_only_ten_times_the_busiest_escalates() -> None:
    assert forecast([5] * 23, CALM) is None and not is_escalating([5] * 23, 10**6)
    young = [5, 30] + [0] * (LEAST_HISTORY_HOURS - 3)
    assert not is_escalating(young, 300)
    assert is_escalating(young, 301)
    assert not is_escalating([1] * 24, 100)
    assert is_escalating([1] * 24, 101)
    assert is_escalating([5] * LEAST_HISTORY_HOURS, 60)


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
    assert not is_escalating([0] * HISTORY_HOURS, 40)
    assert is_escalating([0] * HISTORY_HOURS, 42)


def over_dispersed(chance: np.random.Generator, hours: int) -> Counts:
    return np.asarray(chance.poisson(20 * chance.gamma(4, 1 / 4, hours)))


def weekly_cron(chance: np.random.Generator, hours: int) -> Counts:
    return np.asarray(chance.poisson(2 + 60.0 * (np.arange(hours) % WEEK_HOURS == 30)))


def nightly_cron(chance: np.random.Generator, hours: int) -> Counts:
    return np.asarray(chance.poisson(60.0 * (np.arange(hours) % 24 == 3) * (chance.random(hours) < 0.5)))


@each("issue", [over_dispersed, weekly_cron, nightly_cron])
def test_chance_alone_seldom_escalates(issue: Callable[[np.random.Generator, int], Counts]) -> None:
    chance = np.random.default_rng(5)
    alarms = 0
    for _ in range(6):
        counts = issue(chance, HISTORY_HOURS + LOOKED_AT).tolist()
        alarms += sum(
            is_escalating(counts[hour - HISTORY_HOURS : hour], counts[hour])
            for hour in range(HISTORY_HOURS, len(counts))
        )
    assert alarms == 0


@each("change", CLOCK_CHANGES, ids=lambda change: change.name)
def test_a_change_of_clocks_is_no_escalation(change: ClockChange) -> None:
    chance = np.random.default_rng(8)
    looked_at, first = 4 * 24, (change.began - EPOCH) // HOUR - HISTORY_HOURS
    expected = office_hours(change, HISTORY_HOURS, HISTORY_HOURS + looked_at)
    for rate in (50, 200):
        for _ in range(5):
            counts = chance.poisson(rate * expected).tolist()
            assert not any(
                is_escalating(counts[hour - HISTORY_HOURS : hour], counts[hour], first + hour)
                for hour in range(HISTORY_HOURS, len(counts))
            )


def test_clocks_are_changed_for_three_weeks_of_any_zone() -> None:
    for change in CLOCK_CHANGES[:-1]:
        day = (change.began - EPOCH) // DAY
        assert all(are_clocks_changed(day + after) for after in (0, 1, 8, 19))
    quiet = [date(2026, 1, 20), date(2026, 6, 20), date(2026, 8, 20), date(2026, 12, 20)]
    assert not any(are_clocks_changed((each - EPOCH.date()).days) for each in quiet)


def test_the_edge_of_office_hours_has_more_than_usual_at_other_times() -> None:
    """An hour earlier than ever is an escalation, unless clocks were changed."""
    berlin = CLOCK_CHANGES[0]
    counts = (200 * office_hours(berlin, HISTORY_HOURS, HISTORY_HOURS + 48)).astype(int).tolist()
    hour = next(hour for hour in range(HISTORY_HOURS, len(counts)) if counts[hour])
    history = counts[hour - HISTORY_HOURS : hour]
    assert is_escalating(history, 200)
    assert not is_escalating(history, 200, (berlin.began - EPOCH) // HOUR + 30)


def test_a_tripled_rate_is_found_within_three_hours() -> None:
    chance = np.random.default_rng(6)
    found = 0
    for _ in range(20):
        counts = chance.poisson(20 * chance.gamma(10, 1 / 10, HISTORY_HOURS + 3)).tolist()
        for hour in range(HISTORY_HOURS, HISTORY_HOURS + 3):
            counts[hour] = int(chance.poisson(60 * chance.gamma(10, 1 / 10)))
        found += any(
            is_escalating(counts[: HISTORY_HOURS + at], counts[HISTORY_HOURS + at]) for at in range(3)
        )
    assert found >= 18


def test_hours_of_any_spread_are_no_bursts() -> None:
    """Of exponential hours a median is two thirds of the mean, by which half of them would be bursts."""
    chance = np.random.default_rng(7)
    histories = [chance.poisson(chance.exponential(20, HISTORY_HOURS)).tolist() for _ in range(20)]
    limits = [expectation.limit for each in histories if (expectation := forecast(each, CALM))]
    # One hour in 2,160 has more than 157.
    assert 150 < np.median(limits) < 220


def test_three_hours_escalate_together_and_a_crash_loop_of_two_does_not() -> None:
    usual = [20] * (HISTORY_HOURS - 2)
    assert not is_escalating([*usual, 20, 20], 45)
    assert is_escalating([*usual, 45, 45], 45)
    assert not is_escalating([*usual, 20, 500], 20)


@given(some_hours, st.integers(LEAST_HISTORY_HOURS, HISTORY_HOURS + 5), st.integers(0, 100_000))
def test_a_limit_is_the_same_however_it_is_asked_for(hours: list[int], length: int, count: int) -> None:
    history = (hours * length)[:length]
    expectation = forecast(history, CALM)
    assert expectation is not None
    assert expectation.limit >= LEAST
    assert passed_limit(history, count, CALM) == (expectation.limit if count > expectation.limit else None)
