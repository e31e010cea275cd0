"""Error rates of releases: wrong words over all looks, intervals that hold the truth, doublings found.

`python -m bench.truth.error_rate --trials 400 --processes 2`
"""

from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean

import numpy as np

from bench.figures import figure
from bench.truth.trials import INTERVALS_AT_LEAST, NOTHING_PROMISED, WRONG, arguments, rate, run, table
from errata.statistics.error_rates import ErrorRate, error_rate
from errata.statistics.interim_analyses import INTERIM_ANALYSES
from errata.statistics.verdict import Reason, Verdict
from tests.errata.statistics.error_traffic import Traffic, World, error_traffic

CHANGES = (Verdict.WORSE, Verdict.BETTER)
WORLDS = {
    "independent sessions": World(sessions_a_user=1.0, users=6000),
    "four sessions a user": World(),
    "rare errors": World(rate=0.003),
    "error-prone users": World(prone_share=0.03),
    "heavy users (Pareto 1.5), error-prone": World(pareto=1.5, prone_share=0.03),
    "crash loops": World(loop_share=0.01),
    "rare crash loops": World(loop_share=0.003),
    "a new noisy user": World(noisy_errors=300),
    "a new noisy user, rare errors": World(noisy_errors=300, rate=0.01),
    "one bot, 20% of sessions": World(bot_share=0.2),
    "rollout by user": World(prone_share=0.03, is_rollout=True),
    "anonymous visitors": World(known_share=0.0, prone_share=0.03),
    "anonymous, crash loops": World(known_share=0.0, loop_share=0.01),
    "half identified": World(known_share=0.5, prone_share=0.03),
    "a job failing for an hour": World(job_failures=1.0),
    "outages of an hour": World(outages=1.0),
    "strong season": World(season=0.8),
}
MANY = 60_000
PROMISED = {"wrong": WRONG, "null_holds": INTERVALS_AT_LEAST, "double_holds": INTERVALS_AT_LEAST}
COLUMNS = (
    "world",
    "wrong over all looks",
    "interval holds 1",
    "interval holds a doubling",
    "doubling found",
    "few users",
    "one user named",
    "design effect",
)


@dataclass(frozen=True)
class Outcome:
    """Of one trial: without a change at every look, and with twice the errors at the last."""

    is_wrong: bool
    holds_null: bool | None
    holds_double: bool | None
    is_found: bool
    is_few: bool
    is_named: bool
    design_effect: float | None


def trial(world: World, factor: float, number: int) -> Outcome:
    seen = error_traffic(np.random.default_rng([31, number]), world)
    looks = [
        error_rate(seen.until(analysis.after.total_seconds()), analysis) for analysis in INTERIM_ANALYSES
    ]
    last, double = looks[-1], _last(seen.doubled())
    return Outcome(
        is_wrong=any(one is not None and one.verdict in CHANGES for one in looks),
        holds_null=_holds(last, 1.0),
        holds_double=_holds(double, factor),
        is_found=double is not None and double.verdict == Verdict.WORSE,
        is_few=last is None or last.reason == Reason.FEW_USERS,
        is_named=last is not None and last.reason == Reason.ONE_USER,
        design_effect=last.design_effect if last else None,
    )


def _factor(world: World) -> float:
    """What a doubling comes to, of errors that count once a user and six hours."""
    many = error_traffic(np.random.default_rng(32), replace(world, users=MANY, outages=0.0, job_failures=0.0))
    found = _last(many.doubled())
    assert found is not None
    return found.ratio


def _last(seen: Traffic) -> ErrorRate | None:
    return error_rate(seen.until(INTERIM_ANALYSES[-1].after.total_seconds()), INTERIM_ANALYSES[-1])


def _holds(found: ErrorRate | None, truth: float) -> bool | None:
    return None if found is None else found.low <= truth <= found.high


def main() -> None:
    asked = arguments(__doc__ or "")
    rows = []
    for name, world in WORLDS.items():
        if asked.worlds and name not in asked.worlds:
            continue
        found = run(partial(trial, world, _factor(world)), asked.trials, asked.processes)
        kinds = {
            "wrong": [one.is_wrong for one in found],
            "null_holds": [one.holds_null for one in found if one.holds_null is not None],
            "double_holds": [one.holds_double for one in found if one.holds_double is not None],
            "double_found": [one.is_found for one in found],
            "few_users": [one.is_few for one in found],
            "one_user": [one.is_named for one in found],
        }
        effects = [one.design_effect for one in found if one.design_effect is not None]
        for kind, held in kinds.items():
            figure(f"error_rate_{kind}", sum(held) / len(held), "ratio", world=name, trials=asked.trials)
        effect = fmean(effects)
        figure("error_rate_design_effect", effect, "ratio", world=name, trials=asked.trials)
        cells = (
            name,
            *(rate(held, PROMISED.get(kind, NOTHING_PROMISED)) for kind, held in kinds.items()),
            f"{effect:.1f}",
        )
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    table(COLUMNS, rows)


if __name__ == "__main__":
    main()
