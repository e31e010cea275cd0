"""The second stage on changed programs and on 50,000 issues. `python -m bench.similar`"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Iterable, Iterator
from itertools import combinations
from random import Random
from typing import Any

from bench import evolution
from errata.grouping import fingerprint_of, variant_of
from errata.grouping.similar import Stack, similar_pairs
from errata.grouping.similarity import Rarity, Trace, Weighed, similarity, trace_of
from tests.errata.grouping.labelled import events_of

ISSUES = 50_000
SEEDS = range(3)

Event = dict[str, Any]


def stacks_of(events: Iterable[Event]) -> tuple[list[Stack], dict[int, str]]:
    """The distinct stacks of stage one's issues, and the bug each issue is of."""
    stacks: dict[int, Stack] = {}
    bugs: dict[int, str] = {}
    for event in events:
        bug = str(event["extra"]["case"])
        variant = variant_of({key: value for key, value in event.items() if key != "extra"})
        issue_id = fingerprint_of(variant.shape).fingerprint_hash
        bugs[issue_id] = bug
        trace = trace_of(variant.shape)
        if trace is not None:
            stacks[variant.variant_hash] = Stack(issue_id, trace, first_seen_ms=len(stacks))
    return list(stacks.values()), bugs


def figures_of(name: str, before: list[Event], after: list[Event]) -> dict[str, Any]:
    stacks, bugs = stacks_of([*before, *after])
    pairs = similar_pairs(stacks)
    joined = [pair for pair in pairs if pair.is_near_certain]
    torn = sum(1 for one, other in combinations(bugs, 2) if bugs[one] == bugs[other])
    suggested = [pair for pair in pairs if not pair.is_near_certain]
    return {
        "figure": "second stage",
        "data": name,
        "issues": len(bugs),
        "bugs": len(set(bugs.values())),
        "pairs_of_one_bug": torn,
        "joined": len(joined),
        "joined_wrongly": sum(bugs[pair.issue_id] != bugs[pair.other_issue_id] for pair in joined),
        "suggested": len(suggested),
        "suggested_wrongly": sum(bugs[pair.issue_id] != bugs[pair.other_issue_id] for pair in suggested),
        **ranks(stacks, bugs),
    }


def ranks(stacks: list[Stack], bugs: dict[int, str]) -> dict[str, float]:
    """Of all pairs of stacks of one exception type: how often one of the same bug scores higher (ROC-AUC)."""
    rarity = Rarity.of(stack.trace for stack in stacks)
    weighed = [(stack, Weighed(stack.trace.places, rarity)) for stack in stacks]
    same: list[float] = []
    other: list[float] = []
    for (one, left), (two, right) in combinations(weighed, 2):
        if one.trace.type == two.trace.type and one.issue_id != two.issue_id:
            (same if bugs[one.issue_id] == bugs[two.issue_id] else other).append(similarity(left, right))
    if not same or not other:
        return {}
    higher = sum((high > low) + (high == low) / 2 for high in same for low in other)
    return {"roc_auc": round(higher / len(same) / len(other), 3)}


def crowd(count: int, chance: Random) -> Iterator[Stack]:
    """Issues of a large program: 40 types, 4,600 places; one in ten has a near twin."""
    own = [f"app.m{n // 12} f{n}" for n in range(4_000)]
    framework = [f"framework.m{n // 20} f{n}" for n in range(600)]
    frameworks = [framework[start : start + 14] for start in range(0, 560, 7)]
    places: tuple[str, ...] = ()
    type_, template = "", ""
    for issue_id in range(1, count + 1):
        if issue_id % 10 or not places:
            places = (*chance.choices(own, k=chance.randint(3, 9)), *chance.choice(frameworks))
            type_ = f"E{int(chance.paretovariate(0.7)) % 40}"
            template = f"went wrong {issue_id}"
        else:
            places = (*places[:-10], *chance.choice(frameworks))
        yield Stack(issue_id, Trace(type_, places, template), issue_id)


def main() -> None:
    for name, events, changes in (
        ("python", events_of("python_errors.jsonl.gz"), evolution.PYTHON),
        ("browser", events_of("browser_error_events.jsonl.gz"), evolution.BROWSER),
    ):
        for change, make in changes.items():
            for seed in SEEDS:
                figures = figures_of(f"{name}, {change}", events, evolution.evolved(events, make, seed))
                print(json.dumps({**figures, "seed": seed}), flush=True)
    stacks = list(crowd(ISSUES, Random(1)))
    for name, chosen in (
        ("all of 50,000 issues", stacks),
        ("50 new among 50,000", [*(_known(stack) for stack in stacks[:-50]), *stacks[-50:]]),
    ):
        began = time.process_time()
        pairs = similar_pairs(chosen)
        print(
            json.dumps(
                {
                    "figure": "second stage, time",
                    "data": name,
                    "cpu_seconds": round(time.process_time() - began, 1),
                    "pairs": len(pairs),
                    "near_certain": sum(pair.is_near_certain for pair in pairs),
                    "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                }
            )
        )


def _known(stack: Stack) -> Stack:
    return Stack(stack.issue_id, stack.trace, stack.first_seen_ms, is_new=False)


if __name__ == "__main__":
    main()
