"""How grouping holds while a program changes. `python -m bench.grouping_evolution`"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from itertools import combinations
from typing import Any

from bench.evolution import BROWSER, PYTHON, Event, evolved
from bench.figures import figure
from errata.grouping import CURRENT_VERSION, VERSIONS, VariantShape, fingerprint_of, variant_of
from errata.grouping.similarity import Rarity, Weighed, similarity, trace_of
from tests.errata.grouping.labelled import events_of
from tests.errata.grouping.pairwise import Pairwise, pairwise

# The same program, with a function moved or wrapped; a copy of a whole module is less alike than that.
NEAR_CERTAIN = 0.82
# Others than those the thresholds were chosen on.
SEEDS = range(100, 105)
FILES = {"python": ("python_errors.jsonl.gz", PYTHON), "browser": ("browser_error_events.jsonl.gz", BROWSER)}


def without_label(event: Event) -> Event:
    return {key: value for key, value in event.items() if key != "extra"}


def grouped(
    events: Iterable[Event], version: int = CURRENT_VERSION, *, both_stages: bool = False
) -> Pairwise:
    """Scored against the bugs named in `extra.case`, which grouping never sees."""
    bugs: list[str] = []
    issues: list[int] = []
    shapes: dict[int, list[VariantShape]] = {}
    for event in events:
        shape = variant_of(without_label(event)).shape
        issue = fingerprint_of(shape, version).fingerprint_hash
        bugs.append(str(event["extra"]["case"]))
        issues.append(issue)
        shapes.setdefault(issue, []).append(shape)
    joined = joins(shapes) if both_stages else {}
    return pairwise(zip(bugs, (joined.get(issue, issue) for issue in issues), strict=True))


def joins(shapes: dict[int, list[VariantShape]]) -> dict[int, int]:
    """Issues whose stacks are alike for certain, each with the one it is joined to."""
    traces = {
        issue: {trace for shape in known if (trace := trace_of(shape))} for issue, known in shapes.items()
    }
    rarity = Rarity.of(trace for known in traces.values() for trace in known)
    weighed: list[tuple[int, str, Weighed]] = [
        (issue, trace.type, Weighed(trace.places, rarity))
        for issue, known in traces.items()
        for trace in known
    ]
    target = {issue: issue for issue in shapes}
    for (left, left_type, one), (right, right_type, other) in combinations(weighed, 2):
        if left_type == right_type and similarity(one, other) >= NEAR_CERTAIN:
            keep, gone = target[left], target[right]
            target = {issue: keep if now == gone else now for issue, now in target.items()}
    return target


def report(name: str, scores: list[Pairwise], **facts: Any) -> None:
    figure(
        name,
        statistics.mean(score.f1 for score in scores),
        "pairwise F1",
        least=min(score.f1 for score in scores),
        precision=round(statistics.mean(score.precision for score in scores), 5),
        recall=round(statistics.mean(score.recall for score in scores), 5),
        events=scores[0].events,
        bugs=scores[0].bugs,
        issues=[score.issues for score in scores],
        **facts,
    )


def main() -> None:
    for data, (file, changes) in FILES.items():
        events = [read_by_grouping(event) for event in events_of(file)]
        for version in VERSIONS:
            report("grouping, labelled events", [grouped(events, version)], data=data, version=version)
        for change, make in changes.items():
            released = [evolved(events, make, seed) for seed in SEEDS]
            for version in VERSIONS:
                scores = [grouped(each, version) for each in released]
                report("grouping, evolution", scores, data=data, change=change, version=version, stages=1)
            if data == "python":  # the second stage reads no minified names
                scores = [grouped(each, both_stages=True) for each in released]
                version = CURRENT_VERSION
                report("grouping, evolution", scores, data=data, change=change, version=version, stages=2)


def read_by_grouping(event: Event) -> Event:
    """Without breadcrumbs and contexts: they need not be copied for every release."""
    return {
        key: event[key]
        for key in ("platform", "exception", "extra", "release", "server_name")
        if key in event
    }


if __name__ == "__main__":
    main()
