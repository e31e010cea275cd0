"""The delivery page says what was not stored as it was sent."""

import time
from datetime import UTC, datetime
from uuid import uuid4

import msgspec
import pytest

from api.ingest.names import KINDS, OTHER
from dashboards.shared.outcomes import KINDS as WORDS_OF_KINDS
from dashboards.shared.outcomes import changed
from errata.filters import FILTERS
from errata.warehouse.queries.delivery.ledger import OutcomeRow
from tests.dashboards.conftest import Site
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess


def a_load(page: str, lcp: float) -> bytes:
    now = time.time()
    trace = {"trace_id": uuid4().hex, "span_id": uuid4().hex[:16], "op": "pageload"}
    payload = {
        "event_id": uuid4().hex,
        "transaction": page,
        "transaction_info": {"source": "route"},
        "start_timestamp": now - 2,
        "timestamp": now,
        "contexts": {"trace": trace},
        "measurements": {"lcp": {"value": lcp}},
    }
    return msgspec.json.encode({"type": "transaction", "payload": payload})


@pytest.mark.slow
def test_dropped_values_and_names_stored_as_others_are_told(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    live_site.tell("host=web-1; file=errata-2026-11-21.log; id=9f86d081884c7d65; from=0; to=10; size=10")
    assert "Not stored as sent" not in client.get("/projects/shop/delivery").text
    live_site.deliver([a_load("/cart", 1e12), a_load("/cart", -1)])
    for start in range(0, 2100, 700):
        live_site.deliver([a_load(f"/page-{number}", 900) for number in range(start, start + 700)])
    build_performance(warehouse)
    html = client.get("/projects/shop/delivery").text
    assert "Impossible numbers dropped" in html
    assert "Page names stored as (other)" in html
    pages = client.get("/projects/shop/performance?sort=-view_count").text
    assert "groups names beyond the project's daily limit" in pages
    key = {"Authorization": f"Bearer {live_site.account.api_key}"}
    told = client.get("/api/projects/shop/delivery", headers=key).json()["outcomes"]
    # 2,000 new names a day, /cart among them.
    assert {row["outcome"]: row["item_count"] for row in told} == {
        "other_page": 101,
        "value_out_of_bounds": 2,
    }
    assert OTHER in pages
    # A table of thousands of rows would be megabytes.
    assert "Showing 500 of 2,001" in pages
    assert pages.count('title="Open page details"') == 500


def test_every_kind_of_name_has_words() -> None:
    assert {kind for columns in KINDS.values() for _, kind in columns} | {"tag"} == set(WORDS_OF_KINDS)


def test_what_was_filtered_is_told_by_filter() -> None:
    row = OutcomeRow("filtered", 3, datetime.now(UTC), reason="web-crawlers")
    assert (changed(row).title, "Inbound filters" in changed(row).advice) == ("Filtered: Web crawlers", True)
    titles = {changed(OutcomeRow("filtered", 1, row.last_received_at, reason=kind)).title for kind in FILTERS}
    assert len(titles) == len(FILTERS)
    # Of a kind that a later version knew.
    assert changed(OutcomeRow("filtered", 1, row.last_received_at, reason="new")).title == "Filtered: new"
