"""The grouping of the issue: its variants and merged issues, with the ways to change them."""

from api.regrouping import grouping_in_force
from dashboards.issue.request import IssueRequest
from dashboards.issue.tab import Found, Tab
from dashboards.issue.tabs.grouping.view import grouping
from errata.warehouse.queries.issue.grouping import grouping_of_issue


def _fetch_grouping(request: IssueRequest) -> Found:
    configuration = grouping_in_force(request.context.state, request.project.id)
    found = grouping_of_issue(request.warehouse, request.head.merged, configuration)
    return Found({"grouping": grouping(found, configuration.number)}, state=found)


TAB = Tab(
    "grouping",
    "Grouping",
    "issue/tabs/grouping/grouping.html",
    _fetch_grouping,
    question="counts_by_variant",
    styles=("grouping.css",),
    scripts=("afterwards.js", "issue_picker.js", "grouping.js"),
)
