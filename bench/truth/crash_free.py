"""Crash-free sessions and users: how often their 95% intervals hold the truth.

`python -m bench.truth.crash_free --trials 400`
"""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import numpy as np

from bench.figures import figure
from bench.truth.trials import (
    INTERVALS,
    INTERVALS_AT_LEAST,
    NOTHING_PROMISED,
    WRONG,
    arguments,
    rate,
    run,
    table,
)
from errata.statistics.clustered_shares import crash_verdict
from errata.statistics.interim_analyses import INTERIM_ANALYSES
from errata.statistics.proportion import newcombe, wilson
from errata.statistics.verdict import Verdict
from errata.statistics.week_parts import HOURS_A_WEEK
from tests.errata.statistics.session_traffic import World, matched_sessions, release_hour, session_traffic

HOUR = timedelta(hours=1)
MANY = 400_000

NIGHTS = World(night_sessions=0.3, night_risk=3.0)
WORLDS = {
    "independent sessions": World(sessions_a_user=1.0),
    "sessions of one risk": World(),
    "rare crashes": World(risk=0.001),
    "crash-prone users": World(prone_share=0.03),
    "heavy users (Pareto 1.5), crash-prone": World(pareto=1.5, prone_share=0.03),
    "crash loops": World(loop_share=0.01),
    "rare crash loops": World(loop_share=0.003),
    "nights ×3, released at 02:00, 10,000 users": replace(NIGHTS, users=10_000, released=26),
    "nights ×3, 3,000 users": replace(NIGHTS, users=3000),
    "crashing Monday mornings, released on Sunday": World(users=3000, monday_risk=3.0, released=164),
}
COLUMNS = (
    "world",
    "crash-free sessions hold",
    "as independent (Wilson)",
    "users hold",
    "change holds 0",
    "wrong in any of 8 looks",
    "twice the crashes told",
)
FIGURES = ("sessions_hold", "as_independent_hold", "users_hold", "change_holds", "wrong", "doubled_told")
PROMISED = (INTERVALS, NOTHING_PROMISED, INTERVALS, INTERVALS_AT_LEAST, WRONG, NOTHING_PROMISED)


def trial(world: World, truth: tuple[float, float], number: int) -> tuple[bool, ...]:
    generator = np.random.default_rng([21, number])
    released = release_hour(generator, world)
    before = session_traffic(generator, world, released - HOURS_A_WEEK)
    after, worse = (session_traffic(generator, world, released, times) for times in (1.0, 2.0))
    own = after.sessions()
    share, people = own.crash_free(), own.of_users.crash_free()
    naive = wilson(round(own.count - own.crashed), round(own.count))
    between = newcombe(*(side.crash_free() for side in matched_sessions(after, before)))
    looks = [
        crash_verdict(*matched_sessions(seen, before))
        for analysis in INTERIM_ANALYSES
        if len((seen := after.until(released + analysis.after / HOUR)).hour)
    ]
    return (
        share.low <= truth[0] <= share.high,
        naive.low <= truth[0] <= naive.high,
        people.low <= truth[1] <= people.high,
        between is not None and between.low <= 0 <= between.high,
        any(word in (Verdict.WORSE, Verdict.BETTER) for word in looks),
        crash_verdict(*matched_sessions(worse, before)) == Verdict.WORSE,
    )


def main() -> None:
    asked = arguments(__doc__ or "")
    rows = []
    for name, world in WORLDS.items():
        if asked.worlds and name not in asked.worlds:
            continue
        many = session_traffic(np.random.default_rng(20), replace(world, users=MANY), 0)
        crashed = np.bincount(many.user, many.is_crashed)
        truth = (1 - float(many.is_crashed.mean()), float(np.mean(crashed == 0)))
        found = run(partial(trial, world, truth), asked.trials, asked.processes)
        columns = [list(column) for column in zip(*found, strict=True)]
        facts = {"world": name, "trials": asked.trials, "users": world.users, "truth": round(truth[0], 5)}
        for label, held in zip(FIGURES, columns, strict=True):
            figure(f"crash_free_{label}", sum(held) / len(held), "ratio", **facts)
        cells = (rate(held, promised) for held, promised in zip(columns, PROMISED, strict=True))
        rows.append(dict(zip(COLUMNS, (name, *cells), strict=True)))
    table(COLUMNS, rows)


if __name__ == "__main__":
    main()
