"""Crash-free sessions and users: how often their 95% intervals hold the truth.

`python -m bench.truth.crash_free --trials 400`
"""

from dataclasses import dataclass, replace
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
from errata.statistics.clustered_shares import Clusters, Sessions, crash_verdict
from errata.statistics.proportion import newcombe, wilson
from errata.statistics.stratified import Floats
from errata.statistics.verdict import Verdict

USERS = 1500
MANY = 400_000


@dataclass(frozen=True)
class World:
    """Sessions of a user are geometric, or Pareto; of prone users `prone_risk` of the sessions crash. A loop
    adds so many crashed sessions to one user's."""

    sessions_a_user: float = 4.0
    pareto: float = 0.0
    risk: float = 0.01
    prone_share: float = 0.0
    prone_risk: float = 0.3
    loop_share: float = 0.0
    loop_sessions: tuple[int, int] = (10, 60)


WORLDS = {
    "independent sessions": World(sessions_a_user=1.0),
    "sessions of one risk": World(),
    "rare crashes": World(risk=0.001),
    "crash-prone users": World(prone_share=0.03),
    "heavy users (Pareto 1.5), crash-prone": World(pareto=1.5, prone_share=0.03),
    "crash loops": World(loop_share=0.01),
    "rare crash loops": World(loop_share=0.003),
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
# Parts of the users by which the verdict is looked at.
LOOKS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)


def users(generator: np.random.Generator, world: World, count: int) -> tuple[Floats, Floats]:
    if world.pareto:
        least = world.sessions_a_user * (world.pareto - 1) / world.pareto
        drawn = np.minimum(1000, least * (1 + generator.pareto(world.pareto, count)))
        sessions = np.maximum(1, np.round(drawn)).astype(np.int64)
    else:
        sessions = generator.geometric(1 / world.sessions_a_user, count)
    risks = np.where(generator.random(count) < world.prone_share, world.prone_risk, world.risk)
    crashed = generator.binomial(sessions, risks)
    loops = (generator.random(count) < world.loop_share) * generator.integers(*world.loop_sessions, count)
    return (sessions + loops).astype(np.float64), (crashed + loops).astype(np.float64)


def trial(world: World, truth: tuple[float, float], number: int) -> tuple[bool, ...]:
    generator = np.random.default_rng([21, number])
    sides = [users(generator, world, USERS) for _ in range(2)]
    after, before = (_sessions(*one, 1.0) for one in sides)
    share, people = after.crash_free(), after.of_users.crash_free()
    naive = wilson(round(after.count - after.crashed), round(after.count))
    between = newcombe(share, before.crash_free())
    looks = [crash_verdict(_sessions(*sides[0], part), before) for part in LOOKS]
    worse = users(generator, replace(world, risk=2 * world.risk, loop_share=2 * world.loop_share), USERS)
    return (
        share.low <= truth[0] <= share.high,
        naive.low <= truth[0] <= naive.high,
        people.low <= truth[1] <= people.high,
        between is not None and between.low <= 0 <= between.high,
        any(word in (Verdict.WORSE, Verdict.BETTER) for word in looks),
        crash_verdict(_sessions(*worse, 1.0), before) == Verdict.WORSE,
    )


def _sessions(sessions: Floats, crashed: Floats, part: float) -> Sessions:
    count = round(part * len(sessions))
    users = Clusters(sessions[:count], crashed[:count], np.ones(count))
    return Sessions(users, users)


def main() -> None:
    asked = arguments(__doc__ or "")
    rows = []
    for name, world in WORLDS.items():
        if asked.worlds and name not in asked.worlds:
            continue
        sessions, crashed = users(np.random.default_rng(20), world, MANY)
        truth = (1 - float(crashed.sum() / sessions.sum()), float(np.mean(crashed == 0)))
        found = run(partial(trial, world, truth), asked.trials, asked.processes)
        columns = [list(column) for column in zip(*found, strict=True)]
        facts = {"world": name, "trials": asked.trials, "users": USERS, "truth": round(truth[0], 5)}
        for label, held in zip(FIGURES, columns, strict=True):
            figure(f"crash_free_{label}", sum(held) / len(held), "ratio", **facts)
        cells = (rate(held, promised) for held, promised in zip(columns, PROMISED, strict=True))
        rows.append(dict(zip(COLUMNS, (name, *cells), strict=True)))
    table(COLUMNS, rows)


if __name__ == "__main__":
    main()
