"""The activity of the issue: decisions, changes of status, comments."""

from dashboards.issue.request import IssueRequest
from dashboards.issue.tab import Found, Tab
from errata.warehouse.queries.issue.actions import actions_of_issue
from errata.workflow.timeline import timeline


def _fetch_activity(request: IssueRequest) -> Found:
    entries = timeline(actions_of_issue(request.warehouse, request.project.id, request.head.issue_id))
    values = {
        "entries": entries,
        "me": request.user.session.email,
        "issues_path": f"/projects/{request.project.slug}/issues",
    }
    return Found(values, state=entries)


TAB = Tab(
    "activity",
    "Activity",
    "issue/tabs/activity/activity.html",
    _fetch_activity,
    styles=("workflow.css",),
    scripts=("workflow.js",),
)
