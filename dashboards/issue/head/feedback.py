"""How many people wrote about the issue."""

from collections.abc import Mapping

from dashboards.issue.head.fragment import Fragment
from dashboards.issue.request import IssueRequest
from errata.warehouse.queries.issue.feedback import people_who_wrote


def _fetch_feedback(request: IssueRequest) -> Mapping[str, object]:
    return {
        "person_count": people_who_wrote(request.warehouse, request.head.merged),
        "address": f"/projects/{request.project.slug}/feedback?issue={request.head.id}",
    }


FRAGMENT = Fragment("issue/head/feedback.html", _fetch_feedback)
