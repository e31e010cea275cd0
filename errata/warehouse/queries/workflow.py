"""What was decided about issues, and what decisions need to know."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from errata.warehouse import sql
from errata.warehouse.builds.records import aware
from errata.warehouse.client import Row, Warehouse
from errata.workflow.vocabulary import Word

LONGEST_TIMELINE = 1000
LONGEST_BATCH = 20_000


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


@dataclass(frozen=True)
class Regression:
    """A resolved issue that occurred again; `release` is that of the latest such event, empty: none."""

    project_id: int
    issue_id: int
    action_id: UUID
    release: str
    last_occurred_at: datetime


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


def regressions_of_projects(warehouse: Warehouse, projects: Sequence[int]) -> list[Regression]:
    rows = warehouse.rows(sql.query("regressions_of_projects"), {"projects": list(projects)})
    return [Regression(**{**row, "last_occurred_at": aware(row["last_occurred_at"])}) for row in rows]


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
        acted_at=aware(row["acted_at"]),
        action_id=row["action_id"],
        word=Word(row["action"]),
        target_issue_id=row["target_issue_id"],
        detail=msgspec.json.decode(row["detail"]) if row["detail"] else {},
        actor=row["actor"],
        batch_id=row["batch_id"],
        about=row["about_action_id"],
        is_undone=bool(row["is_undone"]),
        undone_by=row["undone_by"],
        undone_at=aware(row["undone_at"]) if row["is_undone"] else None,
    )
