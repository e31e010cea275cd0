"""What's different about an issue: how often a false difference is told, and how often a true one.

`python -m bench.truth.differences --trials 400`

All issues of a project are alike: what is found is chance, unless the world plants a difference.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from bench.figures import figure
from bench.truth.trials import NOTHING_PROMISED, WRONG, arguments, rate, run, table
from errata.differences.dominance import SourceCount
from errata.differences.findings import Found, Verdict
from tests.errata.differences.worlds import ISSUE, WORLDS, World, events_of_trial, told_of

HEAD = ("world", "false difference told", "not enough data", "source named", "planted difference found")


@dataclass(frozen=True)
class Outcome:
    is_false: bool
    is_too_few: bool
    is_named: bool
    is_found: bool


def outcome(world: World, told: Found, dominating: SourceCount | None) -> Outcome:
    names = {(finding.tag, finding.value): finding.is_more for finding in told.findings}
    # All other values became rarer: to name one as rarer is no error.
    false = [
        name
        for name, is_more in names.items()
        if not (name[0] == world.planted and is_more == (name == world.planted_value))
    ]
    return Outcome(
        bool(false),
        told.verdict is not Verdict.COMPARED,
        dominating is not None,
        names.get(world.planted_value, False),
    )


def trial(name: str, number: int) -> Outcome:
    world = WORLDS[name]
    events = events_of_trial(world, 1, np.random.default_rng([31, list(WORLDS).index(name), number]))
    return outcome(world, *told_of(events, lambda event: event["variant_hash"] == 1000 + ISSUE))


def main() -> None:
    asked = arguments(__doc__ or "")
    rows = []
    for name, world in WORLDS.items():
        if asked.worlds and name not in asked.worlds:
            continue
        outcomes = run(partial(trial, name), asked.trials, asked.processes)
        columns = {
            "told_false": [one.is_false for one in outcomes],
            "too_few": [one.is_too_few for one in outcomes],
            "source_named": [one.is_named for one in outcomes],
            "planted_found": [one.is_found for one in outcomes],
        }
        for label, held in columns.items():
            figure(f"differences_{label}", sum(held) / len(held), "ratio", world=name, trials=len(held))
        texts = [
            rate(held, WRONG if label == "told_false" else NOTHING_PROMISED)
            for label, held in columns.items()
        ]
        if not world.planted:
            texts[-1] = "–"
        rows.append(dict(zip(HEAD, (name, *texts), strict=True)))
    table(HEAD, rows)


if __name__ == "__main__":
    main()
