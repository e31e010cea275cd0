"""Real events labelled with their bugs, and how well grouping finds these."""

import copy
import gzip
import json
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

from errata.grouping import fingerprint_of, variant_of

DATA = Path(__file__).parents[2] / "data"

Event = dict[str, Any]


def events_of(name: str) -> list[Event]:
    with gzip.open(DATA / name) as lines:
        return [json.loads(line) for line in lines]


def score(events: Iterable[Event]) -> dict[str, int]:
    """Issues found against the bugs named in `extra.case`, which grouping never sees."""
    pairs: Counter[tuple[str, int]] = Counter()
    for event in events:
        bug = str(event["extra"]["case"])
        unlabelled = {key: value for key, value in event.items() if key != "extra"}
        pairs[bug, fingerprint_of(variant_of(unlabelled).shape).fingerprint_hash] += 1
    mixed = split = 0
    for (left, left_count), (right, right_count) in combinations(pairs.items(), 2):
        mixed += left_count * right_count * (left[1] == right[1])
        split += left_count * right_count * (left[0] == right[0])
    return {
        "events": pairs.total(),
        "bugs": len({bug for bug, _ in pairs}),
        "issues": len({issue for _, issue in pairs}),
        "mixed_pairs": mixed,
        "split_pairs": split,
    }


def bugs_of(events: Iterable[Event]) -> list[Event]:
    return list({event["extra"]["case"]: event for event in events}.values())


def twins(events: Iterable[Event]) -> list[Event]:
    """Each bug and another one on another line of the same function."""
    return [
        event
        for bug in events
        for event in (
            bug,
            changed(bug, "total(order)", "order has no total", bug["extra"]["case"] + ", twin"),
        )
    ]


def free_words(events: Iterable[Event]) -> list[Event]:
    """Each bug with messages that name other people."""
    people = ("ada", "grace hopper", "barbara", "edsger", "tony hoare", "alan")
    return [
        changed(bug, None, f"no order of {name}", bug["extra"]["case"]) for bug in events for name in people
    ]


def changed(event: Event, line: str | None, message: str, bug: str) -> Event:
    copied: Event = copy.deepcopy(event)
    exception = copied["exception"]["values"][-1]
    if line:
        in_app = [frame for frame in exception["stacktrace"]["frames"] if frame.get("in_app")]
        in_app[-1]["context_line"] = line
    exception["value"] = message
    copied["extra"]["case"] = bug
    return copied
