"""The issues that got events since a page of the list was asked for: they may have moved above it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse

MOST_MOVED = 1000


@dataclass(frozen=True)
class Moment:
    """By the warehouse's clock, and how many events received shortly before it could be seen by then.

    An insert is stamped when it begins: it may be seen only after a moment that it was received before.
    """

    asked_at: datetime
    event_count: int


def moment_now(warehouse: Warehouse, project_id: int) -> Moment:
    """Asked before the rows of a page are, so that the next one misses nothing that they miss."""
    (seen,) = warehouse.rows(sql.query("recent_events"), {"project_id": project_id})
    return Moment(utc(seen["asked_at"]), seen["event_count"])


def moved_issues(warehouse: Warehouse, project_id: int, since: Moment) -> Sequence[int]:
    scope = {"project_id": project_id, "asked_at": since.asked_at, "event_count": since.event_count}
    rows = warehouse.rows(sql.query("moved_issues"), scope)
    return [row["issue_id"] for row in rows][:MOST_MOVED]
