"""Decisions about issues, from the log of decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.typed_rows import typed
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
    return [typed(Action, row, word=Word(row["action"]), about=row["about_action_id"]) for row in rows]
