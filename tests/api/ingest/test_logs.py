"""Log records: containers as rows, within bounds and without secrets."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from api.ingest.log_rows import BODY_MAX_LENGTH, MOST_ATTRIBUTES, MOST_RECORDS
from errata.warehouse.client import Row
from tests.api.ingest.conftest import IngestNode
from tests.cases import each

TABLE = "errata_raw.logs"
TRACE = "0123456789abcdef0123456789abcdef"


def record(at: datetime | None = None, **values: Any) -> dict[str, Any]:
    """A record as the protocol describes it."""
    return {
        "timestamp": (at or datetime.now(UTC)).timestamp(),
        "trace_id": TRACE,
        "span_id": "00000000000000ff",
        "level": "info",
        "body": "Paid",
        "attributes": {
            "shop.order": {"value": 17, "type": "integer"},
            "shop.total": {"value": 9.5, "type": "double"},
            "shop.gift": {"value": True, "type": "boolean"},
            "shop.card": {"value": "visa", "type": "string"},
            "sentry.environment": {"value": "production", "type": "string"},
            "sentry.release": {"value": "shop@1", "type": "string"},
            "server.address": {"value": "web-1", "type": "string"},
        },
        **values,
    }


def line(*records: Any, at: datetime | None = None) -> bytes:
    headers = {"item_count": len(records), "content_type": "application/vnd.sentry.items.log+json"}
    logged_at = (at or datetime.now(UTC)).isoformat()
    sent = {"type": "log", "logged_at": logged_at, "headers": headers, "payload": {"items": list(records)}}
    return json.dumps(sent).encode() + b"\n"


def stored(node: IngestNode) -> list[Row]:
    return node.admin.rows(f"select * from {TABLE} order by occurred_at, position, received_at")


def outcomes(node: IngestNode) -> dict[str, int]:
    rows = node.admin.rows(
        "select outcome, sum(item_count) as total from errata_raw.outcomes group by outcome"
    )
    return {row["outcome"]: row["total"] for row in rows}


def test_records_are_stored_with_ids_that_copies_share(node: IngestNode) -> None:
    now = datetime.now(UTC)
    body = line(record(now), record(now, level="error", body="Refused"))
    for _ in range(2):
        assert node.deliver(body)[1]["rejected"] == []
    rows = stored(node)
    assert len(rows) == 4 and len({row["item_id"] for row in rows}) == 2
    first = rows[0]
    assert (first["body"], first["level"], first["position"]) == ("Paid", "info", 0)
    assert (first["environment"], first["release"], first["server_name"]) == ("production", "shop@1", "web-1")
    assert first["trace_id"].hex == TRACE and first["span_id"] == 255
    assert first["attributes"] == {
        "shop.order": "17",
        "shop.total": "9.5",
        "shop.gift": "true",
        "shop.card": "visa",
    }
    assert outcomes(node) == {}


def test_the_same_record_of_two_containers_is_two(node: IngestNode) -> None:
    now = datetime.now(UTC)
    node.deliver(line(record(now)) + line(record(now), record(now)))
    assert len({row["item_id"] for row in stored(node)}) == 3


@each(
    "unusable",
    [
        None,
        "text",
        [],
        {},
        {"body": "Paid"},
        {"timestamp": 1.8e9},
        {"timestamp": 1.8e9, "body": " \n"},
        {"timestamp": 1.8e9, "body": {"a": 1}},
        {"timestamp": "yesterday", "body": "Paid"},
        {"timestamp": True, "body": "Paid"},
        {"timestamp": 1e300, "body": "Paid"},
    ],
)
def test_an_unusable_record_is_counted_and_its_neighbors_are_stored(node: IngestNode, unusable: Any) -> None:
    before, counted = node.count(TABLE), outcomes(node).get("invalid_log", 0)
    assert node.deliver(line(record(), unusable, record()))[1]["rejected"] == []
    assert node.count(TABLE) == before + 2
    assert outcomes(node)["invalid_log"] == counted + 1


@each("payload", [{}, {"items": None}, {"items": []}, {"items": {}}, {"resourceLogs": []}])
def test_a_container_of_another_form_holds_nothing_to_store(
    node: IngestNode, payload: dict[str, Any]
) -> None:
    before = outcomes(node).get("nothing_to_store", 0)
    sent = json.dumps({"type": "log", "payload": payload}).encode()
    assert node.deliver(sent)[1]["accepted"] == 1
    assert outcomes(node)["nothing_to_store"] == before + 1
    assert node.count(TABLE) == 0


def test_everything_of_a_record_is_bounded(node: IngestNode) -> None:
    long = "x" * 20_000
    attributes = {f"{number}{long[:500]}": {"value": long, "type": "string"} for number in range(20)}
    many = {f"name{number}": {"value": number, "type": "integer"} for number in range(300)}
    node.deliver(
        line(
            record(body=long, attributes=attributes, level=long, trace_id=long, span_id=long),
            record(attributes={**many, "sentry.release": {"value": long, "type": "string"}}),
            record(attributes={"list": {"value": ["é", 1], "type": "array"}, "none": {}, "odd": 3}),
        )
    )
    first, second, third = stored(node)
    assert len(first["body"]) == BODY_MAX_LENGTH and first["level"] == "info"
    assert {len(name) for name in first["attributes"]} == {200}
    assert {len(value) for value in first["attributes"].values()} == {2_000}
    assert len(second["attributes"]) == MOST_ATTRIBUTES and len(second["release"]) == 250
    assert third["attributes"] == {"list": '["é", 1]'}


def test_records_beyond_a_thousand_of_a_container_are_counted(node: IngestNode) -> None:
    short = {"timestamp": datetime.now(UTC).timestamp(), "body": "x"}
    node.deliver(line(*[short] * (MOST_RECORDS + 3)))
    assert node.count(TABLE) == MOST_RECORDS
    assert outcomes(node) == {"too_many_logs": 3}


def test_an_impossible_clock_of_a_record_is_corrected_by_the_line(node: IngestNode) -> None:
    now = datetime.now(UTC)
    node.deliver(line(record(now), record(now - timedelta(days=3)), record(now + timedelta(days=3))))
    assert [row["is_clock_corrected"] for row in stored(node)] == [False, True, True]
    (row,) = node.admin.rows(
        f"select max(abs(dateDiff('second', occurred_at, received_at))) as apart from {TABLE}"
    )
    assert row["apart"] < 60


def test_no_secret_of_a_record_is_stored(node: IngestNode) -> None:
    secret = "Tr0ub4dor9-Tr0ub4dor9"
    node.deliver(
        line(
            record(
                body=f"Calling with password={secret}",
                attributes={
                    "api_key": {"value": secret, "type": "string"},
                    f"password={secret}": {"value": "x", "type": "string"},
                    "url": {"value": f"https://a:{secret}@b.example/?token={secret}", "type": "string"},
                    "list": {"value": [f"password={secret}"], "type": "array"},
                },
            )
        )
    )
    (row,) = stored(node)
    assert secret not in repr(row)
    assert row["body"].startswith("Calling with") and row["attributes"]["api_key"] == "[FILTERED]"


def test_a_record_names_its_user_like_other_items(node: IngestNode) -> None:
    user = {"user.id": {"value": "7", "type": "string"}}
    event = {"message": "x", "user": {"id": "7"}}
    sent = json.dumps({"type": "event", "payload": event}).encode() + b"\n"
    node.deliver(sent + line(record(attributes=user), record()))
    (error,) = node.admin.rows("select user_hash from errata_raw.error_events")
    assert [row["user_hash"] for row in stored(node)] == [error["user_hash"], 0]
