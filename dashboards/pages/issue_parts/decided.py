"""What people decided about the issue, asked once for all parts of the head."""

from dashboards.pages.issue_asked import Asked
from errata.warehouse.queries.workflow import IssueState, state_of_issue


def decided(asked: Asked) -> IssueState:
    found = getattr(asked.request.state, "issue_state", None)
    if not isinstance(found, IssueState):
        found = state_of_issue(asked.warehouse, asked.project.id, asked.head.issue_id)
        asked.request.state.issue_state = found
    return found
