"""Messages of users, of current SDKs and of older ones."""

import json
from typing import Any

from api.ingest.feedback_rows import MESSAGE_MAX_LENGTH
from errata.warehouse.client import Row
from tests.api.ingest.conftest import IngestNode
from tests.cases import each

TABLE = "errata_raw.feedback"
ERROR, REPLAY, OWN = "a" * 32, "b" * 32, "c" * 32


def line(item_type: str, payload: dict[str, Any]) -> bytes:
    return json.dumps({"type": item_type, "payload": payload}).encode() + b"\n"


def feedback(**values: Any) -> dict[str, Any]:
    """The payload of a `feedback` item, as the protocol describes it."""
    sent = {
        "message": "The button does nothing",
        "contact_email": "kim@example.org",
        "name": "Kim",
        "url": "https://shop.example/checkout?token=1#pay",
        "associated_event_id": ERROR,
        "replay_id": REPLAY,
        **values,
    }
    return {
        "event_id": OWN,
        "contexts": {"feedback": sent},
        "environment": "production",
        "release": "shop@1",
        "user": {"id": "7"},
    }


def stored(node: IngestNode) -> list[Row]:
    return node.admin.rows(f"select * from {TABLE} order by received_at, item_id")


def test_a_message_is_stored_with_its_error_and_replay(node: IngestNode) -> None:
    body = line("feedback", feedback())
    for _ in range(2):
        assert node.deliver(body)[1]["rejected"] == []
    rows = stored(node)
    assert len(rows) == 2 and {row["item_id"].hex for row in rows} == {OWN}
    first = rows[0]
    assert (first["message"], first["user_name"], first["user_email"]) == (
        *("The button does nothing", "Kim"),
        "kim@example.org",
    )
    assert first["url"] == "https://shop.example/checkout"
    assert (first["associated_event_id"].hex, first["replay_id"].hex) == (ERROR, REPLAY)
    assert (first["environment"], first["release"]) == ("production", "shop@1")


def test_a_report_of_an_older_sdk_is_stored_once_by_its_content(node: IngestNode) -> None:
    sent = {"event_id": ERROR, "email": "kim@example.org", "name": "Kim", "comments": "Broken"}
    for _ in range(2):
        node.deliver(line("user_report", sent))
    rows = stored(node)
    assert len(rows) == 2 and len({row["item_id"] for row in rows}) == 1
    assert (rows[0]["message"], rows[0]["user_email"]) == ("Broken", "kim@example.org")
    assert rows[0]["associated_event_id"].hex == ERROR


def test_a_writer_is_the_user_of_the_sdk_else_the_address_written(node: IngestNode) -> None:
    error = {"message": "x", "user": {"email": "kim@example.org"}}
    report = {"event_id": ERROR, "email": "kim@example.org", "comments": "Broken"}
    node.deliver(line("event", error) + line("user_report", report) + line("feedback", feedback()))
    (known,) = node.admin.rows("select user_hash from errata_raw.error_events")
    hashes = {row["message"]: row["user_hash"] for row in stored(node)}
    assert hashes["Broken"] == known["user_hash"]
    assert hashes["The button does nothing"] not in (0, known["user_hash"])


@each(
    "payload",
    [
        {},
        {"contexts": []},
        {"contexts": {"feedback": "text"}},
        {"contexts": {"feedback": {"message": " "}}},
        {"contexts": {"feedback": {"message": 7}}},
    ],
)
def test_feedback_without_a_message_holds_nothing_to_store(node: IngestNode, payload: dict[str, Any]) -> None:
    assert node.deliver(line("feedback", payload))[1]["accepted"] == 1
    assert node.count(TABLE) == 0


def test_everything_of_a_message_is_bounded_and_any_shape_is_stored(node: IngestNode) -> None:
    long = "x" * 20_000
    odd: dict[str, Any] = {name: [1] for name in ("contact_email", "name", "url", "replay_id")}
    node.deliver(line("feedback", feedback(message=long, name=long, contact_email=long, url=f"/{long}")))
    node.deliver(line("feedback", {**feedback(**odd), "event_id": 3, "user": "Kim", "release": {}}))
    long_row = next(row for row in stored(node) if row["item_id"].hex == OWN)
    assert len(long_row["message"]) == MESSAGE_MAX_LENGTH
    assert max(len(long_row[name]) for name in ("user_name", "user_email")) == 200
    assert len(stored(node)) == 2


def test_no_secret_of_a_message_is_stored(node: IngestNode) -> None:
    secret = "Tr0ub4dor9-Tr0ub4dor9"
    sent = feedback(
        message=f"I used password={secret}", url=f"https://a:{secret}@shop.example/?token={secret}"
    )
    node.deliver(line("feedback", sent))
    (row,) = stored(node)
    assert secret not in repr(row) and row["message"].startswith("I used")
