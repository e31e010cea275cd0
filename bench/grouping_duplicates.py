"""Finding the issue of a stack, scored as published comparisons do. `python -m bench.grouping_duplicates`

RR@1: of stacks whose bug is known, how many have it ranked first. ROC-AUC: how well the best score tells
stacks of known bugs from those of new ones. The sets of Java stacks those comparisons use cannot be had
here: this is the captured Python events and releases made from them, with nothing joined by stage one.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from random import Random

from bench.evolution import (
    Change,
    Event,
    evolved,
    files_renamed,
    frameworks_updated,
    functions_moved,
    in_turn,
    wrappers_added,
)
from bench.figures import figure
from bench.grouping_evolution import read_by_grouping, without_label
from errata.grouping import variant_of
from errata.grouping.similarity import Rarity, Trace, Weighed, similarity, trace_of
from tests.errata.grouping.labelled import bugs_of, events_of

SEEDS = range(100, 120)
RELEASES: dict[str, Change] = {
    "5% of functions moved, renamed files, wrapped": in_turn(
        frameworks_updated, functions_moved(0.05), files_renamed(0.05), wrappers_added(0.05)
    ),
    "20% of functions moved, renamed files, wrapped": in_turn(
        frameworks_updated, functions_moved(0.2), files_renamed(0.2), wrappers_added(0.2)
    ),
}


def traces(events: Iterable[Event]) -> list[tuple[str, Trace]]:
    found = ((event["extra"]["case"], trace_of(variant_of(without_label(event)).shape)) for event in events)
    return [(bug, trace) for bug, trace in found if trace is not None]


def ranked(known: list[tuple[str, Trace]], new: list[tuple[str, Trace]]) -> tuple[float, float]:
    """RR@1 and ROC-AUC of new stacks against those of known bugs with the same exception types."""
    rarity = Rarity.of(trace for _, trace in known)
    candidates = [(bug, trace.type, Weighed(trace.places, rarity)) for bug, trace in known]
    bugs = {bug for bug, _ in known}
    first: list[bool] = []
    of_known: list[float] = []
    of_new: list[float] = []
    for bug, trace in new:
        weighed = Weighed(trace.places, rarity)
        scores = [
            (similarity(weighed, other), name) for name, type_, other in candidates if type_ == trace.type
        ]
        best, name = max(scores, default=(0.0, ""))
        if bug in bugs:
            first.append(name == bug)
            of_known.append(best)
        else:
            of_new.append(best)
    return statistics.mean(first), auc(of_known, of_new)


def auc(higher: list[float], lower: list[float]) -> float:
    """The chance that one of the first is above one of the second."""
    wins = sum((left > right) + (left == right) / 2 for left in higher for right in lower)
    return wins / (len(higher) * len(lower))


def main() -> None:
    events = [read_by_grouping(event) for event in bugs_of(events_of("python_errors.jsonl.gz"))]
    for name, change in RELEASES.items():
        found = []
        for seed in SEEDS:
            later = evolved(events, change, seed)[len(events) :]
            known = Random(seed).sample(events, len(events) * 2 // 3)
            found.append(ranked(traces(known), traces(later)))
        facts = {"data": "python, a release later", "change": name, "queries": len(SEEDS) * len(events)}
        figure("second stage, RR@1", statistics.mean(first for first, _ in found), "share", **facts)
        figure("second stage, ROC-AUC", statistics.mean(area for _, area in found), "area", **facts)


if __name__ == "__main__":
    main()
