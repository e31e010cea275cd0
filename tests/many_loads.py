"""Captured page loads, several times over: every copy is a load, a trace and a user of its own."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any

from api.ingest.item import Rows
from api.ingest.telemetry import rows_of
from tests.captures import GENERATIONS, browser_items

IDS = ("item_id", "trace_id", "view_id", "span_id", "parent_span_id", "segment_id")
TABLES = ("errata_raw.page_views", "errata_raw.page_resources", "errata_raw.requests")


def many_loads(
    project_id: int,
    times: int,
    by: timedelta,
    received_at: datetime,
    generations: Sequence[str] = GENERATIONS,
) -> Iterator[Rows]:
    """Rows of raw; `by`: from the moments of capture."""
    for generation in generations:
        for item in browser_items(generation, by, ("transaction", "span")):
            rows = rows_of(item, received_at)
            for number in range(times):
                yield {
                    table: [_copy(row, number, project_id) for row in rows[table]]
                    for table in TABLES
                    if table in rows
                }


def _copy(row: dict[str, Any], number: int, project_id: int) -> dict[str, Any]:
    own = row | {"project_id": project_id}
    for name in IDS:
        if name in row:
            own[name] = _other(row[name], number)
    if row.get("user_hash"):
        own["user_hash"] = _other(row["user_hash"], number)
    return own


def _other(value: Any, number: int) -> Any:
    """Another id of the same kind; 0 stays, for it names nothing."""
    if not number or not value:
        return value
    digest = blake2b(f"{value}/{number}".encode(), digest_size=16)
    return digest.hexdigest() if isinstance(value, str) else int.from_bytes(digest.digest()[:8], "big")
