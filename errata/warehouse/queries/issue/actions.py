"""Decisions about issues, from the log of decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.workflow.vocabulary import Word

LONGEST_TIMELINE = 1000
LONGEST_BATCH = 20_000


@dataclass(frozen=True)
class Action:
    """One entry of the log. `about` is nil unless it refers to another action."""

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


def actions_by_id(warehouse: Warehouse, project_id: int, action_ids: Sequence[UUID]) -> list[Action]:
    return _actions(warehouse, project_id, LONGEST_BATCH, action_ids=list(action_ids))


def actions_of_batch(warehouse: Warehouse, project_id: int, batch_id: UUID) -> list[Action]:
    return _actions(warehouse, project_id, LONGEST_BATCH, batch_ids=[batch_id])


def actions_of_issue(warehouse: Warehouse, project_id: int, issue_id: int) -> list[Action]:
    """The actions of one issue, the latest first."""
    return _actions(warehouse, project_id, LONGEST_TIMELINE, issue_ids=[issue_id])


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
