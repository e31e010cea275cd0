"""What was decided about issues, and what decisions need to know."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.issue.whole_issue import WholeIssue
from errata.warehouse.queries.variant_counts import counted_rows
from errata.workflow.escalation import HISTORY_HOURS
from errata.workflow.vocabulary import Word

LONGEST_TIMELINE = 1000
LONGEST_BATCH = 20_000
NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Action:
    """One entry of the log. `about` is nil unless it is about another action."""

    issue_id: int
    acted_at: datetime
    action_id: UUID
    word: Word
    target_issue_id: int
    detail: dict[str, Any]
    actor: str
    batch_id: UUID
    about: UUID
    is_undone: bool
    undone_by: str
    undone_at: datetime | None


@dataclass(frozen=True)
class Whole:
    """An issue, or the one it is part of by now."""

    issue_id: int
    variants: tuple[int, ...]


def actions_by_id(warehouse: Warehouse, project_id: int, action_ids: Sequence[UUID]) -> list[Action]:
    return _actions(warehouse, project_id, LONGEST_BATCH, action_ids=list(action_ids))


def actions_of_batch(warehouse: Warehouse, project_id: int, batch_id: UUID) -> list[Action]:
    return _actions(warehouse, project_id, LONGEST_BATCH, batch_ids=[batch_id])


def actions_of_issue(warehouse: Warehouse, project_id: int, issue_id: int) -> list[Action]:
    """The latest first."""
    return _actions(warehouse, project_id, LONGEST_TIMELINE, issue_ids=[issue_id])


def whole_issues(warehouse: Warehouse, project_id: int, issue_ids: Sequence[int]) -> dict[int, Whole]:
    """By the id that was asked for; unknown ones are left out."""
    rows = warehouse.rows(sql.query("whole_issues"), {"project_id": project_id, "issue_ids": list(issue_ids)})
    return {row["asked_id"]: Whole(row["issue_id"], tuple(sorted(row["variants"]))) for row in rows}


def current_releases(warehouse: Warehouse, project_id: int, issue_ids: Sequence[int]) -> dict[int, str]:
    """By issue; without any where the project names no release."""
    rows = warehouse.rows(
        sql.query("current_releases"), {"project_id": project_id, "issue_ids": list(issue_ids)}
    )
    return {row["issue_id"]: row["release"] for row in rows}


@dataclass(frozen=True)
class IssueState:
    """`detail` is that of the decision that holds, `return_detail` of what brought the issue back since."""

    status: str
    state: str
    acted_at: datetime
    actor: str
    detail: dict[str, Any]
    return_detail: dict[str, Any]
    assignee: str
    chosen_priority: str


NOTHING_DECIDED = IssueState("unresolved", "", NEVER, "", {}, {}, "", "")


def state_of_issue(warehouse: Warehouse, whole: WholeIssue) -> IssueState:
    scope = {"project_id": whole.project_id, "issue_id": whole.issue_id}
    # Of most issues nobody decided anything, which was learned with the variants.
    rows = warehouse.rows(sql.query("state_of_issue"), scope) if whole.is_decided else []
    if not rows:
        return NOTHING_DECIDED
    row = rows[0]
    until = utc(row["until"])
    detail = {
        "in": row["resolution"],
        "release": row["release"],
        "until": until.isoformat(timespec="seconds") if until > NEVER else "",
        "condition": msgspec.json.decode(row["condition"]) if row["condition"] else None,
    }
    return IssueState(
        status=row["status"],
        state=row["state"],
        acted_at=utc(row["acted_at"]),
        actor=row["actor"],
        detail={name: value for name, value in detail.items() if value},
        return_detail=msgspec.json.decode(row["return_detail"]) if row["return_detail"] else {},
        assignee=row["assignee"],
        chosen_priority=row["chosen_priority"],
    )


def _actions(
    warehouse: Warehouse,
    project_id: int,
    limit: int,
    action_ids: Sequence[UUID] = (),
    batch_ids: Sequence[UUID] = (),
    issue_ids: Sequence[int] = (),
) -> list[Action]:
    rows = warehouse.rows(
        sql.query("actions_of_project"),
        {
            "project_id": project_id,
            "action_ids": list(action_ids),
            "batch_ids": list(batch_ids),
            "issue_ids": list(issue_ids),
            "limit": limit,
        },
    )
    return [_action(row) for row in rows]


def _action(row: Row) -> Action:
    return Action(
        issue_id=row["issue_id"],
        acted_at=utc(row["acted_at"]),
        action_id=row["action_id"],
        word=Word(row["action"]),
        target_issue_id=row["target_issue_id"],
        detail=msgspec.json.decode(row["detail"]) if row["detail"] else {},
        actor=row["actor"],
        batch_id=row["batch_id"],
        about=row["about_action_id"],
        is_undone=bool(row["is_undone"]),
        undone_by=row["undone_by"],
        undone_at=utc(row["undone_at"]) if row["is_undone"] else None,
    )


@dataclass(frozen=True)
class Waiting:
    """An ignored issue with a condition; what occurred since, in the last hour, in full hours before."""

    project_id: int
    issue_id: int
    action_id: UUID
    condition: dict[str, Any]
    event_count: int
    user_count: int
    hour_count: int
    history: tuple[int, ...]


def waiting_issues(warehouse: Warehouse, projects: Sequence[int]) -> list[Waiting]:
    scope = {"projects": list(projects)}
    (oldest,) = warehouse.rows(sql.query("oldest_waiting_issue"), scope)
    if not oldest["waiting_count"]:
        return []
    learned_from = datetime.now(UTC) - timedelta(hours=HISTORY_HOURS)
    since = min(utc(oldest["acted_at"]), learned_from).replace(minute=0, second=0, microsecond=0)
    rows = counted_rows(
        warehouse,
        "waiting_issues",
        projects,
        {**scope, "since": since, "history_hours": HISTORY_HOURS},
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
