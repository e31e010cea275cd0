import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from bench.grouping import score
from errata.grouping import fingerprint_of, variant_of

DATA = Path(__file__).parents[2] / "data"


def events_of(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / name) as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("name", "bugs"),
    [("python_errors.jsonl.gz", 27), ("browser_error_events.jsonl.gz", 14)],
    ids=["python", "browser"],
)
def test_each_labelled_bug_is_one_issue(name: str, bugs: int) -> None:
    result = score(events_of(name))

    assert result["issues"] == result["bugs"] == bugs
    assert (result["mixed_pairs"], result["split_pairs"]) == (0, 0)


def test_the_label_plays_no_part() -> None:
    event = events_of("python_errors.jsonl.gz")[0]
    relabelled = {**event, "extra": {"case": "another"}}

    assert variant_of(event) == variant_of(relabelled)


def test_javascript_events_of_one_message_and_place_are_one_issue() -> None:
    places: dict[tuple[str, str], set[int]] = {}
    for event in events_of("javascript_errors.jsonl.gz"):
        variant = variant_of(event)
        found = fingerprint_of(variant.shape).fingerprint_hash
        places.setdefault((variant.title, variant.culprit), set()).add(found)

    assert {len(found) for found in places.values()} <= {1, 2}
