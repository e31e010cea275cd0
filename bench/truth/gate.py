"""The gate of continuous integration: how many harmless releases are red over all looks, and slower ones.

`python -m bench.truth.gate --trials 1000 --processes 2`

Each release is traffic of a world of page loads and of a world of errors, by turns. It is red if one of them
is *worse* at any look.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log1p

import numpy as np

from bench.figures import figure
from bench.truth import error_rate as errors
from bench.truth import release_impact as loads
from bench.truth.trials import NOTHING_PROMISED, WRONG, arguments, rate, run, table
from errata.statistics.error_rates import error_rate
from errata.statistics.impact import Impact
from errata.statistics.interim_analyses import INTERIM_ANALYSES
from errata.statistics.verdict import Verdict, overall
from tests.errata.statistics.error_traffic import World as ErrorWorld
from tests.errata.statistics.error_traffic import error_traffic
from tests.errata.statistics.traffic import World, traffic

COLUMNS = ("releases", "harmless: red", "by load time", "by errors", "harmless: green", "10% slower: red")


@dataclass(frozen=True)
class Outcome:
    """At any look: red by load time, by errors, and green at the last; with a change of `SHIFT`: red."""

    world: str
    is_red_by_load: bool
    is_red_by_errors: bool
    is_green: bool
    is_slowdown_red: bool

    @property
    def is_red(self) -> bool:
        return self.is_red_by_load or self.is_red_by_errors


def trial(worlds: Sequence[tuple[str, World]], error_worlds: Sequence[ErrorWorld], number: int) -> Outcome:
    name, world = worlds[number % len(worlds)]
    loads_judged, slower_judged = _load_verdicts(world, number)
    errors_judged = _error_verdicts(error_worlds[number % len(error_worlds)], number)
    return Outcome(
        world=name,
        is_red_by_load=Verdict.WORSE in loads_judged,
        is_red_by_errors=Verdict.WORSE in errors_judged,
        is_green=overall(loads_judged[-1], errors_judged[-1]) in (Verdict.NO_CHANGE, Verdict.BETTER),
        is_slowdown_red=Verdict.WORSE in slower_judged,
    )


def _load_verdicts(world: World, number: int) -> tuple[list[Verdict], list[Verdict]]:
    """Without a change at each look, and with one."""
    seen = traffic(np.random.default_rng([41, number]), world, loads.VIEWS)
    generator = np.random.default_rng([42, number])
    drift = loads.drift_seen(generator, world, loads.VIEWS) if world.drift else 0.0
    slower = replace(seen, logs=seen.logs + log1p(loads.SHIFT) * seen.is_after)
    return (
        [_verdict(loads.judged(seen, look, drift)) for look in INTERIM_ANALYSES],
        [_verdict(loads.judged(slower, look, drift)) for look in INTERIM_ANALYSES],
    )


def _error_verdicts(world: ErrorWorld, number: int) -> list[Verdict]:
    seen = error_traffic(np.random.default_rng([43, number]), world)
    found = [error_rate(seen.until(look.after.total_seconds()), look) for look in INTERIM_ANALYSES]
    return [one.verdict if one else Verdict.NOT_ENOUGH_DATA for one in found]


def _verdict(judged: Impact | None) -> Verdict:
    return judged.verdict if judged else Verdict.NOT_ENOUGH_DATA


def main() -> None:
    asked = arguments(__doc__ or "")
    worlds = [each for each in loads.WORLDS.items() if not asked.worlds or each[0] in asked.worlds]
    error_worlds = list(errors.WORLDS.values())
    found = run(partial(trial, worlds, error_worlds), asked.trials, asked.processes)
    rows = []
    for name in ("all worlds", *(name for name, _ in worlds)):
        some = [one for one in found if name in ("all worlds", one.world)]
        kinds = {
            "red": [one.is_red for one in some],
            "red_by_load": [one.is_red_by_load for one in some],
            "red_by_errors": [one.is_red_by_errors for one in some],
            "green": [one.is_green for one in some],
            "slowdown_red": [one.is_slowdown_red for one in some],
        }
        for kind, held in kinds.items():
            figure(f"gate_{kind}", sum(held) / max(1, len(held)), "ratio", world=name, releases=len(some))
        promised = WRONG if name == "all worlds" else NOTHING_PROMISED
        cells = (rate(held, promised if kind == "red" else NOTHING_PROMISED) for kind, held in kinds.items())
        rows.append(dict(zip(COLUMNS, (f"{name} ({len(some)})", *cells), strict=True)))
    table(COLUMNS, rows)


if __name__ == "__main__":
    main()
