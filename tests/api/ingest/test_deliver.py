"""POST /api/ingest against a real warehouse: every answer of the wire, and what is stored."""

import gzip
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import pytest
from backports import zstd
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.api.ingest.conftest import IngestNode
from tests.processes import WarehouseProcess

DATA = Path(__file__).parents[2] / "data"
EVENTS = "errata_raw.error_events"
HOSTILE_SOURCES = [
    "host=; file=; from=; to=; size=; id=; end=; set_aside=",
    ";;;=;==;host",
    "host=h; file=f; from=900; to=10; size=5",
    "host=h; file=f; from=-1; to=999999999999999999; size=1e9; set_aside=99999999999",
    "host=h; file=f; from=0; to=²; id=zzz; end=maybe",
    "host=" + "h" * 9_000 + "; file=" + "../" * 9_000,
    "host=\x80\xff{}'\"\\; file=errata-9999-99-99.log; from=0; to=5; size=3",
]


def a_line(payload: dict[str, Any] | None = None, **changes: Any) -> bytes:
    now = datetime.now(UTC).isoformat()
    item = {"type": "event", "logged_at": now, "payload": {**an_event(), **(payload or {})}, **changes}
    return json.dumps(item).encode() + b"\n"


def an_event() -> dict[str, Any]:
    return {
        "event_id": uuid4().hex,
        "timestamp": datetime.now(UTC).isoformat(),
        "exception": {"values": [{"type": "KeyError", "value": "'discount'"}]},
        "user": {"id": 7},
        "tags": {"plan": "free"},
    }


def real_events(name: str) -> list[bytes]:
    now = datetime.now(UTC)
    with gzip.open(DATA / name) as lines:
        return [a_line({**json.loads(line), "timestamp": now.isoformat()}) for line in lines]


@pytest.mark.slow
def test_every_real_event_is_stored_scrubbed_and_readable(node: IngestNode) -> None:
    lines = real_events("python_errors.jsonl.gz") + real_events("javascript_errors.jsonl.gz")
    for start in range(0, len(lines), 100):
        status, answer = node.deliver(
            zstd.compress(b"".join(lines[start : start + 100])), Content_Encoding="zstd"
        )
        assert (status, answer["rejected"]) == (200, [])
        assert answer["accepted"] == len(lines[start : start + 100])
    stored = node.admin.rows(f"select payload, type, message, release from {EVENTS}")
    assert len(stored) == 405
    for row in stored:
        payload = json.loads(row["payload"])
        assert "[Filtered]" not in row["payload"]
        assert payload["event_id"]
    assert node.count("errata_raw.variants") >= 27
    assert node.count("errata_raw.variants") == node.count("errata_raw.variant_issues")


def test_an_event_whose_id_is_nothing_but_zeros_gets_one_of_its_content(node: IngestNode) -> None:
    line = a_line({"event_id": "0" * 32})
    for _ in range(2):
        node.deliver(line)
    node.deliver(a_line({"event_id": "0" * 32, "message": "another"}))
    ids = {str(row["item_id"]) for row in node.admin.rows(f"select item_id from {EVENTS}")}
    assert len(ids) == 2 and not any(one.startswith("00000000-0000") for one in ids)


def test_the_browser_is_told_by_the_user_agent_where_no_context_names_it(node: IngestNode) -> None:
    chrome = (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0"
    )
    node.deliver(
        a_line({"request": {"headers": {"user-agent": chrome}}})
        + a_line(
            {"request": {"headers": [["User-Agent", chrome]]}, "contexts": {"browser": {"name": "Brave"}}}
        )
        + a_line({"request": {"headers": [7, None, ["User-Agent"]]}, "contexts": {"browser": "x"}})
    )
    rows = node.admin.rows(f"select browser, os, device from {EVENTS} order by browser")
    assert [tuple(row.values()) for row in rows] == [
        ("", "", ""),
        ("Brave", "Windows", "desktop"),
        ("Chrome", "Windows", "desktop"),
    ]


