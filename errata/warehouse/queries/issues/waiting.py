"""Ignored issues that wait for a condition."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.deletions import kept_events
from errata.workflow.escalation import HISTORY_HOURS


@dataclass(frozen=True)
class Waiting:
    """An ignored issue with a condition; what occurred since, in the hour of the clock so far, in full hours
    before."""

    project_id: int
    issue_id: int
    action_id: UUID
    condition: dict[str, Any]
    event_count: int
    user_count: int
    hour_count: int
    history: tuple[int, ...]


def waiting_issues(warehouse: Warehouse, projects: Sequence[int]) -> list[Waiting]:
    return [one for shard, named in warehouse.by_shard(projects) for one in _waiting_issues(shard, named)]


def _waiting_issues(warehouse: Warehouse, projects: Sequence[int]) -> list[Waiting]:
    scope = {"projects": list(projects)}
    (oldest,) = warehouse.rows(sql.query("oldest_waiting_issue"), scope)
    if not oldest["waiting_count"]:
        return []
    learned_from = datetime.now(UTC) - timedelta(hours=HISTORY_HOURS)
    since = min(utc(oldest["acted_at"]), learned_from).replace(minute=0, second=0, microsecond=0)
    rows = warehouse.rows(
        sql.query("waiting_issues").at(is_kept=kept_events(warehouse, projects)),
        {**scope, "since": since, "by_hour": True, "history_hours": HISTORY_HOURS},
    )
    return [_waiting(row) for row in rows]


def _waiting(row: Row) -> Waiting:
    by_age = dict(row["hours"])
    # From the first hour that had any: before it there was no issue.
    oldest = max(by_age, default=0)
    return Waiting(
        project_id=row["project_id"],
        issue_id=row["issue_id"],
        action_id=row["action_id"],
        condition=msgspec.json.decode(row["condition"]),
        event_count=row["event_count"],
        user_count=row["user_count"],
        hour_count=row["hour_count"],
        history=tuple(by_age.get(age, 0) for age in range(oldest, 0, -1)),
    )
