"""The issues that issues are merged into now, and the releases they are in."""

from collections.abc import Sequence
from dataclasses import dataclass

from errata.warehouse import sql
from errata.warehouse.client import Warehouse


@dataclass(frozen=True)
class CurrentIssue:
    """An issue, or the one it is merged into now."""

    issue_id: int
    variants: tuple[int, ...]


def merged_issues(warehouse: Warehouse, project_id: int, issue_ids: Sequence[int]) -> dict[int, CurrentIssue]:
    """Current issues by the id asked about, without unknown ones."""
    rows = warehouse.rows(
        sql.query("merged_issues"), {"project_id": project_id, "issue_ids": list(issue_ids)}
    )
    return {row["asked_id"]: CurrentIssue(row["issue_id"], tuple(sorted(row["variants"]))) for row in rows}


def current_releases(warehouse: Warehouse, project_id: int, issue_ids: Sequence[int]) -> dict[int, str]:
    """Releases by issue; none if the project names no release."""
    rows = warehouse.rows(
        sql.query("current_releases"), {"project_id": project_id, "issue_ids": list(issue_ids)}
    )
    return {row["issue_id"]: row["release"] for row in rows}
