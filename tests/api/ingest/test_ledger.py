"""The delivery ledger over HTTP: what was delivered through /api/ingest is what it says."""

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_deliver import a_line
from tests.planted_person import lines

PATH = "/api/projects/shop/delivery"
TODAY = f"errata-{datetime.now(UTC):%Y-%m-%d}.log"
YESTERDAY = f"errata-{datetime.now(UTC) - timedelta(days=1):%Y-%m-%d}.log"


def ledger(node: IngestNode, **parameters: str) -> dict[str, Any]:
    key = {"Authorization": f"Bearer {node.account.api_key}"}
    answer = node.client.get(PATH, params=parameters, headers=key)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def tell(node: IngestNode, source: str, body: bytes = b"") -> None:
    status, answer = node.deliver(body, X_Errata_Source=source)
    assert (status, answer["rejected"]) == (200, [])


BEFORE_THE_LEDGER = (
    *("variants", "variant_issues", "variant_assignments", "names_seen", "error_events", "outcomes"),
    "rejected_items",
)


@pytest.mark.slow
def test_the_ledger_speaks_of_no_rows_that_are_not_stored(node: IngestNode) -> None:
    def deliver(name: str) -> int:
        """An error of a new variant and release, an item that is not stored, and a refused line."""
        event = {"exception": {"values": [{"type": name, "value": "x"}]}, "release": name}
        body = a_line(event) + lines({"type": "unheard_of", "payload": {}}) + b"not JSON\n"
        return node.deliver(body, X_Errata_Source=f"host=web-1; file={TODAY}; from=0; to=9; size=9")[0]

    for table in BEFORE_THE_LEDGER:
        node.admin.execute(f"alter table errata_raw.{table} add constraint full check false")
        try:
            assert deliver(table) == 503, table
        finally:
            node.admin.execute(f"alter table errata_raw.{table} drop constraint full")
        assert node.count("errata_raw.deliveries") == 0, table
    assert deliver("error_events") == 200 and node.count("errata_raw.deliveries") == 1


@pytest.mark.slow
def test_holes_ends_and_what_is_on_its_way_are_told_apart(node: IngestNode) -> None:
    tell(node, f"host=web-1; file={TODAY}; id=aaaaaaaaaaaaaaaa; from=0; to=100; size=150", a_line())
    whole = ledger(node)
    assert (whole["summary"]["is_anything_missing"], whole["summary"]["waiting_bytes"]) == (False, 50)
    assert not whole["summary"]["is_everything_delivered"]
    assert [row["state"] for row in whole["delivery"]] == ["delivering"]

    tell(node, f"host=web-1; file={TODAY}; id=aaaaaaaaaaaaaaaa; from=120; to=150; size=150", a_line() * 2)
    tell(node, f"host=web-2; file={TODAY}; id=bbbbbbbbbbbbbbbb; from=0; to=80; size=80; set_aside=2")
    tell(node, f"host=web-2; file={YESTERDAY}; from=0; to=10; size=10", a_line())
    tell(node, f"host=web-2; file={YESTERDAY}.1; from=10; to=10; size=30; end=removed")
    body = ledger(node)
    summary = body["summary"]
    assert summary["missing_hosts"] == ["web-1", "web-2"]
    assert (summary["gap_count"], summary["cut_off_count"], summary["missing_bytes"]) == (1, 1, 40)
    assert summary["written_bytes"] == summary["delivered_bytes"] + summary["missing_bytes"] == 260
    assert (summary["accepted_count"], summary["set_aside_count"], summary["host_count"]) == (4, 2, 2)
    found = [
        (row["host"], row["file"], row["state"], row["file_end"], row["gaps"]) for row in body["delivery"]
    ]
    assert found == [
        ("web-1", TODAY, "missing", "", [{"from": 100, "to": 120}]),
        ("web-2", YESTERDAY, "missing", "removed", [{"from": 10, "to": 30}]),
        ("web-2", TODAY, "complete", "", []),
    ]
    assert [row["host"] for row in ledger(node, host="web-1")["delivery"]] == ["web-1"]
    assert ledger(node, host="web-1")["summary"]["missing_bytes"] == 20
    assert ledger(node, host="nobody")["delivery"] == []

    tell(node, f"host=web-1; file={TODAY}; id=aaaaaaaaaaaaaaaa; from=100; to=120; size=150", a_line())
    assert ledger(node, host="web-1")["summary"]["is_everything_delivered"]


@pytest.mark.slow
def test_pages_of_the_ledger_hold_every_file_once_and_csv_holds_all(node: IngestNode) -> None:
    for number in range(7):
        tell(node, f"host=web:{number} é; file={TODAY}; from={number % 2}; to=9; size=9", a_line())
    first = ledger(node, limit="3")
    assert [row["state"] for row in first["delivery"]] == ["missing"] * 3
    second = ledger(node, limit="3", cursor=first["next_cursor"])
    third = ledger(node, limit="3", cursor=second["next_cursor"])
    assert third["next_cursor"] is None
    listed = [row["host"] for page in (first, second, third) for row in page["delivery"]]
    assert sorted(listed) == [f"web:{number} é" for number in range(7)]

    key = {"Authorization": f"Bearer {node.account.api_key}"}
    answer = node.client.get(PATH, params={"format": "csv"}, headers=key)
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["host"] for row in rows] == listed
    assert [row["gaps"] for row in rows] == ["0-1"] * 3 + [""] * 4
    assert set(rows[0]) == set(first["delivery"][0])
