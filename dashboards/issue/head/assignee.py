"""The assignee of the issue."""

from collections.abc import Mapping

from dashboards.issue.head.fragment import Fragment
from dashboards.issue.request import IssueRequest


def _fetch_assignee(request: IssueRequest) -> Mapping[str, object]:
    session = request.user.session
    members = request.context.state.users.of_organization(session.organization_id, session.project_ids)
    me = session.email
    others = [person.email for person in members if person.email != me]
    state = request.head.state
    return {"assignee": state.assignee, "me": me, "others": others}


FRAGMENT = Fragment("issue/head/assignee.html", _fetch_assignee)
