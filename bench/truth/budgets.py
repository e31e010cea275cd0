"""Performance budgets: breaches that no change explains, and how soon a rise is found.

`python -m bench.truth.budgets --trials 400 --processes 2`
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from math import log

import numpy as np

from bench.figures import figure
from bench.truth.trials import ALARMS_IN_90_DAYS, arguments, in_90_days, marked, rate, run, table
from errata.budgets.limit import LEAST_SAMPLES
from errata.budgets.state import State, outcome, states_of
from errata.statistics.independent_samples import (
    BUCKETS,
    independent_count,
    lower_levels,
    percentile_at_least,
)
from errata.statistics.stratified import Floats, Integers
from tests.errata.statistics.traffic import DAY, HOUR, START, Loads, World, loads_of_days

LEVEL = 0.75
DAYS = 90
RISE_DAY = 14
FOUND_WITHIN = (48, 168)
# Of the limit, as logarithms.
UNDER, OVER = log(0.9), log(1.25)


@dataclass(frozen=True)
class Setting:
    """`a_day`: page loads; `steps` of a window are hours."""

    world: World
    a_day: int = 400
    window_hours: int = 24


SETTINGS = {
    "light: 1.5 views a user": Setting(World()),
    "light, 80 a day": Setting(World(), 80),
    "light, 2,000 a day": Setting(World(), 2000),
    "light, 80 an hour, windows of 6 hours": Setting(World(season=0.0), 1920, 6),
    "ten views a user": Setting(World(views_a_user=10)),
    "ten views, new users": Setting(World(views_a_user=10, returning=0.0)),
    "heavy users (Pareto 1.5)": Setting(World(views_a_user=6, pareto=1.5)),
    "one bot, 20% of views": Setting(World(views_a_user=3, bots=1, bot_share=0.2, is_bot_steady=True)),
    "one bot, 20%, in bursts": Setting(World(views_a_user=3, bots=1, bot_share=0.2)),
    "one slow bot, 50%": Setting(
        World(views_a_user=3, bots=1, bot_share=0.5, bot_level=0.7, is_bot_steady=True)
    ),
    "one slow bot, 20% of 2,000": Setting(
        World(views_a_user=3, bots=1, bot_share=0.2, bot_level=0.7, is_bot_steady=True), 2000
    ),
    "anonymous visitors": Setting(World(views_a_user=3, returning=0.0, is_anonymous=True)),
    "anonymous, coming back": Setting(World(views_a_user=5, is_anonymous=True)),
    "strong season of day and week": Setting(World(views_a_user=3, season=0.3)),
    "autocorrelated hours": Setting(World(views_a_user=3, hour_spread=0.1)),
    "three views a user, 100 a day": Setting(World(views_a_user=3), 100),
    "anonymous visitors, 100 a day": Setting(World(views_a_user=3, returning=0.0, is_anonymous=True), 100),
    "strong season, 100 a day": Setting(World(views_a_user=3, season=0.3), 100),
    "autocorrelated hours, 100 a day": Setting(World(views_a_user=3, hour_spread=0.1), 100),
    "30 users, ten views a day each": Setting(World(views_a_user=140, returning=1.0), 300),
}
HEAD = (
    "world",
    "false breaches in 90 days",
    "not enough data",
    "rise of 25% over found in 2 days",
    "in 7 days",
)


@dataclass(frozen=True)
class Outcome:
    """Of one trial: breaches, and hours until a rise was found."""

    breaches: int
    unknown_share: float
    found_after: float


def trial(name: str, number: int) -> Outcome:
    setting = SETTINGS[name]
    generator = np.random.default_rng([10, list(SETTINGS).index(name), number])
    loads = loads_of_days(generator, setting.world, setting.a_day, DAYS)
    logs = loads.logs - truth(setting) + UNDER
    same = states_of(judged(generator, setting, loads, logs, 0, DAYS))
    risen = logs + (OVER - UNDER) * (loads.seconds >= START + RISE_DAY * DAY)
    rising = states_of(judged(generator, setting, loads, risen, RISE_DAY - 1, RISE_DAY + 7))
    unknown = np.mean([state is State.UNKNOWN for state in same[setting.window_hours :]])
    return Outcome(_breaches(same), float(unknown), _found(rising))


@cache
def truth(setting: Setting) -> float:
    """The percentile of the loads of all users, without bots."""
    world = World(
        **{
            **setting.world.__dict__,
            "bots": 0,
            "bot_share": 0.0,
            "pareto": 0.0,
            "views_a_user": 1.5,
            "hour_spread": 0.0,
        }
    )
    generator = np.random.default_rng(10)
    return float(np.quantile(loads_of_days(generator, world, 20_000, 14).logs, LEVEL))


def judged(
    generator: np.random.Generator, setting: Setting, loads: Loads, logs: Floats, begin: int, days: int
) -> list[State]:
    """The outcomes of the windows that end after each hour from the day `begin` on."""
    hours = ((loads.seconds - START) // HOUR).astype(np.int64)
    squares, unidentified = _sketched(generator, setting, loads, hours, days)
    found = list[State]()
    levels = np.array([LEVEL, *lower_levels(LEVEL)])
    ends = np.arange(begin * 24 + 1, days * 24 + 1)
    starts = np.searchsorted(hours, ends - setting.window_hours).tolist()
    stops = np.searchsorted(hours, ends).tolist()
    for end, first, last in zip(ends.tolist(), starts, stops, strict=True):
        count = last - first
        if not count:
            found.append(State.UNKNOWN)
            continue
        # Load times with a limit of 1.
        value, *lower = np.exp(_quantiles(np.sort(logs[first:last]), levels)).tolist()
        size = independent_count(count, squares[end - 1], count if unidentified else 0)
        at_least = percentile_at_least(LEVEL, value, lower, size)
        found.append(outcome(value, int(size), 1.0, LEAST_SAMPLES, at_least))
    return found


def _quantiles(ordered: Floats, levels: Floats) -> Floats:
    ranks = levels * (len(ordered) - 1)
    below = ranks.astype(np.int64)
    low, high = ordered[below], ordered[np.minimum(below + 1, len(ordered) - 1)]
    found: Floats = low + (ranks - below) * (high - low)
    return found


def _sketched(
    generator: np.random.Generator, setting: Setting, loads: Loads, hours: Integers, days: int
) -> tuple[Floats, bool]:
    """Σ n² of the windows, from as many counters as the marts keep."""
    is_anonymous = setting.world.is_anonymous
    sources = np.arange(len(hours)) if is_anonymous else loads.people
    most = int(sources.max()) + 1
    bucket, sign = generator.integers(0, BUCKETS, most), generator.choice([-1.0, 1.0], most)
    counters = np.zeros((days * 24 + setting.window_hours, BUCKETS))
    inside = hours < days * 24
    rows = hours[inside] + setting.window_hours
    np.add.at(counters, (rows, bucket[sources[inside]]), sign[sources[inside]])
    sums = np.cumsum(counters, axis=0)
    windows = sums[setting.window_hours :] - sums[: -setting.window_hours]
    return np.sum(windows**2, axis=1), is_anonymous


def _breaches(states: Sequence[State]) -> int:
    """How often a budget became breached, having been kept last or never known."""
    known = [State.KEPT, *(state for state in states if state is not State.UNKNOWN)]
    return sum(later is State.BREACHED and one is State.KEPT for one, later in pairwise(known))


def _found(states: Sequence[State]) -> float:
    """Hours from the rise, a day after the first of these, to the first breach."""
    onset = 24
    return next((hour for hour, one in enumerate(states[onset:], 1) if one is State.BREACHED), float("inf"))


def main() -> None:
    given = arguments(__doc__ or "")
    rows = []
    for name in SETTINGS:
        if given.worlds and name not in given.worlds:
            continue
        outcomes = run(partial(trial, name), given.trials, given.processes)
        breaches, low, high = in_90_days([one.breaches for one in outcomes], DAYS * 24)
        facts = {"world": name, "trials": given.trials}
        figure("budget_false_breaches_in_90_days", breaches, "breaches per budget", **facts)
        soon, week = ([one.found_after <= hours for one in outcomes] for hours in FOUND_WITHIN)
        figure("budget_rise_found_in_2_days", float(np.mean(soon)), "ratio", **facts)
        figure("budget_rise_found_in_7_days", float(np.mean(week)), "ratio", **facts)
        unknown = float(np.mean([one.unknown_share for one in outcomes]))
        told = (
            name,
            f"{marked(f'{breaches:.2f}', breaches, ALARMS_IN_90_DAYS)} ({low:.2f}–{high:.2f})",
            f"{100 * unknown:.0f}%",
            *map(rate, (soon, week)),
        )
        rows.append(dict(zip(HEAD, told, strict=True)))
    table(HEAD, rows)


if __name__ == "__main__":
    main()
