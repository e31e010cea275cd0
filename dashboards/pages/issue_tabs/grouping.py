"""Why the issue is what it is: its variants and what is part of it, with the ways to change that."""

from api.regrouping import grouping_in_force
from dashboards.grouping import grouping
from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_tabs.tab import Found, Tab
from errata.warehouse.queries.issue.grouping import grouping_of_issue


def _ask(asked: Asked) -> Found:
    configuration = grouping_in_force(asked.context.state, asked.project.id)
    found = grouping_of_issue(asked.warehouse, asked.head.merged, configuration)
    return Found({"grouping": grouping(found, configuration.number)}, state=found)


TAB = Tab(
    "grouping",
    "Grouping",
    "issue_tabs/grouping.html",
    _ask,
    styles=("grouping.css",),
    scripts=("afterwards.js", "issue_picker.js", "grouping.js"),
)
