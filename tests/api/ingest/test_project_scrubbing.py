"""Rules of a project at the door: in force with the next batch, for items of every type."""

import base64
import json
import zlib
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest

from errata.scrubbing import ProjectRules
from errata.state.app_keys import AppKeys
from errata.state.scrubbing import ProjectScrubbing
from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_secrets import captured, everything_stored, line

SECRET = "CUST-4711"


def replace(node: IngestNode, **rules: tuple[str, ...]) -> None:
    owner = node.store.keys.api.owner(node.account.api_key)
    assert owner is not None
    node.store.scrubbing.replace(owner.organization_id, "shop", ProjectRules(**rules), actor="owner")


def deliver(node: IngestNode, *lines: bytes) -> None:
    status, answer = node.deliver(b"".join(lines))
    assert (status, answer["rejected"]) == (200, [])


def payloads(node: IngestNode) -> dict[str, dict[str, Any]]:
    rows = node.admin.rows("select message, payload from errata_raw.error_events order by received_at")
    return {row["message"]: json.loads(row["payload"]) for row in rows}


def an_event(message: str, **more: Any) -> bytes:
    return line({"event_id": uuid4().hex, "message": message, **more})


def test_what_is_added_and_excepted_holds_from_the_next_batch_on(node: IngestNode) -> None:
    extra = {"customer": "Smith", "order_token": "abc123", "password": "demo"}

    def stored(message: str) -> dict[str, Any]:
        deliver(node, an_event(message, extra=extra))
        found: dict[str, Any] = payloads(node)[message]["extra"]
        return found

    first = {"customer": "Smith", "order_token": "[FILTERED]", "password": "[FILTERED]"}
    assert stored("one") == first
    replace(node, filtered_names=("customer",), kept_names=("order_token",))
    second = {"customer": "[FILTERED]", "order_token": "abc123", "password": "[FILTERED]"}
    assert stored("two") == second
    replace(node, filtered_patterns=("Sm.th",), kept_patterns=("demo",))
    third = {"customer": "[FILTERED]", "order_token": "[FILTERED]", "password": "demo"}
    assert stored("three") == third
    replace(node)
    assert stored("four") == first
    assert [payload["extra"] for payload in payloads(node).values()] == [first, second, third, first]


def test_each_project_of_a_batch_has_its_own_rules(node: IngestNode) -> None:
    owner = node.store.keys.api.owner(node.account.api_key)
    assert owner is not None
    other = node.store.projects.create(owner.organization_id, "Other", actor="owner")
    replace(node, filtered_patterns=(r"CUST-\d+",))
    event = {"event_id": uuid4().hex, "message": SECRET}
    deliver(node, line(event), line(event, app_key=other.app_key.key))
    rows = node.admin.rows("select project_id, message from errata_raw.error_events")
    messages = {row["project_id"]: row["message"] for row in rows}
    assert messages.pop(other.project.id) == SECRET and list(messages.values()) == ["[FILTERED]"]


def test_no_batch_asks_for_the_rules_by_itself(node: IngestNode) -> None:
    replace(node, filtered_names=("customer",))
    with (
        patch.object(AppKeys, "routes", autospec=True, side_effect=AppKeys.routes) as asked,
        patch.object(ProjectScrubbing, "get", autospec=True, side_effect=AssertionError),
    ):
        deliver(node, *(an_event(f"m{number}", extra={"customer": "Smith"}) for number in range(5)))
    assert asked.call_count == 1
    assert {payload["extra"]["customer"] for payload in payloads(node).values()} == {"[FILTERED]"}


@pytest.mark.parametrize("rules", [{"filtered_patterns": (r"CUST-\d+",)}, {"filtered_names": ("customer",)}])
def test_items_of_every_type_are_filtered(node: IngestNode, rules: dict[str, tuple[str, ...]]) -> None:
    replace(node, **rules)
    now, text = datetime.now(UTC).timestamp(), f"customer={SECRET}"
    transaction = captured("python_transactions", 1)[0] | {
        "event_id": uuid4().hex,
        "timestamp": now,
        "start_timestamp": now - 1,
        "transaction": text,
    }
    transaction["spans"] = [
        {"span_id": "1" * 16, "op": "db", "description": text, "start_timestamp": now, "timestamp": now}
    ]
    attributes = {
        "sentry.op": {"value": "function", "type": "string"},
        "customer": {"value": SECRET, "type": "string"},
    }
    span = {"name": text, "span_id": "2" * 16, "trace_id": uuid4().hex, "attributes": attributes}
    recorded = b'{"segment_id":0}\n' + zlib.compress(
        json.dumps([{"type": 3, "timestamp": 1.8e12, "data": {"text": text, "customer": SECRET}}]).encode()
    )
    deliver(
        node,
        an_event(text, extra={"customer": SECRET}),
        line(transaction, "transaction", headers={"trace": {"release": text, "customer": SECRET}}),
        line({"items": [span]}, "span"),
        line({"sid": uuid4().hex, "status": "ok", "attrs": {"release": text}}, "session"),
        line({"replay_id": uuid4().hex, "segment_id": 0, "urls": [text]}, "replay_event"),
        line(
            None,
            "replay_recording",
            payload_b64=base64.b64encode(recorded).decode(),
            headers={"replay_id": uuid4().hex},
        ),
        line(
            {"check_in_id": uuid4().hex, "monitor_slug": "job", "status": "ok", "release": text}, "check_in"
        ),
        line({"note": text}, text),
    )
    stored = everything_stored(node)
    recordings = node.admin.rows("select recording from errata_raw.replay_segments where part = 'recording'")
    for row in recordings:
        stored += row["recording"]
    assert len(recordings) == 1 and node.count("errata_raw.error_events") == 1
    assert stored.count("[FILTERED]") > 8
    assert SECRET not in stored


def test_what_is_refused_shows_no_name_that_the_project_filters(node: IngestNode) -> None:
    replace(node, filtered_patterns=(r"CUST-\d+",))
    status, answer = node.deliver(line(["x"], "event", headers={SECRET: "x"}))
    assert (status, len(answer["rejected"])) == (200, 1)
    assert SECRET not in everything_stored(node)
