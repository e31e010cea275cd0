"""Release verdicts: wrong words over all looks, intervals that hold the truth, power beside the best test.

`python -m bench.truth.release_impact --trials 400 --processes 2`
"""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from math import expm1, log1p, sqrt
from statistics import NormalDist

import numpy as np

from bench.figures import figure
from bench.truth.trials import INTERVALS, WRONG, arguments, rate, run, table
from errata.statistics.drift import beside_drift, drift_a_week, weeks_between
from errata.statistics.impact import Impact, impact
from errata.statistics.interim_analyses import INTERIM_ANALYSES, InterimAnalysis
from errata.statistics.matching import Views
from errata.statistics.stratified import Floats
from errata.statistics.verdict import Verdict
from tests.errata.statistics.traffic import DAY, START, Traffic, World, loads_of_days, traffic

VIEWS, BUSY_VIEWS = 2000, 20_000
SHIFT = 0.1
WEEKS_BEFORE = 8
# The day of START.
FIRST = date(2026, 1, 5)
CHANGES = (Verdict.WORSE, Verdict.BETTER)
NORMAL = NormalDist()

WORLDS = {
    "light: 1.5 views a user": World(),
    "light, spread 0.5": World(user_spread=0.25, noise_spread=0.43),
    "ten views a user": World(views_a_user=10),
    "ten views, new users": World(views_a_user=10, returning=0.0),
    "ten views, spread 0.5": World(views_a_user=10, user_spread=0.25, noise_spread=0.43),
    "heavy users (Pareto 1.5)": World(views_a_user=6, pareto=1.5),
    "three bots, 10% of views": World(views_a_user=3, bots=3, bot_share=0.1),
    "one bot, 20% of views": World(views_a_user=3, bots=1, bot_share=0.2),
    "hidden country shift": World(views_a_user=10, country_spread=0.25, country_shift=0.2),
    "hidden country shift, light": World(country_spread=0.25, country_shift=0.2),
    "rollout by user": World(views_a_user=10, rollout="user"),
    "rollout by view": World(views_a_user=10, rollout="view"),
    "strong season": World(views_a_user=3, season=0.4, hour_spread=0.04),
    "strong season, evening peak": World(views_a_user=3, season=0.5, season_phase=3.5, hour_spread=0.04),
    "a season of each page": World(views_a_user=3, season=0.4, has_own_seasons=True),
    "slow evening visitors": World(views_a_user=3, season=0.2, evening_slowness=0.3, hour_spread=0.04),
    "slower through the week": World(views_a_user=3, week_drift=0.2, hour_spread=0.04),
    "a drift of 2% a week": World(drift=0.02),
    "a drift of 5% a week": World(drift=0.05),
    "hours alike for a day": World(views_a_user=3, hour_spread=0.04, carried=0.95),
    "anonymous visitors": World(views_a_user=3, returning=0.0, is_anonymous=True),
    "anonymous, coming back": World(views_a_user=5, returning=0.5, is_anonymous=True),
}
# Of a busy site, where levels of hours are what makes releases differ by chance; 2,000 loads in other worlds.
BUSY = {
    "light, 20,000 loads": World(),
    "strong season, 20,000 loads": World(views_a_user=3, season=0.4, hour_spread=0.04),
    "hidden country shift, light, 20,000 loads": World(country_spread=0.25, country_shift=0.2),
    "a drift of 2% a week, 20,000 loads": World(drift=0.02),
    "hours alike for a day, 20,000 loads": World(views_a_user=3, hour_spread=0.04, carried=0.95),
}
COLUMNS = (
    "world",
    "wrong over all looks",
    "interval holds 0%",
    "interval holds 10%",
    "10% found",
    "best test finds",
    "bias",
)


@dataclass(frozen=True)
class Outcome:
    """Of one trial: without a change at every look, and with one of `SHIFT` at the last."""

    is_wrong: bool
    holds_null: bool | None
    holds_shift: bool | None
    is_found: bool
    effect: float | None
    best_power: float


def trial(world: World, views: int, number: int) -> Outcome:
    seen = traffic(np.random.default_rng([1, number]), world, views)
    drift = drift_seen(np.random.default_rng([2, number]), world, views) if world.drift else 0.0
    looks = [judged(seen, analysis, drift) for analysis in INTERIM_ANALYSES]
    slower = judged(replace(seen, logs=seen.logs + log1p(SHIFT) * seen.is_after), INTERIM_ANALYSES[-1], drift)
    last = looks[-1]
    return Outcome(
        is_wrong=any(one is not None and one.verdict in CHANGES for one in looks),
        holds_null=_holds(last, 0.0),
        holds_shift=_holds(slower, SHIFT),
        is_found=slower is not None and slower.verdict == Verdict.WORSE,
        effect=slower.comparison.effect - SHIFT if slower else None,
        best_power=_best_power(seen, world),
    )


