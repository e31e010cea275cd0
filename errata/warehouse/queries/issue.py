"""One issue: its head, its history, its tags."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from errata.warehouse import sql
from errata.warehouse.builds.records import aware
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues import Status, issue_text
from errata.warehouse.queries.period import Period
from errata.warehouse.queries.successor import successor_of_issue
from errata.warehouse.queries.variant_counts import counted_rows

LATEST_EVENTS = 1000
VALUES_A_TAG = 20


@dataclass(frozen=True)
class IssueHead:
    """What an issue is, its state, and its counts: of the period and of all time."""

    issue_id: int
    title: str
    culprit: str
    type: str
    level: str
    platform: str
    status: Status
    first_seen: datetime
    last_seen: datetime
    event_count: int
    user_count: int
    total_event_count: int
    total_user_count: int
    first_release: str
    last_release: str
    variant_count: int
    acted_at: datetime | None
    actor: str
    merged_into: int
    """Not 0: the issue asked for is part of this one by now, or nothing is left in it and most of its events
    came here. All the rest speaks of this one."""

    @property
    def id(self) -> str:
        return issue_text(self.issue_id)


@dataclass(frozen=True)
class History:
    """Events by step of the period, a line for each environment."""

    bucket_starts: Sequence[datetime]
    lines: Sequence[tuple[str, tuple[int, ...]]]


@dataclass(frozen=True)
class TagValues:
    """`event_count` of the latest events have the tag; `values` are the most frequent, with counts."""

    tag: str
    event_count: int
    values: tuple[tuple[str, int], ...]


def issue_head(
    warehouse: Warehouse, project_id: int, issue_id: int, period: Period, environment: str = ""
) -> IssueHead | None:
    """None for an issue that the project does not have. One that was emptied leads to its successor."""
    found = _head(warehouse, project_id, issue_id, period, environment)
    if found or not (successor := successor_of_issue(warehouse, project_id, issue_id)):
        return found
    head = _head(warehouse, project_id, successor, period, environment)
    return replace(head, merged_into=head.issue_id) if head else None


def _head(
    warehouse: Warehouse, project_id: int, issue_id: int, period: Period, environment: str
) -> IssueHead | None:
    rows = counted_rows(
        warehouse,
        "issue_head",
        [project_id],
        period.since,
        {
            "project_id": project_id,
            "issue_id": issue_id,
            "since": period.since,
            "by_hour": period.by_hour,
            "environments": [environment] if environment else [],
        },
    )
    if not rows:
        return None
    row = rows[0]
    acted_at = aware(row["acted_at"])
    return IssueHead(
        **{
            **row,
            "status": Status(row["status"]),
            "first_seen": aware(row["first_seen"]),
            "last_seen": aware(row["last_seen"]),
            "acted_at": acted_at if acted_at.timestamp() else None,
        }
    )


def issue_history(warehouse: Warehouse, project_id: int, issue_id: int, period: Period) -> History:
    rows = counted_rows(
        warehouse,
        "issue_history",
        [project_id],
        period.since,
        {
            "project_id": project_id,
            "issue_id": issue_id,
            "since": period.since,
            "by_hour": period.by_hour,
            "bucket_seconds": int(period.bucket.total_seconds()),
            "bucket_count": len(period.bucket_starts),
        },
    )
    return History(period.bucket_starts, [(row["environment"], tuple(row["event_counts"])) for row in rows])


def issue_tags(warehouse: Warehouse, project_id: int, issue_id: int) -> list[TagValues]:
    """Of the latest 1,000 events, the most frequent tag first."""
    rows = warehouse.rows(
        sql.query("issue_tags"),
        {
            "project_id": project_id,
            "issue_id": issue_id,
            "event_limit": LATEST_EVENTS,
            "value_limit": VALUES_A_TAG,
        },
    )
    return [
        TagValues(row["tag"], row["event_count"], tuple((value, count) for value, count in row["top_values"]))
        for row in rows
    ]


def project_of_issue(warehouse: Warehouse, projects: Sequence[int], issue_id: int) -> int | None:
    """None unless one of these projects has it."""
    rows = warehouse.rows(sql.query("project_of_issue"), {"projects": list(projects), "issue_id": issue_id})
    return int(rows[0]["project_id"]) if rows else None
