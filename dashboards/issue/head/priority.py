"""The priority of the issue, and its reasons."""

from collections.abc import Mapping

from dashboards.issue.head.fragment import Fragment
from dashboards.issue.request import IssueRequest
from errata.warehouse.queries.issue.head import facts_of
from errata.workflow.priority import Level, priority


def _priority(request: IssueRequest) -> Mapping[str, object]:
    facts, chosen = facts_of(request.head), request.head.state.chosen_priority
    return {"priority": priority(facts, chosen, request.page.now), "levels": list(Level)}


FRAGMENT = Fragment("issue/head/priority.html", _priority)