def test_a_bad_line_does_not_cost_its_neighbours(node: IngestNode) -> None:
    body = (
        a_line()
        + b"not json\n\n"
        + b'{"type": "event"}\n'
        + a_line(app_key="errata_app_unknown")
        + b'{"type": "event", "payload": {"message": "'
        + b"x" * (10 << 20)
        + b'"}}\n'
        + b'{"type":"event","payload":'
        + b'{"a":' * 400
        + b"1"
        + b"}" * 401
        + b"\n"
        + a_line({"message": "\0 in a string"})
        + b'{"type": "event", "payload": {"message": "half \\ud83d"}}\n'
    )
    status, answer = node.deliver(body)
    assert status == 200
    assert answer["accepted"] == 3
    assert [(line["line"], line["reason"]) for line in answer["rejected"]] == [
        (2, "invalid_json"),
        (4, "invalid_item"),
        (5, "application_not_found"),
        (6, "line_too_large"),
        (7, "invalid_item"),
    ]
    assert node.count(EVENTS) == 3
    kept = node.admin.rows("select reason, byte_count, masked from errata_raw.rejected_items order by line")
    assert [row["reason"] for row in kept] == [line["reason"] for line in answer["rejected"]]
    assert kept[0]["masked"] == "xxx xxxx"
    assert "errata_app_unknown" not in kept[2]["masked"] and '"app_key": *' in kept[2]["masked"]


@pytest.mark.parametrize(
    ("headers", "status", "error"),
    [
        pytest.param({"Authorization": ""}, 401, "invalid_api_key", id="empty key"),
        pytest.param({"Authorization": "Bearer errata_api_wrong"}, 401, "invalid_api_key", id="unknown key"),
        pytest.param({"Authorization": "Bearer {app_key}"}, 401, "invalid_api_key", id="the application key"),
        pytest.param(
            {"Authorization": "Bearer {api_key} x"}, 401, "invalid_api_key", id="white space inside"
        ),
        pytest.param(
            {"X_Errata_App_Key": "errata_app_x"}, 404, "application_not_found", id="unknown application"
        ),
        pytest.param(
            {"X_Errata_App_Key": "{api_key}"}, 404, "application_not_found", id="the API key as application"
        ),
        pytest.param({"Content_Encoding": "br"}, 415, "unsupported_encoding", id="brotli"),
        pytest.param({"Content_Encoding": "gzip"}, 400, "invalid_batch", id="not gzip"),
    ],
)
def test_a_request_that_is_wrong_as_a_whole_stores_nothing(
    node: IngestNode, headers: dict[str, str], status: int, error: str
) -> None:
    keys = {"api_key": node.account.api_key, "app_key": node.account.app_key}
    answered, answer = node.deliver(
        a_line(), **{name: value.format(**keys) for name, value in headers.items()}
    )
    assert (answered, answer["error"]) == (status, error)
    assert set(answer) == {"error", "message", "request_id"}
    assert node.count(EVENTS) == 0


