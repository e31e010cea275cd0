"""The change of a week: how often its 95% interval holds the true one.

`python -m bench.truth.weekly_change --trials 400`
"""

from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

import numpy as np

from bench.figures import figure
from bench.truth.trials import INTERVALS_AT_LEAST, NOTHING_PROMISED, arguments, rate, run, table
from errata.statistics.stratified import Floats
from errata.statistics.weekly_change import WeeklyChange, weekly_change

MONDAY = date(2026, 11, 9)
WEEKS = 10
DAYS = 7 * WEEKS
SLOWER = 0.05
LARGE = 0.15
SPREAD = 0.04
DRIFT = 0.02

Generator = np.random.Generator
World = Callable[[Generator], Floats]


def white(generator: Generator) -> Floats:
    return generator.normal(0, SPREAD, DAYS)


def autocorrelated(memory: float, generator: Generator) -> Floats:
    """AR(1) of the same spread; `memory` from one day to the next."""
    steps = generator.normal(0, SPREAD * np.sqrt(1 - memory**2), DAYS + 60)
    level, levels = 0.0, []
    for step in steps.tolist():
        level = memory * level + step
        levels.append(level)
    return np.asarray(levels[60:])


def season(generator: Generator) -> Floats:
    return white(generator) + np.tile(generator.normal(0, 0.2, 7), WEEKS)


def loud_weekends(generator: Generator) -> Floats:
    return np.asarray(generator.normal(0, 1, DAYS) * np.tile([0.03] * 5 + [0.08] * 2, WEEKS))


def heavy_tails(generator: Generator) -> Floats:
    return np.asarray(SPREAD * generator.standard_t(3, DAYS))


def bad_days(generator: Generator) -> Floats:
    """One day in two weeks, on average, is a third slower."""
    return white(generator) + 0.3 * (generator.random(DAYS) < 1 / 14)


def heavy_users(generator: Generator) -> Floats:
    """p75 of days of 300 loads: 60 users with their own speed, some with many loads (Pareto 1.5)."""
    values = []
    for _ in range(DAYS):
        sizes = np.minimum(100, np.ceil(1 + generator.pareto(1.5, 60))).astype(int)
        speeds = np.repeat(generator.normal(0, 0.5, 60), sizes)
        values.append(float(np.quantile(speeds + generator.normal(0, 0.5, len(speeds)), 0.75)))
    return np.asarray(values)


def earlier_step(generator: Generator) -> Floats:
    """Since four weeks, days are 20% slower."""
    return white(generator) + 0.2 * (np.arange(DAYS) >= DAYS - 28)


def drift(generator: Generator) -> Floats:
    return white(generator) + DRIFT / 7 * np.arange(DAYS)


def month(generator: Generator) -> Floats:
    """A wave of a month, a twentieth to and fro."""
    return white(generator) + 0.05 * np.sin(2 * np.pi * (np.arange(DAYS) / 30 + generator.random()))


def growing(generator: Generator) -> Floats:
    """Days come to spread five times as much: from 2% to 10%."""
    return np.asarray(generator.normal(0, 1, DAYS) * np.linspace(0.02, 0.1, DAYS))


def louder(generator: Generator) -> Floats:
    """Since two weeks, days spread three times as much."""
    return white(generator) * np.where(np.arange(DAYS) < DAYS - 14, 0.5, 1.5)


WORLDS: dict[str, World] = {
    "independent days": white,
    "AR 0.3": partial(autocorrelated, 0.3),
    "AR 0.5": partial(autocorrelated, 0.5),
    "AR 0.7": partial(autocorrelated, 0.7),
    "AR 0.9": partial(autocorrelated, 0.9),
    "weekly season": season,
    "loud weekends": loud_weekends,
    "heavy tails (t3)": heavy_tails,
    "a bad day a fortnight": bad_days,
    "heavy users (Pareto 1.5)": heavy_users,
    "a step four weeks ago": earlier_step,
    "slow drift": drift,
    "wave of a month": month,
    "spread grows fivefold": growing,
    "spread threefold since two weeks": louder,
}
PROMISED = (INTERVALS_AT_LEAST, NOTHING_PROMISED, NOTHING_PROMISED)
HEAD = ("world", "interval holds 5%", "no change told as one", "15% told as slower")


def trial(name: str, number: int) -> tuple[bool, bool, bool]:
    generator = np.random.default_rng([9, list(WORLDS).index(name), number])
    series = WORLDS[name](generator)
    # Of a drift the change is also its own.
    own = DRIFT if name == "slow drift" else 0.0
    slower, same, much = (found(series, added) for added in (np.log1p(SLOWER), -own, np.log1p(LARGE)))
    truth = float(np.expm1(np.log1p(SLOWER) + own))
    return (
        _holds(slower, truth),
        not _holds(same, 0.0),
        much.low is not None and much.low > 0,
    )


def found(series: Floats, added: float) -> WeeklyChange:
    values = 1000 * np.exp(series + added * (np.arange(DAYS) >= DAYS - 7))
    begin = MONDAY - timedelta(days=DAYS - 7)
    days = {begin + timedelta(days=number): value for number, value in enumerate(values.tolist())}
    change = weekly_change(days, MONDAY)
    assert change is not None
    return change


def _holds(change: WeeklyChange, truth: float) -> bool:
    return change.low is not None and change.high is not None and change.low <= truth <= change.high


def main() -> None:
    asked = arguments(__doc__ or "")
    rows = []
    for name in WORLDS:
        if asked.worlds and name not in asked.worlds:
            continue
        outcomes = run(partial(trial, name), asked.trials, asked.processes)
        shares = [[one[place] for one in outcomes] for place in range(3)]
        for label, held in zip(("interval_holds", "told_false", "large_told"), shares, strict=True):
            figure(f"weekly_{label}", sum(held) / len(held), "ratio", world=name, trials=len(held))
        cells = (rate(held, promised) for held, promised in zip(shares, PROMISED, strict=True))
        rows.append(dict(zip(HEAD, (name, *cells), strict=True)))
    table(HEAD, rows)


if __name__ == "__main__":
    main()