def drift_seen(generator: np.random.Generator, world: World, views: int) -> float:
    """As it is seen in the days of eight weeks before."""
    loads = loads_of_days(generator, world, views // 7, WEEKS_BEFORE * 7)
    day = ((loads.seconds - START) // DAY).astype(np.int64)
    p75 = [float(np.percentile(np.exp(loads.logs[day == one]), 75)) for one in range(WEEKS_BEFORE * 7)]
    return drift_a_week([(FIRST + timedelta(days=number), 1000 * value) for number, value in enumerate(p75)])


def judged(seen: Traffic, analysis: InterimAnalysis, drift: float) -> Impact | None:
    until = seen.released + analysis.after.total_seconds()
    known = seen.seconds < until
    values: Floats = np.round(np.exp(seen.logs), 1).astype(np.float64)
    views = Views(values, seen.groups, seen.seconds, seen.users)
    after, before = views.where(known & seen.is_after), views.where(known & ~seen.is_after)
    found = impact("", "load_ms", after, before, analysis)
    return found and beside_drift(
        found, found.comparison.bounds, expm1(drift * weeks_between(after.seconds, before.seconds))
    )


def _holds(one: Impact | None, truth: float) -> bool | None:
    return None if one is None else one.comparison.low <= truth <= one.comparison.high


def _best_power(seen: Traffic, world: World) -> float:
    """Power at 5% of the generalized least squares that know every spread, every person, the season and the
    hours: unknown are the levels of pages and devices, and the effect."""
    person, order = np.unique(seen.people, return_inverse=True)
    sizes = np.bincount(order, minlength=len(person)).astype(np.float64)
    within, between = world.noise_spread**2, world.user_spread**2 + world.country_spread**2
    # Of each user's mean this share is taken off, so that what is left is independent and equally spread.
    taken = 1 - np.sqrt(within / (within + sizes * between))

    def whitened(column: Floats) -> Floats:
        means = np.bincount(order, column, len(person)) / sizes
        return column - (taken * means)[order]

    cells = np.unique(seen.groups)
    design = np.column_stack([whitened((seen.groups == cell).astype(np.float64)) for cell in cells])
    asked = whitened(seen.is_after.astype(np.float64))
    left = asked - design @ np.linalg.lstsq(design, asked, rcond=None)[0]
    signal = log1p(SHIFT) * sqrt(float(left @ left) / within)
    return NORMAL.cdf(signal - 1.96)


def main() -> None:
    asked = arguments(__doc__ or "")
    rows = []
    for name, world in {**WORLDS, **BUSY}.items():
        if asked.worlds and name not in asked.worlds:
            continue
        views = BUSY_VIEWS if name in BUSY else VIEWS
        found = run(partial(trial, world, views), asked.trials, asked.processes)
        null = [one.holds_null for one in found if one.holds_null is not None]
        shifted = [one.holds_shift for one in found if one.holds_shift is not None]
        wrong, power = [one.is_wrong for one in found], [one.is_found for one in found]
        bias = float(np.median([one.effect for one in found if one.effect is not None] or [np.nan]))
        best = float(np.mean([one.best_power for one in found]))
        facts = {"world": name, "trials": asked.trials, "views_a_side": views}
        for label, held in (
            ("release_wrong_over_all_looks", wrong),
            ("release_interval_holds_null", null),
            ("release_interval_holds_shift", shifted),
            ("release_shift_found", power),
        ):
            figure(label, sum(held) / max(1, len(held)), "ratio", **facts)
        figure("release_best_power", best, "ratio", **facts)
        figure("release_effect_bias", bias, "ratio", **facts)
        rows.append(
            dict(
                zip(
                    COLUMNS,
                    (
                        name,
                        rate(wrong, WRONG),
                        rate(null, INTERVALS),
                        rate(shifted, INTERVALS),
                        rate(power),
                        f"{100 * best:.0f}%",
                        f"{100 * bias:+.2f}%",
                    ),
                    strict=True,
                )
            )
        )
    table(COLUMNS, rows)


if __name__ == "__main__":
    main()
