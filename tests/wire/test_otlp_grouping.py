"""One bug is one issue, whichever SDK tells it, by a span or by a log record."""

import json
from typing import Any

from errata_wire.envelope import Item
from errata_wire.otlp import logs, spans

from errata.grouping import fingerprint_of, variant_of
from tests.captures import payloads
from tests.wire.told_by_opentelemetry import log_request, named, span_request, traceback_of


def issue_of(event: dict[str, Any]) -> int:
    return fingerprint_of(variant_of({**event, "extra": {}}).shape).fingerprint_hash


def event_in(items: list[Item]) -> dict[str, Any]:
    (item,) = (item for item in items if item.type == "event")
    event: dict[str, Any] = json.loads(item.payload)
    return event


def test_python_errors_are_the_issues_they_are_by_sentrys_sdk() -> None:
    issues: dict[str, set[int]] = {}
    split: list[str] = []
    for event in payloads("python_errors"):
        raised, stack = event["exception"]["values"][-1], traceback_of(event)
        by_span = event_in(spans.items_of(span_request(named(raised), raised["value"], stack))[0])
        # As an instrumentation of logging tells it: the name of the class, and its first argument.
        first_argument = raised["value"].strip("'")
        by_log = event_in(logs.items_of(log_request(raised["type"], first_argument, stack))[0])
        assert by_span["event_id"] == by_log["event_id"]
        found = {issue_of(event), issue_of(by_span), issue_of(by_log)}
        case = event["extra"]["case"]
        issues.setdefault(case, set()).update(found)
        if len(found) > 1:
            split.append(case)
    assert sorted(set(split)) == []
    assert len(issues) == 27
    assert len(set.union(*issues.values())) == 27
