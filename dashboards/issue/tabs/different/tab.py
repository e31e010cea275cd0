"""Differences of the issue: its tags tested against those of the other issues' events."""

from datetime import datetime

from dashboards.issue.request import IssueRequest
from dashboards.issue.tab import Found, Tab
from dashboards.issue.tabs.different.view import different
from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.differences import Differences, differences_of_issue

AS_OF_MINUTES = 5


def _fetch_differences(request: IssueRequest) -> Found:
    now = request.page.now
    as_of = now.replace(minute=now.minute - now.minute % AS_OF_MINUTES, second=0, microsecond=0)
    found = _differences(request.warehouse, request.project.id, request.head.issue_id, request.period, as_of)
    return Found({"different": different(found), "as_of": as_of}, state=found)


def _differences(
    warehouse: Warehouse, project_id: int, issue_id: int, period: Period, as_of: datetime
) -> Differences:
    """Cached, since the page refreshes every few seconds and this query takes a second."""
    return warehouse.cached(
        (differences_of_issue, project_id, issue_id, period, as_of),
        lambda: differences_of_issue(warehouse, project_id, issue_id, period.of_events(as_of)),
    )


TAB = Tab(
    "different",
    "What's different",
    "issue/tabs/different/different.html",
    _fetch_differences,
    question="differences_of_issue",
    styles=("different.css",),
)
