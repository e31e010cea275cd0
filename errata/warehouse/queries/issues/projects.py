"""What is going on in projects: totals of each, and what the issues of one can be filtered by."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from errata.clock import utc
from errata.period import Period
from errata.warehouse import sql
from errata.warehouse.client import Warehouse


@dataclass(frozen=True)
class ProjectTotals:
    """Events and users of the last 24 hours; issues of the last 90 days that nobody resolved or ignored."""

    project_id: int
    event_count: int
    user_count: int
    open_issue_count: int
    last_seen: datetime


def totals_of_projects(warehouse: Warehouse, projects: Sequence[int]) -> dict[int, ProjectTotals]:
    """By project id; a project without events in 90 days is left out."""
    now = datetime.now(UTC)
    since, issues_since = (Period(text).of_events(now).since for text in ("24h", "90d"))
    rows = warehouse.rows(
        sql.query("totals_of_projects"),
        {"projects": list(projects), "since": since, "issues_since": issues_since},
    )
    return {row["project_id"]: ProjectTotals(**{**row, "last_seen": utc(row["last_seen"])}) for row in rows}
