"""Speed and score of grouping on real events: one JSON line a figure. `python -m bench.grouping`"""

from __future__ import annotations

import copy
import json
import statistics
from collections.abc import Callable, Iterable
from time import perf_counter_ns, process_time_ns

import msgspec

from bench.figures import figure
from errata.grouping import VERSIONS, fingerprint_of, variant_of
from tests.errata.grouping.java_stacks import as_library, events_of_stacks, is_held_out
from tests.errata.grouping.labelled import Event, bugs_of, events_of, free_words, score, twins
from tests.errata.grouping.pairwise import pairwise

ROUNDS = 20


def without_source(events: Iterable[Event]) -> list[Event]:
    copied = copy.deepcopy(list(events))
    for event in copied:
        for exception in event["exception"]["values"]:
            for frame in exception["stacktrace"]["frames"]:
                frame.pop("context_line", None)
    return copied


def median_us(action: Callable[[Event], object], events: list[Event], rounds: int) -> float:
    taken = []
    for event in events * rounds:
        start = perf_counter_ns()
        action(event)
        taken.append(perf_counter_ns() - start)
    return round(statistics.median(taken) / 1000, 1)


def found_bugs(data: str, events: list[Event]) -> None:
    """What each version makes of events whose bugs were reached in several ways."""
    shapes = [(event["extra"]["case"], variant_of({**event, "extra": {}}).shape) for event in events]
    for version in VERSIONS:
        score = pairwise((bug, fingerprint_of(shape, version).fingerprint_hash) for bug, shape in shapes)
        facts = {"precision": score.precision, "recall": score.recall, "events": score.events}
        facts |= {"bugs": score.bugs, "issues": score.issues}
        figure(
            "grouping, bugs reached in several ways",
            score.f1,
            "pairwise F1",
            data=data,
            version=version,
            **facts,
        )


def stage_one_cpu(data: str, events: list[Event], version: int) -> None:
    """CPU of stage one beside that of decoding: each event's variant, and the fingerprint of each variant."""
    encoded = [json.dumps(event).encode() for event in events]
    decode = msgspec.json.Decoder().decode
    decoding, grouping = [], []
    for _ in range(ROUNDS):
        start = process_time_ns()
        decoded = [decode(event) for event in encoded]
        between = process_time_ns()
        shapes = {variant.variant_hash: variant.shape for variant in map(variant_of, decoded)}
        for shape in shapes.values():
            fingerprint_of(shape, version)
        decoding.append(between - start)
        grouping.append(process_time_ns() - between)
    # The least of the rounds: other processes share the caches, and only ever add.
    per_event = min(grouping) / len(events) / 1000
    facts = {
        "data": data,
        "version": version,
        "events": len(events),
        "ratio_to_decoding": round(min(grouping) / min(decoding), 3),
    }
    figure("stage one, CPU per event", per_event, "µs", **facts)


def main() -> None:
    python = events_of("python_errors.jsonl.gz")
    browser = events_of("browser_error_events.jsonl.gz")
    bugs = bugs_of(python)
    scored = (
        ("python", python),
        ("browser, minified", browser),
        ("python, two bugs in a function", twins(bugs)),
        ("python, two bugs in a function, no source", without_source(twins(bugs))),
        ("python, free words in messages", free_words(bugs)),
        ("python, free words in messages, no source", without_source(free_words(bugs))),
        ("python, source on one server of two", bugs + without_source(bugs)),
    )
    for name, events in scored:
        print(json.dumps({"figure": "grouping score", "data": name, **score(events)}))
    javascript = events_of("javascript_errors.jsonl.gz")
    issues = {fingerprint_of(variant_of(event).shape).fingerprint_hash for event in javascript}
    figure = {"figure": "grouping score", "data": "javascript, unlabelled", "events": len(javascript)}
    print(json.dumps({**figure, "issues": len(issues)}))
    java = events_of_stacks()
    engines = events_of("engine_errors.jsonl.gz")
    native = events_of("native_crashes.jsonl.gz")
    found_bugs(
        "java, bugs the rules were chosen on",
        [each for each in java if not is_held_out(each["extra"]["case"])],
    )
    held_out = [each for each in java if is_held_out(each["extra"]["case"])]
    found_bugs("java, held out", held_out)
    found_bugs("java, held out, of a library", [as_library(each) for each in held_out])
    for build in ("plain", "minified"):
        found_bugs(f"three engines, {build}", [each for each in engines if each["extra"]["build"] == build])
    found_bugs("native crashes", native)
    for name, events in (("python", python), ("browser", browser), ("java", java), ("native", native)):
        for version in VERSIONS:
            stage_one_cpu(name, events, version)
    shapes: list[Event] = [{"shape": variant_of(event).shape} for event in python]
    taken = median_us(lambda event: fingerprint_of(event["shape"]), shapes, 1)
    print(json.dumps({"figure": "fingerprint_of", "data": "python", "median_us": taken}))


if __name__ == "__main__":
    main()
