"""What lately happened to issues, with the people whom it may concern."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.workflow.vocabulary import Word


@dataclass(frozen=True)
class News:
    """An action that nobody took back. `assignee` held it at that moment, `commenters` commented before."""

    project_id: int
    issue_id: int
    action_id: UUID
    batch_id: UUID
    acted_at: datetime
    word: Word
    detail: dict[str, Any]
    actor: str
    assignee: str
    commenters: tuple[str, ...]

    @property
    def of(self) -> tuple[int, int]:
        """Project and issue."""
        return self.project_id, self.issue_id


def news_count(warehouse: Warehouse, projects: Sequence[int], since: datetime) -> int:
    """A cheap look: without a change of the count there is no news."""
    rows = warehouse.rows(sql.query("news_count"), {"projects": list(projects), "since": since})
    return sum(row["action_count"] for row in rows)


def news_of_issues(warehouse: Warehouse, projects: Sequence[int], since: datetime) -> list[News]:
    """The oldest first."""
    parameters = {"projects": list(projects), "since": since}
    found = [
        News(
            project_id=row["project_id"],
            issue_id=row["issue_id"],
            action_id=row["action_id"],
            batch_id=row["batch_id"],
            acted_at=utc(row["acted_at"]),
            word=Word(row["action"]),
            detail=msgspec.json.decode(row["detail"]) if row["detail"] else {},
            actor=row["actor"],
            assignee=row["assignee"],
            commenters=tuple(row["commenters"]),
        )
        for row in warehouse.rows(sql.query("news_of_issues"), parameters)
    ]
    return sorted(found, key=lambda one: one.acted_at)
