"""Whatever shape a payload has: no error, and only rows that the warehouse takes."""

import copy
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from api.ingest.item import Item
from api.ingest.telemetry import TYPES, rows_of
from tests.captures import GENERATIONS, an_item, browser_items, payloads
from tests.cases import each
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

NOW = datetime.now(UTC)
JUNK: list[Any] = [None, True, -1, 0, 1 << 70, -(1 << 70), 1e308, -0.5, 1e-9, "", "x" * 5000, "\x00", "é😀"]
JUNK += [
    [],
    {},
    [None],
    [[]],
    {"value": {}},
    {"": None},
    "nan",
    "2026-13-45",
    "http://[::1",
    "https://a:b@c/d?e",
]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container and key below a payload."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        pairs: list[tuple[Any, Any]] = list(value.items())
    else:
        pairs = list(enumerate(value)) if isinstance(value, list) else []
    for key, inner in pairs:
        found.append((value, key))
        found.extend(places(inner))
    return found


def some_items() -> list[Item]:
    kinds: dict[tuple[str, str], list[Item]] = {}
    for generation in GENERATIONS:
        for item in browser_items(generation):
            kinds.setdefault((generation, item.type), []).append(item)
    items = [item for found in kinds.values() for item in found[:2]]
    items += [an_item("transaction", payload) for payload in list(payloads("python_transactions"))[:3]]
    items += [
        an_item(sent["headers"]["type"], sent["payload"], headers=sent["headers"])
        for sent in payloads("javascript_items")
    ]
    return items


@pytest.mark.slow
def test_damaged_payloads_make_rows_or_none_but_no_error(warehouse: WarehouseProcess) -> None:
    random_ = random.Random(5)
    batches = []
    for item in some_items():
        for _ in range(25):
            payload = copy.deepcopy(item.payload)
            for container, key in random_.sample(found := places(payload), min(3, len(found))):
                container[key] = random_.choice(JUNK)
            batches.append(rows_of(replace(item, payload=payload), NOW))
    for rows in batches:
        # As the writer does: what JSON cannot say must not be in a row.
        msgspec.json.decode(msgspec.json.encode(rows))
    store(warehouse, *batches)


@each("item_type", sorted(TYPES))
@each("junk", JUNK, ids=repr)
def test_a_payload_of_nothing_but_junk_is_no_error(item_type: str, junk: Any) -> None:
    names = ("spans", "items", "contexts", "request", "aggregates", "attrs", "start_timestamp", "timestamp")
    for name in names:
        rows_of(an_item(item_type, {name: junk}, headers={"event_id": junk}), NOW)


@each(
    ("start", "is_corrected"),
    [(0.0, True), (4102444800.0, True), (NOW.timestamp() - 7200, True), (NOW.timestamp() - 600, False)],
    ids=["1970", "2100", "two hours off", "ten minutes ago"],
)
def test_impossible_clocks_are_corrected_and_durations_stay(start: float, is_corrected: bool) -> None:
    payload = {
        "event_id": "a" * 32,
        "transaction": "/cart",
        "transaction_info": {"source": "url"},
        "start_timestamp": start,
        "timestamp": start + 2.5,
        "contexts": {"trace": {"trace_id": "b" * 32, "span_id": "c" * 16, "op": "pageload"}},
    }
    logged_at = NOW - timedelta(minutes=5)
    (row,) = rows_of(an_item("transaction", payload, logged_at=logged_at), NOW)["errata_raw.page_views"]
    expected = logged_at if is_corrected else datetime.fromtimestamp(start, UTC)
    assert row["occurred_at"] == expected.replace(tzinfo=None).isoformat(" ", "milliseconds")
    assert row["is_clock_corrected"] is is_corrected
    assert row["duration_ms"] == 2500
    assert row["item_id"] == "a" * 32


def test_the_moment_that_counts_depends_on_the_line_alone() -> None:
    for generation in GENERATIONS:
        for item in list(browser_items(generation))[:40]:
            later = NOW + timedelta(days=3)
            if item.type != "replay_recording":
                assert rows_of(item, NOW) == rows_of(item, later)