def test_bodies_over_the_limits_are_refused(node: IngestNode) -> None:
    assert node.deliver(gzip.compress(bytes(100 << 20)), Content_Encoding="gzip")[0] == 413
    assert node.deliver(bytes(17 << 20))[0] == 413
    assert node.deliver(b"{}\n" * 10_001)[0] == 413
    half = gzip.compress(a_line() * 50)
    assert node.deliver(half[: len(half) // 2], Content_Encoding="gzip")[0] == 400


def test_lines_without_any_application_are_not_found(node: IngestNode) -> None:
    status, answer = node.deliver(a_line() + a_line(app_key="errata_app_x"), X_Errata_App_Key="")
    assert (status, answer["error"], answer["message"]) == (
        404,
        "application_not_found",
        "Application Not Found",
    )
    status, answer = node.deliver(a_line(app_key=node.account.app_key) + a_line(), X_Errata_App_Key="")
    assert (status, answer["accepted"], len(answer["rejected"])) == (200, 1, 1)


def test_an_empty_body_is_accepted_as_nothing(node: IngestNode) -> None:
    status, answer = node.deliver(b"\n \n")
    assert (status, answer["accepted"], answer["rejected"]) == (200, 0, [])


def test_an_item_that_holds_nothing_to_store_is_accepted_and_named(node: IngestNode) -> None:
    body = (
        a_line({"aggregates": [{"started": "2026-11-20T10:00:00Z", "exited": 0}]}, type="sessions")
        + a_line({"aggregates": {}}, type="sessions")
        + a_line({"version": 2, "items": "none"}, type="span")
        + a_line({"transaction": "of no trace"}, type="transaction")
    )
    status, answer = node.deliver(body)
    assert (status, answer["accepted"], answer["rejected"]) == (200, 4, [])
    counted = node.admin.rows(
        "select item_type, outcome, item_count from errata_raw.outcomes order by item_type"
    )
    assert [tuple(row.values()) for row in counted] == [
        ("sessions", "nothing_to_store", 2),
        ("span", "nothing_to_store", 1),
        ("transaction", "nothing_to_store", 1),
    ]


def test_types_not_stored_yet_and_old_items_are_accepted_and_counted(node: IngestNode) -> None:
    old = (datetime.now(UTC) - timedelta(days=200)).isoformat()
    body = (
        a_line(type="statsd")
        + a_line(type="statsd")
        + a_line(type="profile", payload={"items": []})
        + a_line(logged_at=old)
        + a_line({"timestamp": 0}, logged_at=None)
    )
    status, answer = node.deliver(body, X_Errata_Batch_Id="b-1")
    assert (status, answer["batch_id"], answer["accepted"]) == (200, "b-1", 5)
    counted = node.admin.rows(
        "select item_type, outcome, item_count from errata_raw.outcomes order by item_type, outcome"
    )
    assert [tuple(row.values()) for row in counted] == [
        ("event", "too_old", 2),
        ("profile", "not_stored_yet", 1),
        ("statsd", "not_stored_yet", 2),
    ]
    assert node.count(EVENTS) == 0


def test_impossible_clocks_are_corrected_by_the_line(node: IngestNode) -> None:
    node.deliver(a_line({"timestamp": 0}) + a_line({"timestamp": "2100-01-01T00:00:00Z"}))
    rows = node.admin.rows(
        "select is_clock_corrected, abs(dateDiff('second', occurred_at, received_at)) < 60 as is_near "
        f"from {EVENTS}"
    )
    assert rows == [{"is_clock_corrected": True, "is_near": 1}] * 2


@pytest.mark.slow
def test_clocks_ahead_of_receipt_are_corrected_in_every_row(node: IngestNode) -> None:
    ahead = datetime.now(UTC) + timedelta(days=400)
    later = {"timestamp": ahead.timestamp(), "start_timestamp": ahead.timestamp() - 1}
    span = {"trace_id": "a" * 32, "span_id": "b" * 16, "op": "http.server"}
    lines = [
        a_line(later, logged_at=ahead.isoformat()),
        a_line(later, logged_at=None),
        a_line(
            later | {"contexts": {"trace": span}, "spans": []},
            type="transaction",
            logged_at=ahead.isoformat(),
        ),
        a_line(
            {"sid": "c" * 32, "started": ahead.isoformat(), "status": "ok"}, type="session", logged_at=None
        ),
        a_line(
            {
                "replay_id": "d" * 32,
                "timestamp": later["timestamp"],
                "replay_start_timestamp": later["timestamp"],
            },
            type="replay_event",
            logged_at=ahead.isoformat(),
        ),
    ]
    source = "host=h; file=a.log; from=0; to=10; size=10"
    status, answer = node.deliver(b"".join(lines), X_Errata_Source=source)
    assert (status, answer["accepted"]) == (200, len(lines))
    for table, columns in {
        EVENTS: ["occurred_at"],
        "errata_raw.spans": ["occurred_at"],
        "errata_raw.sessions": ["occurred_at", "started_at"],
        "errata_raw.replay_segments": ["occurred_at", "started_at"],
    }.items():
        told = " and ".join(f"{column} < now() + interval 2 minute" for column in columns)
        (row,) = node.admin.rows(f"select count() as rows, countIf({told}) as bounded from {table}")
        assert row["rows"] == row["bounded"] > 0, table
    (row,) = node.admin.rows("select max(newest_logged_at) < now() as is_past from errata_raw.deliveries")
    assert row["is_past"]


def test_copies_of_an_event_ahead_of_its_time_take_the_moment_of_the_first(node: IngestNode) -> None:
    ahead = (datetime.now(UTC) + timedelta(days=2)).isoformat()
    line = a_line({"event_id": "e" * 32, "timestamp": ahead}, logged_at=ahead)
    node.deliver(line)
    node.deliver(line)
    (row,) = node.admin.rows(f"select count() as rows, uniqExact(occurred_at) as moments from {EVENTS}")
    assert row == {"rows": 2, "moments": 1}


def test_copies_of_an_event_without_any_time_take_the_moment_of_the_first(node: IngestNode) -> None:
    line = b'{"type": "event", "payload": {"message": "no clock"}}\n'
    assert node.deliver(line)[0] == 200
    node.admin.execute(
        f"insert into {EVENTS} select * replace (occurred_at - interval 3 hour as occurred_at, "
        f"received_at - interval 3 hour as received_at) from {EVENTS}"
    )
    assert node.deliver(line)[0] == 200
    rows = node.admin.rows(
        f"select occurred_at, count() as copies from {EVENTS} group by occurred_at order by 1"
    )
    assert [row["copies"] for row in rows] == [2, 1]


LEDGER = (
    "select * except (received_at, newest_logged_at, base_name, named_date, day) from errata_raw.deliveries"
)


def test_the_ledger_says_which_bytes_arrived(node: IngestNode) -> None:
    line = a_line()
    node.deliver(
        line + b"bad\n",
        X_Errata_Batch_Id="b-7",
        User_Agent="errata-shipper/0.5.0",
        X_Errata_Source="host=web-1; file=errata-2026-11-21.log.1; id=00ff00ff00ff00ff; "
        "from=10; to=900; size=4000; set_aside=3",
    )
    (row,) = node.admin.rows(LEDGER)
    assert row.pop("project_id") != 0
    assert node.account.api_key.startswith(row.pop("api_key_prefix"))
    assert row.pop("byte_count") == len(line.strip()) + len(b"bad")
    assert row == {
        "host": "web-1",
        "file": "errata-2026-11-21.log.1",
        "file_id": "00ff00ff00ff00ff",
        "byte_from": 10,
        "byte_to": 900,
        "file_bytes": 4000,
        "batch_id": "b-7",
        "accepted_count": 1,
        "rejected_count": 1,
        "set_aside_count": 3,
        "file_end": "",
        "service": "",
        "lines_of_services": [],
        "shipper_version": "0.5.0",
    }
    (named,) = node.admin.rows("select base_name, toString(day) as day from errata_raw.deliveries")
    assert named == {"base_name": "errata-2026-11-21.log", "day": "2026-11-21"}


def test_a_report_without_lines_is_recorded_and_nothing_without_a_source_is(node: IngestNode) -> None:
    source = "host=web-1; file=errata-2026-11-21.log; from=5; to=5; size=90; end=removed"
    status, answer = node.deliver(b"", X_Errata_Source=source)
    assert (status, answer["accepted"], answer["rejected"]) == (200, 0, [])
    node.deliver(b"\n\n", X_Errata_Source="file=errata-2026-11-21.log")
    node.deliver(b"")
    (row,) = node.admin.rows(LEDGER)
    assert (row["byte_from"], row["file_bytes"], row["file_end"], row["accepted_count"]) == (
        5,
        90,
        "removed",
        0,
    )


def test_a_batch_without_an_application_key_of_its_own_is_in_the_ledger_of_no_project(
    node: IngestNode,
) -> None:
    keyed = a_line(app_key=node.account.app_key)
    source = "host=web-1; file=errata-2026-11-21.log; from=0; to=9; size=9"
    assert node.deliver(keyed, X_Errata_App_Key="", X_Errata_Source=source)[0] == 200
    (row,) = node.admin.rows(LEDGER)
    assert (row["project_id"], row["accepted_count"]) == (0, 1)


def test_no_source_and_no_clock_keeps_a_line_from_being_stored(node: IngestNode) -> None:
    clocks = ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1500-01-01T00:00:00+23:59"]
    for number, source in enumerate(HOSTILE_SOURCES):
        line = a_line(logged_at=clocks[number % 3])
        assert node.deliver(line, X_Errata_Source=source)[0] == 200, source
        assert node.deliver(b"", X_Errata_Source=source)[0] == 200, source
    rows = node.admin.rows("select *, toString(newest_logged_at) as newest from errata_raw.deliveries")
    assert sum(row["accepted_count"] for row in rows) == len(HOSTILE_SOURCES)
    assert all(row["byte_from"] <= row["byte_to"] <= 1 << 44 for row in rows)
    assert {row["newest"][:4] for row in rows} <= {"1970", "2106"}
    assert all(row["day"] == row["received_at"].date() for row in rows)


@pytest.mark.slow
def test_new_variants_past_the_limit_share_one_of_their_type(node: IngestNode) -> None:
    letters = "abcdefghij"
    names = ["".join(letters[int(digit)] for digit in f"{number:04}") for number in range(1_005)]
    shapes = [a_line({"exception": {"values": [{"type": "KeyError", "value": name}]}}) for name in names]
    for start in range(0, len(shapes), 300):
        assert node.deliver(b"".join(shapes[start : start + 300]))[0] == 200
    assert node.count(EVENTS) == 1_005
    assert node.count("errata_raw.variants") == 1_001


def test_a_variant_whose_issue_was_never_stored_is_recorded_again(
    node: IngestNode, warehouse: WarehouseProcess
) -> None:
    assert node.deliver(a_line())[0] == 200
    # What a node leaves that is killed between its two inserts.
    for table in ("variant_issues", "variant_assignments"):
        node.admin.execute(f"truncate table errata_raw.{table} sync")
    ingest = warehouse.client(Role.INGEST)
    with TestClient(create_app(ApiSettings(gather_ms=5), node.store, ingest, ingest)) as restarted:
        assert replace(node, client=restarted).deliver(a_line())[0] == 200
    ingest.close()
    mapped = node.admin.rows("select variant_hash from errata_raw.variant_issues")
    assert mapped == node.admin.rows(f"select distinct variant_hash from {EVENTS}")


def test_whoever_waits_for_rows_is_answered_whatever_goes_wrong(
    node: IngestNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Warehouse, "insert_rows", Mock(side_effect=MemoryError("none left")))
        status, answer = node.deliver(a_line())
    assert (status, answer["error"]) == (500, "internal_error")
    assert node.deliver(a_line())[0] == 200


def test_a_warehouse_that_is_away_is_a_503_with_a_time_to_wait(node: IngestNode) -> None:
    node.admin.execute(f"rename table {EVENTS} to errata_raw.elsewhere")
    try:
        answer = node.client.post(
            "/api/ingest",
            content=a_line(),
            headers={
                "Authorization": f"Bearer {node.account.api_key}",
                "X-Errata-App-Key": node.account.app_key,
            },
        )
    finally:
        node.admin.execute(f"rename table errata_raw.elsewhere to {EVENTS}")
    assert (answer.status_code, answer.json()["error"]) == (503, "rows_not_stored")
    assert int(answer.headers["Retry-After"]) > 0
    assert node.deliver(a_line())[0] == 200


def test_more_lines_than_the_rate_allows_are_told_when_to_come_back(
    node: IngestNode, warehouse: WarehouseProcess
) -> None:
    ingest = warehouse.client(Role.INGEST)
    settings = ApiSettings(gather_ms=5, lines_per_minute=60)
    with TestClient(create_app(settings, node.store, ingest, ingest)) as client:
        assert replace(node, client=client).deliver(a_line() * 60)[0] == 200
        answer = client.post(
            "/api/ingest",
            content=a_line() * 30,
            headers={
                "Authorization": f"Bearer {node.account.api_key}",
                "X-Errata-App-Key": node.account.app_key,
            },
        )
    ingest.close()
    assert (answer.status_code, answer.json()["error"]) == (429, "rate_limited")
    assert answer.json()["message"].startswith("Rate Limited")
    assert 25 <= int(answer.headers["Retry-After"]) <= 30
