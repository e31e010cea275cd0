"""What SDKs discarded before sending, by their own reports, is counted by category and reason."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.ingest.client_report import CATEGORIES, MOST_QUANTITY, OTHER, REASONS, discarded
from tests.api.ingest.conftest import IngestNode

OUTCOMES = """
    select item_type, outcome, reason, item_count from errata_raw.outcomes order by item_type, outcome, reason
"""
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["error", "sample_rate", "x"])
)
JSON = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), SCALARS)
ENTRIES = st.dictionaries(st.sampled_from(["category", "reason", "quantity", "x"]), JSON)


def test_a_report_is_counted_and_nothing_of_it_is_stored(node: IngestNode) -> None:
    report = {
        "timestamp": 1764000000.0,
        "discarded_events": [
            {"reason": "sample_rate", "category": "transaction", "quantity": 40},
            {"reason": "queue_overflow", "category": "error", "quantity": 2},
            {"reason": "queue_overflow", "category": "error", "quantity": 1},
            {"reason": "of our own", "category": "cookies", "quantity": 5},
            {"reason": "sample_rate", "category": "error", "quantity": -1},
            {"reason": "sample_rate", "category": "error", "quantity": True},
        ],
    }
    line = json.dumps({"type": "client_report", "payload": report}).encode()
    for _ in range(2):
        # Delivered again, it counts once where outcomes are read; here are both copies.
        assert node.deliver(line)[1]["accepted"] == 1
    found = [tuple(row.values()) for row in node.admin.rows(OUTCOMES)]
    assert found == sorted(
        2
        * [
            ("error", "client_discard", "queue_overflow", 3),
            ("other", "client_discard", "other", 5),
            ("transaction", "client_discard", "sample_rate", 40),
        ]
    )


@pytest.mark.parametrize("payload", [{}, {"discarded_events": None}, {"discarded_events": [1, "x", []]}])
def test_a_report_of_nothing_counts_nothing(node: IngestNode, payload: dict[str, Any]) -> None:
    line = json.dumps({"type": "client_report", "payload": payload}).encode()
    assert node.deliver(line)[1]["accepted"] == 1
    assert node.admin.rows(OUTCOMES) == []


@given(
    st.dictionaries(st.sampled_from(["discarded_events", "filtered_events", "x"]), JSON | st.lists(ENTRIES))
)
def test_whatever_a_report_holds_only_names_of_the_protocol_are_counted(payload: dict[str, Any]) -> None:
    for (category, reason), count in discarded(payload).items():
        assert category in CATEGORIES | {OTHER} and reason in REASONS | {OTHER}
        assert 0 < count <= 2 * 200 * MOST_QUANTITY
