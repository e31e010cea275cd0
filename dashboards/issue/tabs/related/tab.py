"""Related issues, with the reason."""

from dashboards.issue.request import IssueRequest
from dashboards.issue.tab import Found, Tab
from errata.related import related_issues


def _fetch_related(request: IssueRequest) -> Found:
    found = related_issues(request.warehouse, request.head, request.page.now)
    axes = sorted(found.axes, key=lambda axis: not axis.issues)
    return Found({"axes": axes, "as_of": found.as_of}, state=found)


TAB = Tab(
    "related",
    "Related",
    "issue/tabs/related/related.html",
    _fetch_related,
    question="variants_of_same_minutes",
    styles=("event.css",),
)
