"""The state of an issue: the decision in force, and events since."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.merged_issue import MergedIssue
from errata.warehouse.typed_rows import typed

NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class IssueState:
    """`detail` belongs to the decision in force, `return_detail` to the regression or wake since."""

    status: str
    state: str
    acted_at: datetime
    actor: str
    detail: dict[str, Any]
    return_detail: dict[str, Any]
    assignee: str
    chosen_priority: str


NOTHING_DECIDED = IssueState("unresolved", "", NEVER, "", {}, {}, "", "")


def status_of_issue(warehouse: Warehouse, project_id: int, issue_id: int) -> str:
    """`unresolved`, `resolved`, `regressed` or `ignored`, of an issue that is merged into no other."""
    return _state(warehouse, project_id, issue_id).status


def state_of_issue(warehouse: Warehouse, merged: MergedIssue) -> IssueState:
    # Most issues have no decision, which the read of their variants has shown.
    return _state(warehouse, merged.project_id, merged.issue_id) if merged.is_decided else NOTHING_DECIDED


def _state(warehouse: Warehouse, project_id: int, issue_id: int) -> IssueState:
    rows = warehouse.rows(sql.query("state_of_issue"), {"project_id": project_id, "issue_id": issue_id})
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
    return typed(IssueState, row, detail={name: value for name, value in detail.items() if value})
