"""Rows as the API stores them: valid by default, a test overrides what it is about."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import msgspec

from errata.resolution.assignments import put_right, write_assignments
from errata.warehouse.client import Warehouse

Row = dict[str, Any]
LOGS = (
    *("errata_raw.variants", "errata_raw.variant_issues"),
    *("errata_raw.issue_actions", "errata_raw.grouping_switches"),
)


def an_error_event(**values: Any) -> Row:
    """A row of errata_raw.error_events; `received_at` is the warehouse's own unless given."""
    event: Row = {
        "project_id": 7,
        "variant_hash": 1,
        "occurred_at": datetime.now(UTC),
        "item_id": uuid4(),
        "level": "error",
        "platform": "python",
        "environment": "production",
        "release": "shop@1.0",
        "type": "ValueError",
        "message": "bad value",
        "user_hash": 0,
        "payload": "{}",
    }
    return event | values


def a_variant(**values: Any) -> Row:
    """A row of errata_raw.variants."""
    variant: Row = {
        "project_id": 7,
        "variant_hash": 1,
        "first_seen_at": datetime.now(UTC),
        "exemplar_id": uuid4(),
        "type": "ValueError",
        "title": "ValueError: bad value",
        "culprit": "shop.cart in add",
        "level": "error",
        "platform": "python",
        "shape": "{}",
    }
    return variant | values


def a_mapping(**values: Any) -> Row:
    """A row of errata_raw.variant_issues."""
    mapping: Row = {
        "project_id": 7,
        "variant_hash": 1,
        "issue_id": 101,
        "authority": 0,
        "fingerprint_hash": 101,
        "fingerprint_version": 1,
        "fingerprint": ["ValueError"],
        "explanation": "",
        "actor": "",
    }
    return mapping | values


def an_issue_action(**values: Any) -> Row:
    """A row of errata_raw.issue_actions."""
    action: Row = {
        "project_id": 7,
        "issue_id": 101,
        "action_id": uuid4(),
        "action": "resolve",
        "target_issue_id": 0,
        "detail": "",
        "actor": "ada@example.org",
    }
    return action | values


def a_deletion(issue_id: int, *variants: int, **values: Any) -> Row:
    """A row of errata_raw.issue_actions: an issue is deleted with the variants it has."""
    detail = msgspec.json.encode({"variants": variants}).decode()
    return an_issue_action(issue_id=issue_id, action="delete", detail=detail, **values)


def a_delivery(**values: Any) -> Row:
    """A row of errata_raw.deliveries: ten bytes with a line, delivered at once."""
    now = datetime.now(UTC)
    delivery: Row = {
        "project_id": 7,
        "host": "web-1",
        "file": f"errata-{now:%Y-%m-%d}.log",
        "file_id": "00000000000000aa",
        "byte_from": 0,
        "byte_to": 10,
        "file_bytes": 10,
        "batch_id": uuid4().hex,
        "accepted_count": 1,
        "rejected_count": 0,
        "set_aside_count": 0,
        "file_end": "",
        "newest_logged_at": now,
    }
    return delivery | values


def insert(warehouse: Warehouse, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Of a log also what it comes to, as whoever appends to it writes: of what the rows name, then of issues
    that are merged into these."""
    kept = list(rows)
    if not kept:
        return
    insert_lines(warehouse, table, [{name: _stored(value) for name, value in row.items()} for row in kept])
    if table in LOGS:
        projects = {row["project_id"] for row in kept}
        variants = {row["variant_hash"] for row in kept if "variant_hash" in row}
        issues = {row["issue_id"] for row in kept if "issue_id" in row}
        write_assignments(warehouse, projects, variants, issues)
        put_right(warehouse, sorted(projects))


def insert_lines(warehouse: Warehouse, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """As JSON, one insert a shard."""
    for shard, projects in warehouse.by_shard({row["project_id"] for row in rows}):
        lines = (msgspec.json.encode(row) for row in rows if row["project_id"] in projects)
        shard.insert_json_lines(table, b"\n".join(lines) + b"\n")


def _stored(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
    return value
