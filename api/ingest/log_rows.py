"""Rows of errata_raw.logs: records of a program's log, which SDKs send in containers.

The form is Sentry's (develop.sentry.dev/sdk/telemetry/logs).
"""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from errata_wire.log_levels import level_of

from api.ingest import sender as senders
from api.ingest.item import Item, Rows
from api.ingest.kind import ItemKind
from api.ingest.moment import moment, occurred_at
from api.ingest.values import identifier, mapping, row_id, span_number, text, warehouse_time

TYPE = "log"
TABLE = "errata_raw.logs"
INVALID_LOG = "invalid_log"
TOO_MANY_LOGS = "too_many_logs"
MOST_RECORDS = 1_000
MOST_ATTRIBUTES = 100
BODY_MAX_LENGTH = 8_000
NAME_MAX_LENGTH = 200
VALUE_MAX_LENGTH = 2_000
# They have columns of their own, or say the level again.
IN_COLUMNS = frozenset(
    {
        *("sentry.environment", "sentry.release", "server.address"),
        *("sentry.severity_text", "sentry.severity_number"),
    }
)


def log_rows(item: Item, received_at: datetime) -> Rows:
    """The records of one container; unusable ones are left out."""
    rows = [
        _row(item, received_at, position, record)
        for position, record in enumerate(_records(item)[:MOST_RECORDS])
        if is_usable(record)
    ]
    return {TABLE: rows} if rows else {}


def left_out_logs(item: Item) -> Counter[str]:
    """Records that are not stored, by reason."""
    records = _records(item)
    invalid = sum(not is_usable(record) for record in records[:MOST_RECORDS])
    return +Counter({INVALID_LOG: invalid, TOO_MANY_LOGS: max(0, len(records) - MOST_RECORDS)})


def is_usable(record: Any) -> bool:
    """Whether a record has a text and a time."""
    return (
        isinstance(record, dict)
        and bool(text(record.get("body")).strip())
        and moment(record.get("timestamp")) is not None
    )


def _records(item: Item) -> list[Any]:
    sent = item.payload.get("items")
    return sent if isinstance(sent, list) else []


def _row(item: Item, received_at: datetime, position: int, record: dict[str, Any]) -> dict[str, Any]:
    when, is_corrected = occurred_at(record["timestamp"], item.logged_at, received_at)
    values = dict(_values(record))
    sender = senders.of_attributes(item, received_at, values)
    return {
        **sender.shared,
        "server_name": text(values.get("server.address"), 250),
        "occurred_at": warehouse_time(when),
        "position": position,
        "item_id": row_id(item.content_id, position),
        "is_clock_corrected": is_corrected,
        "trace_id": identifier(record.get("trace_id")),
        "span_id": span_number(record.get("span_id")),
        "level": level_of(text(record.get("level"), 32), record.get("severity_number")) or "info",
        "body": record["body"][:BODY_MAX_LENGTH],
        "attributes": _attributes(values),
        "user_hash": sender.user_hash,
    }


def _values(record: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, attribute in mapping(record.get("attributes")).items():
        value = attribute.get("value") if isinstance(attribute, dict) else None
        if value is not None:
            yield name, value


def _attributes(values: dict[str, Any]) -> dict[str, str]:
    """The first attributes as texts, without those that have columns."""
    kept = [(name, value) for name, value in values.items() if name not in IN_COLUMNS]
    return {name[:NAME_MAX_LENGTH]: _shown(value) for name, value in kept[:MOST_ATTRIBUTES]}


def _shown(value: Any) -> str:
    """Texts as they are; numbers, booleans and lists as JSON."""
    shown: str = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shown[:VALUE_MAX_LENGTH]


KINDS = (ItemKind(TYPE, log_rows, left_out=left_out_logs),)
