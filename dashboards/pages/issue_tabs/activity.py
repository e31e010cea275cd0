"""What happened to the issue: decisions, what came to pass, comments."""

from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_tabs.tab import Found, Tab
from errata.warehouse.queries.issue.actions import actions_of_issue
from errata.workflow.timeline import timeline


def _ask(asked: Asked) -> Found:
    entries = timeline(actions_of_issue(asked.warehouse, asked.project.id, asked.head.issue_id))
    values = {
        "entries": entries,
        "me": asked.visitor.session.email,
        "issues_path": f"/projects/{asked.project.slug}/issues",
    }
    return Found(values, state=entries)


TAB = Tab(
    "activity",
    "Activity",
    "issue_tabs/activity.html",
    _ask,
    styles=("workflow.css",),
    scripts=("workflow.js",),
)
