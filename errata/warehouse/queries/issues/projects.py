"""What is going on in projects: totals of each, and what the issues of one can be filtered by."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from errata.clock import utc
from errata.period import Period
from errata.warehouse import sql
from errata.warehouse.at_once import both
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.published import one_snapshot

NO_EVENTS = {"event_count": 0, "user_count": 0}


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
    with one_snapshot():
        events, issues = both(
            lambda: _by_project(warehouse, "events_of_projects", projects, "24h", by_hour=True),
            lambda: _by_project(warehouse, "open_issues_of_projects", projects, "90d", by_hour=False),
        )
    return {
        project_id: ProjectTotals(
            project_id=project_id,
            event_count=events.get(project_id, NO_EVENTS)["event_count"],
            user_count=events.get(project_id, NO_EVENTS)["user_count"],
            open_issue_count=row["open_issue_count"],
            last_seen=utc(row["last_seen"]),
        )
        for project_id, row in issues.items()
    }


def _by_project(
    warehouse: Warehouse, question: str, projects: Sequence[int], period: str, *, by_hour: bool
) -> dict[int, Row]:
    since = Period(period).of_events(datetime.now(UTC)).since
    parameters = {"projects": list(projects), "since": since, "by_hour": by_hour}
    return {row["project_id"]: row for row in warehouse.rows(sql.query(question), parameters)}
