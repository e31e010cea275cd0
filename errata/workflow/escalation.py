"""Whether an issue escalates: more events in an hour than its own history lets one expect.

The rule, for the hour to judge and the full hours before it (none left out: an hour without events is 0):

1. Like hours. With two weeks of history: the same hour of the week, of up to five weeks, each with the hour
   before and after it. With two days: the same hour of the day, of up to seven days, with its neighbours.
   With less, but 24 hours: the last 24. With less than that nothing can be said.
2. Expected is their median. Where it is under SPARSE, most such hours are silent, and the issue comes in
   bursts: expected is then at least the median of the busiest hour of each of the last 14 days.
3. Spread is 1.4826 times the median distance from that median, at least the square root of what is expected
   (Poisson). Medians do not care for a few wild hours: last week's incident does not hide this week's.
4. The limit is expected + SPREADS spreads, at least twice what is expected, at least LEAST events.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import median

DAY_HOURS = 24
WEEK_HOURS = 168
WEEKS = 5
HISTORY_HOURS = WEEKS * WEEK_HOURS + 1
SPREADS = 5
SPARSE = 3
LEAST = 10


@dataclass(frozen=True)
class Forecast:
    """More than `limit` events in an hour are an escalation; `basis` says what it was learned from."""

    expected: float
    limit: int
    basis: str


def forecast(history: Sequence[int]) -> Forecast | None:
    """For the hour that follows `history`: counts of full hours, oldest first. None: too short a history."""
    found = _like_hours(history)
    if found is None:
        return None
    values, basis = found
    middle = median(values)
    spread = 1.4826 * median(abs(value - middle) for value in values)
    expected = float(middle)
    if middle < SPARSE and (peak := _daily_peak(history)) > middle:
        expected, basis = peak, f"{basis}; its busiest hour of a day"
    spread = max(spread, sqrt(max(expected, 1)))
    return Forecast(expected, max(LEAST, ceil(2 * expected), ceil(expected + SPREADS * spread)), basis)


def is_escalating(history: Sequence[int], count: int) -> bool:
    """`count` events in the last 60 minutes, after the full hours of `history`."""
    expectation = forecast(history)
    return expectation is not None and count > expectation.limit


def _like_hours(history: Sequence[int]) -> tuple[list[int], str] | None:
    if len(history) >= 2 * WEEK_HOURS:
        return _at_distances(history, WEEK_HOURS, WEEKS), "the same hour of the week"
    if len(history) >= 2 * DAY_HOURS:
        return _at_distances(history, DAY_HOURS, 7), "the same hour of the day"
    if len(history) >= DAY_HOURS:
        return list(history[-DAY_HOURS:]), "the last 24 hours"
    return None


def _at_distances(history: Sequence[int], distance: int, count: int) -> list[int]:
    near = (-1, 0, 1)
    places = (len(history) - number * distance + step for number in range(1, count + 1) for step in near)
    return [history[place] for place in places if 0 <= place < len(history)]


def _daily_peak(history: Sequence[int]) -> float:
    days = range(len(history), max(0, len(history) - 14 * DAY_HOURS), -DAY_HOURS)
    return float(median(max(history[max(0, end - DAY_HOURS) : end]) for end in days))
