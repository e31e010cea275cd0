"""What issues are part of by now, and the releases that they are in."""

from collections.abc import Sequence
from dataclasses import dataclass

from errata.warehouse import sql
from errata.warehouse.client import Warehouse


@dataclass(frozen=True)
class Whole:
    """An issue, or the one it is part of by now."""

    issue_id: int
    variants: tuple[int, ...]


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
