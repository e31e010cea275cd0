"""Whether an issue escalates: more events in an hour of the clock than its own history lets one expect.

1. Expected is the median of the same hour of the week and its neighbors over five weeks, as far as these
   differ by more than chance, times what the mean of wild hours is above their median, and the growth of
   the last week. For three weeks after clocks were changed
   anywhere, visitors may come an hour earlier or later: an hour, and those it is summed with, expects as
   many as its busiest neighbor.
2. Counts are taken as negative binomial, their spread comes from the history, and the limit is what an
   unchanged issue would hardly reach, above every ordinary hour so far and at least 40 events above expected.
3. Hours that this does not explain are bursts, and the next may be larger: the limit is a multiple of the
   largest, the greater the shorter the history; a single long incident that is over counts as none.
4. An hour also escalates if it completes three that together are more than such sums vary, each cut so that
   no burst decides alone.
5. With less than two weeks of history, which hold each hour of the week twice, the limit is ten times the
   busiest hour and at least 100 events; with less than a day nothing is said.

Sources: Noufaily et al. (2013), "An improved algorithm for outbreak detection in multiple surveillance
systems" (like weeks, growth, negative binomial limits); Wilson and Hilferty (1931) for quantiles, of the
gamma distribution of the same mean and variance; order statistics of Pareto's distribution for bursts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from math import ceil, inf
from statistics import median

import numpy as np
import numpy.typing as npt

from errata.clock import EPOCH
from errata.time_zone import time_zones, zone_of

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

DAY_HOURS = 24
WEEK_HOURS = 168
WEEKS = 5
HISTORY_HOURS = WEEKS * WEEK_HOURS + 1
RELEARNED = timedelta(weeks=WEEKS // 2 + 1)
LEAST_HISTORY_HOURS = 2 * WEEK_HOURS
LEAST = 10
# Of an issue too young to have shown its week.
YOUNG_FACTOR = 10
YOUNG_LEAST = 100
LEAST_FACTOR = 1.75
# Above what is expected: a user's crash loop, which may be the first, has tens of events.
LEAST_MORE = 40
SPARSE = 3
SPAN_HOURS = 3
INCIDENT_HOURS = 6
MOST_GROWTH = 2.0
# Of a mean over a median; exponential hours have 1.44.
MOST_SKEW = 1.5
# Normal quantiles: of what is unlikely in one hour, and of what is no chance.
UNLIKELY = 3.5
NO_CHANCE = 4.0
BEYOND_HIGHEST = 1.1
# So many hours of unchanged issues have one alarm, as the laboratory finds (docs/statistics.md).
HOURS_A_CHANCE = 10_000
# A larger burst comes once in so many hours, if sizes are Pareto's with this index.
BURST_HOURS = 7000
BURST_INDEX = 1.5
BURST_FACTOR = 3
# All counts of so wide a spread (squared, of the mean) are bursts, which last for hours at times.
BURST_DISPERSION = 2.0


@dataclass(frozen=True)
class Forecast:
    """More than `limit` events in an hour are an escalation; `basis` says what it was learned from."""

    expected: float
    limit: int
    basis: str


def forecast(history: Sequence[int], hour: int) -> Forecast | None:
    """For the hour that follows `history`: counts of full hours, oldest first. None: too short a history.
    `hour` is its number since 1970."""
    if len(history) < DAY_HOURS:
        return None
    if len(history) < LEAST_HISTORY_HOURS:
        return Forecast(float(max(history)), _of_young(history), "its busiest hour")
    counts = np.asarray(history[-HISTORY_HOURS:], float)
    expected = _expected(counts, are_clocks_changed=are_clocks_changed(hour // DAY_HOURS))
    limit = max(_least(history), _limit(counts, expected))
    return Forecast(float(expected[-1]), ceil(limit), "the same hour of the week")


def passed_limit(history: Sequence[int], count: int, hour: int) -> int | None:
    """The limit, if `count` events in this hour, after the full hours of `history`, are more."""
    # Most hours are not worth the whole forecast.
    if len(history) >= LEAST_HISTORY_HOURS and count <= _least(history):
        return None
    expectation = forecast(history, hour)
    return expectation.limit if expectation and count > expectation.limit else None


@cache
def are_clocks_changed(day: int) -> bool:
    """Whether those of some zone are not what they were three weeks before: while most of five weeks had
    their hours by other clocks. The day is a number since 1970."""
    now = EPOCH + timedelta(days=day + 1)
    offsets = (zone_of(name) for name in time_zones())
    return any(
        now.astimezone(zone).utcoffset() != (now - RELEARNED).astimezone(zone).utcoffset() for zone in offsets
    )


def _of_young(history: Sequence[int]) -> int:
    return max(YOUNG_LEAST, YOUNG_FACTOR * max(history))


def _least(history: Sequence[int]) -> float:
    """The limit is never less than by the median and upper quartile of this hour and its neighbors on the
    last seven days, in the hour or in the span that it ends. Quick, so that few need the whole forecast."""
    end = len(history)
    days = [
        count
        for place in range(end - DAY_HOURS, end - 8 * DAY_HOURS, -DAY_HOURS)
        for count in history[place - 1 : place + 2]
    ]
    days.sort()
    usual, high = days[len(days) // 2], days[len(days) * 3 // 4]
    alone = max(LEAST_FACTOR * high, usual + LEAST_MORE)
    of_span = SPAN_HOURS * max(LEAST_FACTOR * high, usual + LEAST_MORE / SPAN_HOURS)
    return max(LEAST, high, min(alone, of_span - sum(history[1 - SPAN_HOURS :])))


def _expected(counts: Floats, *, are_clocks_changed: bool) -> Floats:
    """Of each hour of the history, and of the one after it."""
    length = len(counts)
    whole = counts[length % WEEK_HOURS :]
    around = np.concatenate([whole[-1:], whole, whole[:1]])
    weeks = len(whole) // WEEK_HOURS
    like = np.stack([around[at : at + len(whole)].reshape(weeks, WEEK_HOURS) for at in range(3)], axis=-1)
    like = like.transpose(1, 0, 2).reshape(WEEK_HOURS, -1)
    like.sort(axis=1)
    last = like.shape[1] - 1
    profile = _shrunk((like[:, last // 2] + like[:, (last + 1) // 2]) / 2, like)
    usual = _trimmed_mean(counts, 0.98)
    if total := float(profile.sum()):
        profile *= min(max(usual * WEEK_HOURS / total, 1.0), MOST_SKEW)
    profile = np.maximum(profile, max(min(usual, SPARSE), 0.01))
    expected = profile[(np.arange(length + 1) - length) % WEEK_HOURS]
    if are_clocks_changed:
        around_now = profile[np.arange(-SPAN_HOURS, 2)]
        expected[-SPAN_HOURS:] = [around_now[at : at + 3].max() for at in range(SPAN_HOURS)]
    days = counts[length % DAY_HOURS :].reshape(-1, DAY_HOURS).sum(axis=1).tolist()
    typical = median(days)
    if typical:
        expected[-1] *= min(max(median(days[-7:]) / typical, 1.0), MOST_GROWTH)
    return expected


def _shrunk(profile: Floats, like: Floats) -> Floats:
    """As far from its mean as is more than the noise of medians (empirical Bayes)."""
    noise = np.pi / 2 * _trimmed_mean(((like - profile[:, None]) ** 2).ravel(), 0.99) / like.shape[1]
    kept = max(0.0, 1 - noise / max(float(profile.var()), 1e-9))
    return np.asarray(profile.mean() + kept * (profile - profile.mean()))


def _trimmed_mean(values: Floats, share: float) -> float:
    kept = int(share * len(values))
    return float(np.partition(values, kept)[:kept].mean())


def _limit(counts: Floats, expected: Floats) -> float:
    before, now = expected[:-1], float(expected[-1])
    dispersion, is_burst = _dispersion(counts, before)
    if incident := _incident(is_burst):
        counts, is_burst = counts.copy(), is_burst.copy()
        counts[incident], is_burst[incident] = before[incident], False
    cuts = _quantile(expected, dispersion, NO_CHANCE)
    cut = float(cuts[-1])
    cut_counts = np.minimum(counts, cuts[:-1])
    unlike = _unlike_days(cut_counts, before)
    limit = _beyond(np.where(is_burst, 0, counts), expected, dispersion + unlike)
    if is_burst.any() or dispersion > BURST_DISPERSION:
        farther = (BURST_HOURS / len(counts)) ** (1 / BURST_INDEX)
        limit = max(limit, now + farther * float(np.max(counts - before)))
    if dispersion > BURST_DISPERSION:
        return limit
    own = _span_limit(cut_counts, expected, unlike) - float(cut_counts[1 - SPAN_HOURS :].sum())
    return min(limit, own if own < cut else inf)


def _unlike_days(counts: Floats, expected: Floats) -> float:
    """How much whole days differ, of which the history has few."""
    counted, awaited = (values[len(values) % DAY_HOURS :] for values in (counts, expected))
    return _moments(counted.reshape(-1, DAY_HOURS).sum(axis=1), awaited.reshape(-1, DAY_HOURS).sum(axis=1))


def _dispersion(counts: Floats, expected: Floats) -> tuple[float, Flags]:
    """The negative binomial one, of hours without bursts, and which hours are bursts."""
    excess = counts - expected
    few = len(counts) - len(counts) // 50 - 1
    is_burst = excess > np.partition(excess, few)[few]
    dispersion = 0.0
    for _ in range(2):
        dispersion = _moments(counts[~is_burst], expected[~is_burst])
        beyond = np.maximum(_quantile(expected, dispersion, NO_CHANCE), BURST_FACTOR * expected)
        is_burst = counts > np.maximum(beyond, LEAST)
    return dispersion, is_burst


def _moments(counts: Floats, expected: Floats) -> float:
    return max(0.0, float(((counts - expected) ** 2 - expected).sum() / (expected**2).sum()))


def _incident(is_burst: Flags) -> slice | None:
    """The only long run of bursts, a day after its end; several are a habit."""
    places = np.flatnonzero(is_burst)
    if len(places) < INCIDENT_HOURS:
        return None
    runs = np.split(places, np.flatnonzero(np.diff(places) > SPAN_HOURS) + 1)
    long = [run for run in runs if run[-1] - run[0] >= INCIDENT_HOURS - 1]
    if len(long) != 1 or long[0][-1] >= len(is_burst) - DAY_HOURS:
        return None
    return slice(int(long[0][0]), int(long[0][-1]) + 1)


def _span_limit(counts: Floats, expected: Floats, unlike: float) -> float:
    """Of the hour and those before it together."""
    sums, of_spans = (_sums(counts), _sums(expected))
    return _beyond(sums, of_spans, _moments(sums, of_spans[:-1]) + unlike)


def _sums(values: Floats) -> Floats:
    totals = np.cumsum(np.concatenate([[0.0], values]))
    return np.asarray(totals[SPAN_HOURS:] - totals[:-SPAN_HOURS])


def _beyond(counts: Floats, expected: Floats, dispersion: float) -> float:
    """What is unlikely of this dispersion, and above all counts so far, the more the wilder they are."""
    now = float(expected[-1])
    highest = float(np.max(counts / _quantile(expected[:-1], dispersion, NO_CHANCE)))
    beyond = BEYOND_HIGHEST + min(dispersion / 10, 0.5)
    return max(
        LEAST_FACTOR * now,
        now + LEAST_MORE,
        float(_quantile(now, dispersion, UNLIKELY)),
        beyond * highest * float(_quantile(now, dispersion, NO_CHANCE)),
    )


def _quantile(mean: Floats | float, dispersion: float, normal: float) -> Floats:
    # Of wilder counts the approximation would fall again.
    ninth = np.minimum((1 / mean + dispersion) / 9, normal**2 / 4)
    return np.asarray(mean * (1 - ninth + normal * np.sqrt(ninth)) ** 3)
