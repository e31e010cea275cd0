"""Numbers out of bounds are dropped and counted; what came with them stays."""

import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from api.ingest.bounds import BOUNDS, MOMENTS_OF_VIEW, OUT_OF_BOUNDS
from api.ingest.telemetry import rows_of
from tests.api.ingest.conftest import IngestNode
from tests.captures import GENERATIONS, an_item, browser_items, payloads
from tests.cases import each

NOW = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
STARTED = NOW.timestamp() - 60
MIGRATIONS = Path(__file__).parents[3] / "warehouse_sql" / "migrations"
IMPOSSIBLE = [1e12, 1e308, -1, -1e308, 1 << 62, 1 << 80, "2500", "nan", True, [], {}]


def a_load(**values: Any) -> dict[str, Any]:
    return {
        "event_id": "a" * 32,
        "transaction": "/cart",
        "transaction_info": {"source": "route"},
        "start_timestamp": STARTED,
        "timestamp": STARTED + 2.5,
        "contexts": {"trace": {"trace_id": "b" * 32, "span_id": "c" * 16, "op": "pageload"}},
        "measurements": {"lcp": {"value": 1200.5}, "fcp": {"value": 900}},
        **values,
    }


def a_span(op: str, number: int, **values: Any) -> dict[str, Any]:
    return {
        "op": op,
        "span_id": f"{number:016x}",
        "start_timestamp": STARTED,
        "timestamp": STARTED + 1,
        **values,
    }


def made(item_type: str, payload: dict[str, Any]) -> tuple[dict[str, list[dict[str, Any]]], int]:
    outcomes: Counter[str] = Counter()
    rows = rows_of(an_item(item_type, payload, logged_at=NOW), NOW, outcomes)
    assert set(outcomes) <= {OUT_OF_BOUNDS}
    return rows, outcomes[OUT_OF_BOUNDS]


@each("vital", ["lcp", "fcp", "fp", "ttfb", "inp", "cls"])
@each("value", IMPOSSIBLE, ids=repr)
def test_an_impossible_vital_is_dropped_alone_and_counted(vital: str, value: Any) -> None:
    column = "cls" if vital == "cls" else f"{vital}_ms"
    rows, dropped = made("transaction", a_load(measurements={vital: {"value": value}, "other": {"value": 1}}))
    (row,) = rows["errata_raw.page_views"]
    assert column not in row
    assert row["page"] == "/cart"
    assert row["duration_ms"] == 2500
    assert dropped == 1


def test_a_part_of_long_ago_is_left_out_and_counted() -> None:
    spans = [a_span("http.client", number, description="GET /api/cart") for number in (1, 2)]
    spans[1] |= {"start_timestamp": 1.0, "timestamp": 1.5}
    outcomes: Counter[str] = Counter()
    rows = rows_of(an_item("transaction", a_load(spans=spans), logged_at=None), NOW, outcomes)
    assert [row["span_id"] for row in rows["errata_raw.requests"]] == [1]
    assert outcomes == {OUT_OF_BOUNDS: 1}


def test_minus_zero_is_zero() -> None:
    rows, dropped = made("transaction", a_load(measurements={"cls": {"value": -0.0}}))
    assert str(rows["errata_raw.page_views"][0]["cls"]) == "0.0"
    assert dropped == 0


@each("order", [1, -1], ids=["good one last", "good one first"])
def test_an_impossible_shift_does_not_hide_a_possible_one(order: int) -> None:
    values = [1e12, 0.25, -3, 0.125][::order]
    spans = [
        a_span("ui.webvital.cls", number, data={"browser.web_vital.cls.value": value})
        for number, value in enumerate(values, 1)
    ]
    rows, _ = made("transaction", a_load(spans=spans))
    assert rows["errata_raw.page_views"][0]["cls"] == 0.25


