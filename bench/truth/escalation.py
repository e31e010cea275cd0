"""How often issues that do not change escalate, and how soon one whose rate triples is found.

An issue is the events to expect in each hour, its counts Poisson around them. The product judges each hour of
the clock as the alert job does: an hour under way is above its limit once its events so far are, so looking
many times finds the same hours as looking once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, partial

import numpy as np

from bench.figures import figure
from bench.truth.trials import ALARMS_IN_90_DAYS, arguments, in_90_days, marked, rate, run, table
from errata.alerts.kinds.escalating import JUDGEMENT
from errata.clock import EPOCH
from errata.warehouse.queries.alerts.escalations import hours_over
from errata.workflow.escalation import DAY_HOURS, HISTORY_HOURS
from tests.errata.workflow.office_hours import CLOCK_CHANGES, ClockChange, office_hours

DAY, WEEK = 24, 168
LOOKS = WEEK
SOON_HOURS = 3
TRIPLED = 3.0
HOUR = timedelta(hours=1)
# No clock was changed for long.
CALM = datetime(2026, 7, 10, tzinfo=UTC)

Generator = np.random.Generator
Intensity = Callable[[Generator, int], np.ndarray]


@dataclass(frozen=True)
class World:
    """`intensity`: the events to expect in each of so many hours; `is_young`: judged from the first on."""

    name: str
    intensity: Intensity
    is_tripled: bool = False
    is_young: bool = False
    began: datetime = CALM
    """When the judged week begins."""


def spread(mean: float, shape: float, generator: Generator, hours: int) -> np.ndarray:
    """Negative binomial hours of this shape (variance: mean + mean² / shape); infinite: Poisson."""
    factors = np.ones(hours) if np.isinf(shape) else generator.gamma(shape, 1 / shape, hours)
    return np.asarray(mean * factors)


def bursts(generator: Generator, hours: int) -> np.ndarray:
    """One burst in 20 hours, of 20 events on average (exponential)."""
    return np.asarray((generator.random(hours) < 1 / 20) * generator.exponential(20, hours))


def cron(every: int, share: float, beside: float, generator: Generator, hours: int) -> np.ndarray:
    """60 errors of a job that runs every so many hours and fails in this share of its runs."""
    runs = (np.arange(hours) + generator.integers(every)) % every == 0
    fails = generator.random(hours) < share
    return np.asarray(60.0 * (runs & fails) + beside)


def carried_over(correlation: float, generator: Generator, hours: int) -> np.ndarray:
    """20 an hour, log-normal with a spread of 40% that carries over from hour to hour."""
    noise = generator.normal(0, 1, hours)
    level = np.empty(hours)
    level[0] = noise[0]
    for hour in range(1, hours):
        level[hour] = correlation * level[hour - 1] + np.sqrt(1 - correlation**2) * noise[hour]
    return np.asarray(20 * np.exp(0.4 * level - 0.08))


def season(mean: float, weekend: float, shape: float, generator: Generator, hours: int) -> np.ndarray:
    """Nights with a tenth of the noon's events, Saturdays and Sundays with this share of a weekday's."""
    clock = np.arange(hours) + generator.integers(WEEK)
    by_hour = 1 + 0.82 * np.sin(2 * np.pi * clock / DAY)
    by_day = np.where(clock // DAY % 7 >= 5, weekend, 1.0)
    return np.asarray(by_hour * by_day * spread(mean, shape, generator, hours))


def days(generator: Generator, hours: int) -> np.ndarray:
    """20 an hour on average, on days that differ by 30% (log-normal)."""
    levels = np.exp(generator.normal(0, 0.3, hours // DAY + 2))
    clock = np.arange(hours) + generator.integers(DAY)
    return np.asarray(levels[clock // DAY] * spread(20, 10, generator, hours))


def loops(between: float, generator: Generator, hours: int) -> np.ndarray:
    """2 an hour; now and then a crash loop of 5 minutes to 2 hours, its size Pareto 1.5 from 30 events."""
    found = spread(2, 4, generator, hours)
    for _ in range(generator.poisson(hours / between)):
        begin, length = generator.uniform(0, hours), generator.uniform(1 / 12, 2)
        size = 30 * (1 + generator.pareto(1.5))
        for hour in range(int(begin), min(hours, int(begin + length) + 1)):
            inside = min(hour + 1, begin + length) - max(hour, begin)
            found[hour] += size * max(0.0, inside) / length
    return found


opened = cache(office_hours)


def office(change: ClockChange, mean: float, generator: Generator, hours: int) -> np.ndarray:
    """From nine to five on workdays, by a clock that changes as the judged week begins; a spread of 30%."""
    return np.asarray(opened(change, HISTORY_HOURS, hours) * spread(mean, 10, generator, hours))


def growth(a_week: float, generator: Generator, hours: int) -> np.ndarray:
    """Grows by this share a week, from 20 an hour."""
    return np.asarray((1 + a_week) ** (np.arange(hours) / WEEK) * spread(20, 10, generator, hours))


POISSON = float("inf")
# A Monday.
NO_CHANGE = ClockChange("UTC", datetime(2026, 7, 13, 10, tzinfo=UTC))
RATES = (0.05, 0.5, 2, 5, 20, 100, 500)
WORLDS = (
    *(World(f"Poisson, {mean:g}/h", partial(spread, mean, POISSON), mean == 20) for mean in RATES),
    World("spread 30%, 20/h", partial(spread, 20, 10), True),
    *(World(f"spread 50%, {mean:g}/h", partial(spread, mean, 4), mean == 20) for mean in RATES),
    World("spread 70%, 20/h", partial(spread, 20, 2), True),
    *(World(f"spread 100%, {mean:g}/h", partial(spread, mean, 1), mean == 20) for mean in RATES),
    World("bursts", bursts),
    World("cron, hourly", partial(cron, 1, 1, 0), True),
    World("cron, hourly, half of runs fail", partial(cron, 1, 0.5, 0)),
    World("cron, nightly", partial(cron, DAY, 1, 0)),
    World("cron, nightly, a third of runs fails", partial(cron, DAY, 0.33, 0)),
    World("cron, weekly", partial(cron, WEEK, 1, 0)),
    World("cron, weekly, beside 2/h", partial(cron, WEEK, 1, 2)),
    World("AR 0.7, 20/h", partial(carried_over, 0.7), True),
    World("AR 0.9, 20/h", partial(carried_over, 0.9), True),
    World("season of the day, 20/h", partial(season, 20, 1, 10), True),
    World("season of the week, 20/h", partial(season, 20, 0.3, 10), True),
    World("season of the week, 2/h", partial(season, 2, 0.3, 4)),
    World("season of the week, 500/h", partial(season, 500, 0.3, 10)),
    World("unlike days, 20/h", days, True),
    *(
        World(f"office hours, {mean}/h, {change.name}", partial(office, change, mean), began=change.began)
        for mean in (50, 200)
        for change in CLOCK_CHANGES
    ),
    World("office hours, 50/h", partial(office, NO_CHANGE, 50), True, began=NO_CHANGE.began),
    World("a user's loop each week", partial(loops, WEEK)),
    World("a user's loop each month", partial(loops, 30 * DAY)),
    World("a user's loop each day", partial(loops, DAY)),
    World("growth of 5% a week", partial(growth, 0.05), True),
    World("growth of 10% a week", partial(growth, 0.1), True),
    World("young, spread 50%, 20/h", partial(spread, 20, 4), is_young=True),
    World("young, season of the week, 20/h", partial(season, 20, 0.3, 10), is_young=True),
    World("young, cron, weekly, beside 2/h", partial(cron, WEEK, 1, 2), is_young=True),
    World("young, a user's loop each week", partial(loops, WEEK), is_young=True),
)


@dataclass(frozen=True)
class Outcome:
    """`hour_count`: hours above their limits, of which those in a row are one alarm; `found_after`: hours
    until the tripled rate is found; infinite: not within SOON_HOURS."""

    alarm_count: int
    hour_count: int
    found_after: float


def trial(world: World, number: int) -> Outcome:
    generator = np.random.default_rng([number, sum(map(ord, world.name))])
    begin = 0 if world.is_young else HISTORY_HOURS
    expected = world.intensity(generator, HISTORY_HOURS + LOOKS)
    counts = generator.poisson(expected)
    over = [hour for hour, _limit in _over(world, counts, begin)]
    alarms = sum(hour - 1 not in over for hour in over)
    found_after = _found_after(world, expected, counts, generator) if world.is_tripled else float("inf")
    return Outcome(alarms, len(over), found_after)


def _over(world: World, counts: np.ndarray, begin: int) -> list[tuple[int, int]]:
    hours = np.flatnonzero(counts)
    if len(hours) == 0:
        return []
    first = (world.began - EPOCH) // HOUR - HISTORY_HOURS
    found = hours_over((first + hours).tolist(), counts[hours].tolist(), first + begin, JUDGEMENT)
    return [(hour - first, limit) for hour, limit in found]


def _found_after(world: World, expected: np.ndarray, counts: np.ndarray, generator: Generator) -> float:
    """From a moment in the first hour after the history on, three times as many events arrive."""
    onset = generator.random()
    more = counts[: HISTORY_HOURS + SOON_HOURS + 1].copy()
    moments = []
    for step in range(SOON_HOURS + 1):
        hour = HISTORY_HOURS + step
        at = generator.random(counts[hour])
        added = generator.random(generator.poisson((TRIPLED - 1) * expected[hour]))
        moments.append(np.sort([*at, *(added[added >= onset] if step == 0 else added)]))
        more[hour] = len(moments[-1])
    passed = [
        hour - HISTORY_HOURS + moments[hour - HISTORY_HOURS][limit]
        for hour, limit in _over(world, more, HISTORY_HOURS)
    ]
    return min((at - onset for at in passed if onset <= at <= onset + SOON_HOURS), default=float("inf"))


def main() -> None:
    given = arguments(__doc__ or "")
    rows = []
    for world in WORLDS:
        if given.worlds and world.name not in given.worlds:
            continue
        outcomes = run(partial(trial, world), given.trials, given.processes)
        looks = LOOKS + (HISTORY_HOURS - DAY_HOURS if world.is_young else 0)
        value, low, high = in_90_days([each.alarm_count for each in outcomes], looks)
        over, *_interval = in_90_days([each.hour_count for each in outcomes], looks)
        alarms = marked(f"{value:.2f}", value, ALARMS_IN_90_DAYS)
        row = {
            "world": world.name,
            "false alarms in 90 days": f"{alarms} ({low:.2f}–{high:.2f})",
            "hours above the limit": f"{over:.2f}",
        }
        figure(
            "escalation_false_alarms_in_90_days",
            value,
            "alarms per issue",
            world=world.name,
            low=round(low, 2),
            high=round(high, 2),
            hours_above=round(over, 2),
            trials=given.trials,
        )
        if world.is_tripled:
            after = [each.found_after for each in outcomes]
            found = [at <= SOON_HOURS for at in after]
            figure(
                "escalation_tripled_found",
                float(np.mean(found)),
                "ratio",
                world=world.name,
                median_hours=float(np.median(after)) if np.median(after) <= SOON_HOURS else None,
                trials=given.trials,
            )
            row["tripled rate found within 3 hours"] = rate(found)
            middle = float(np.median(after))
            row["median hours"] = f"{middle:.1f}" if np.isfinite(middle) else "> 3"
        rows.append(row)
    table(
        (
            "world",
            "false alarms in 90 days",
            "hours above the limit",
            "tripled rate found within 3 hours",
            "median hours",
        ),
        rows,
    )


if __name__ == "__main__":
    main()