@each("bytes_", IMPOSSIBLE[:-3], ids=repr)
def test_an_impossible_size_or_status_is_dropped_alone(bytes_: Any) -> None:
    told = {"url.full": "https://shop.example/a.js", "http.response.size": bytes_}
    told["http.response.status_code"] = -5
    rows, dropped = made("transaction", a_load(spans=[a_span("resource.script", 1, data=told)]))
    (row,) = rows["errata_raw.page_resources"]
    assert "transfer_bytes" not in row
    assert "status_code" not in row
    assert row["duration_ms"] == 1000
    # The status twice: of the resource and of its span.
    assert dropped == 3


def test_a_call_without_a_possible_duration_is_not_measured_and_the_rest_stays() -> None:
    spans = [
        a_span("http.client", 1, timestamp=STARTED + 90_000),
        a_span("http.client", 2),
        a_span("browser.load_event", 3, timestamp=STARTED + 90_000),
    ]
    rows, dropped = made("transaction", a_load(spans=spans))
    assert [row["span_id"] for row in rows["errata_raw.requests"]] == [2]
    assert [row["duration_ms"] for row in rows["errata_raw.page_resources"]] == [1000]
    assert len(rows["errata_raw.spans"]) == 4
    (view,) = rows["errata_raw.page_views"]
    assert view["call_ms"] == [1000]
    assert "load_at_ms" not in view
    assert dropped == 4


@each("count", [-1, 1 << 40, "7", 2.5e300], ids=repr)
def test_counts_of_sessions_have_bounds(count: Any) -> None:
    aggregates = [{"started": NOW.timestamp(), "exited": count, "crashed": 2}]
    rows, dropped = made("sessions", {"attrs": {"release": "shop@1"}, "aggregates": aggregates})
    assert [(row["status"], row["session_count"]) for row in rows["errata_raw.sessions"]] == [("crashed", 2)]
    assert dropped == 1


def test_a_segment_of_an_impossible_number_is_not_taken_for_the_first() -> None:
    rows, dropped = made("replay_event", {"replay_id": "d" * 32, "segment_id": 1 << 31})
    assert (rows["errata_raw.replay_segments"], dropped) == ([], 1)


def test_what_real_browsers_and_servers_measured_is_within_bounds() -> None:
    items = [item for generation in GENERATIONS for item in browser_items(generation)]
    items += [an_item("transaction", payload) for payload in payloads("python_transactions")]
    outcomes: Counter[str] = Counter()
    for item in items:
        rows_of(item, NOW, outcomes)
    assert not outcomes


@each("table", sorted(BOUNDS))
def test_every_number_of_a_table_has_bounds(table: str) -> None:
    (create,) = [
        text for file in MIGRATIONS.glob("*.sql") if f"create table {table}\n" in (text := file.read_text())
    ]
    numbers = set(re.findall(r"^    (\w+) (?:UInt|Int|Float)\d+\b", create, re.M))
    bounded = {bound.column for bound in BOUNDS[table]} | set(MOMENTS_OF_VIEW)
    ids = {"project_id", "view_id", "span_id", "parent_span_id", "user_hash"}
    if table == "errata_raw.spans":
        ids.add("segment_id")
    if table == "errata_raw.logs":
        # Ours: which of the container's records it is.
        ids.add("position")
    assert numbers - bounded - ids == set()


def test_the_ledger_of_outcomes_says_how_many_values_were_dropped(node: IngestNode) -> None:
    now = datetime.now(UTC).timestamp()
    measurements = {"lcp": {"value": 1e15}, "cls": {"value": -1}}
    load = a_load(measurements=measurements, start_timestamp=now - 3, timestamp=now)
    status, answer = node.deliver(msgspec.json.encode({"type": "transaction", "payload": load}))
    assert (status, answer["accepted"]) == (200, 1)
    assert node.admin.rows("select item_type, outcome, item_count from errata_raw.outcomes") == [
        {"item_type": "transaction", "outcome": OUT_OF_BOUNDS, "item_count": 2}
    ]
    (view,) = node.admin.rows("select isNaN(lcp_ms) as bare, isNaN(cls) as still from errata_raw.page_views")
    assert view == {"bare": True, "still": True}
